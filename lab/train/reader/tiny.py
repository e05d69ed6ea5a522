"""Makes a cross-encoder with random weights of a few kilobytes, for kernel tests with other dimensions than the shipped one.

  python tiny.py FOLDER && python export.py --state FOLDER/tiny.npz --vocabulary FOLDER/vocab.txt --name tiny --heads 4 \\
    --embedding-bits 5 --out ../../../src/cross-encoder/parity/tiny.bin
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from cases import SUBJECTS
from weights import HEADS, MAX_TOKENS, SPECIAL_PIECES

HIDDEN, FEED_FORWARD, LAYERS = 64, 160, 3


def tiny_pieces() -> list[str]:
    """Returns letters, digits and punctuation, alone and inside a word, every second word of the cases, and other entries of a real
    vocabulary.
    """
    words = sorted({word for subject in SUBJECTS for text in subject for word in re.findall(r"[a-z]+", text.lower())})
    characters = [chr(code) for code in range(33, 127) if not chr(code).isupper()]
    inside = ["##" + char for char in characters if char.isalnum()]
    return [SPECIAL_PIECES[0], "[unused0]", "[unused1]", *SPECIAL_PIECES[1:], *characters, "漢", "ж", "α", *inside, *(w for w in words[::2] if len(w) > 1)]


def tiny_state(vocabulary: int, seed: int = 5) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    state: dict[str, np.ndarray] = {}

    def normal(name: str, *shape: int, deviation: float = 0.15, mean: float = 0.0) -> None:
        state[name] = draw.normal(mean, deviation, shape).astype(np.float32)

    def affine(name: str, outputs: int, inputs: int) -> None:
        normal(name + ".weight", outputs, inputs)
        normal(name + ".bias", outputs)

    def norm(name: str) -> None:
        normal(name + ".weight", HIDDEN, mean=1.0)
        normal(name + ".bias", HIDDEN)

    embeddings = "bert.embeddings."
    normal(embeddings + "word_embeddings.weight", vocabulary, HIDDEN)
    normal(embeddings + "position_embeddings.weight", MAX_TOKENS, HIDDEN)
    normal(embeddings + "token_type_embeddings.weight", 2, HIDDEN)
    norm(embeddings + "LayerNorm")
    for head, outputs in HEADS.items():
        affine(head, outputs, HIDDEN)
    for layer in range(LAYERS):
        at = f"bert.encoder.layer.{layer}."
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            affine(at + part, HIDDEN, HIDDEN)
        norm(at + "attention.output.LayerNorm")
        affine(at + "intermediate.dense", FEED_FORWARD, HIDDEN)
        affine(at + "output.dense", HIDDEN, FEED_FORWARD)
        norm(at + "output.LayerNorm")
    return state


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pieces = tiny_pieces()
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    np.savez(folder / "tiny.npz", **tiny_state(len(pieces)))
