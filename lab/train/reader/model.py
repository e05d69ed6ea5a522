"""The reader as it is trained: a BERT trunk and four linear heads (lab/train/reader/README.md).

Written without a framework's model class, so that the forward pass that ships (src/reader) has one page to be compared with.
Names of parameters are those of Hugging Face's BertModel below "bert.".
"""

import json
import math
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn import functional as F

TASKS = {"answers": 1, "claims": 2, "pairs": 3}  # ids of [unused0] to [unused2]
CLS, SEP, PAD = 101, 102, 0
CLAIM_LABELS = ("supported", "contradicted", "not_found")


class Attention(nn.Module):
    def __init__(self, hidden: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.self = nn.ModuleDict({name: nn.Linear(hidden, hidden) for name in ("query", "key", "value")})
        self.output = nn.ModuleDict({"dense": nn.Linear(hidden, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=1e-12)})

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows, length, hidden = x.shape
        split = lambda y: y.view(rows, length, self.heads, hidden // self.heads).transpose(1, 2)
        query, key, value = (split(self.self[name](x)) for name in ("query", "key", "value"))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0)
        y = self.output["dense"](mixed.transpose(1, 2).reshape(rows, length, hidden))
        return self.output["LayerNorm"](x + F.dropout(y, self.dropout, self.training))


class Layer(nn.Module):
    def __init__(self, hidden: int, heads: int, inner: int, dropout: float):
        super().__init__()
        self.dropout = dropout
        self.attention = Attention(hidden, heads, dropout)
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(hidden, inner)})
        self.output = nn.ModuleDict({"dense": nn.Linear(inner, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=1e-12)})

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.attention(x, mask)
        y = self.output["dense"](F.gelu(self.intermediate["dense"](x)))
        return self.output["LayerNorm"](x + F.dropout(y, self.dropout, self.training))


class Trunk(nn.Module):
    def __init__(self, layers: int, hidden: int, heads: int, inner: int, vocabulary: int, positions: int, dropout: float):
        super().__init__()
        self.dropout = dropout
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocabulary, hidden, padding_idx=PAD),
                "position_embeddings": nn.Embedding(positions, hidden),
                "token_type_embeddings": nn.Embedding(2, hidden),
                "LayerNorm": nn.LayerNorm(hidden, eps=1e-12),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(hidden, heads, inner, dropout) for _ in range(layers))})

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        e = self.embeddings
        places = torch.arange(ids.shape[1], device=ids.device)
        x = e["word_embeddings"](ids) + e["position_embeddings"](places) + e["token_type_embeddings"](types)
        x = F.dropout(e["LayerNorm"](x), self.dropout, self.training)
        mask = (ids != PAD)[:, None, None, :]
        for layer in self.encoder["layer"]:
            x = layer(x, mask)
        return x


class Reader(nn.Module):
    """forward: (rows, length) ids and types to hidden states; the heads are applied to what a task needs."""

    def __init__(self, layers: int, hidden=384, heads=12, inner=1536, vocabulary=30522, positions=512, dropout=0.1):
        super().__init__()
        self.sizes = dict(layers=layers, hidden=hidden, heads=heads, inner=inner, vocabulary=vocabulary, positions=positions)
        self.bert = Trunk(layers, hidden, heads, inner, vocabulary, positions, dropout)
        self.head_answer = nn.Linear(hidden, 1)
        self.head_claim = nn.Linear(hidden, len(CLAIM_LABELS))
        self.head_pair = nn.Linear(hidden, 1)
        self.head_tokens = nn.Linear(hidden, 3)  # start, end, relevant
        for head in (self.head_answer, self.head_claim, self.head_pair, self.head_tokens):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        return self.bert(ids, types)


def pack(state: dict[str, torch.Tensor], path: Path) -> None:
    """int8 by row with float32 scales: 23 MB of starting weights instead of 91."""
    out = {}
    for name, tensor in state.items():
        array = tensor.float().numpy()
        if array.ndim == 2 and array.size > 10_000:
            scale = numpy.maximum(numpy.abs(array).max(axis=1, keepdims=True), 1e-9) / 127
            out[f"{name}|q"] = numpy.rint(array / scale).astype(numpy.int8)
            out[f"{name}|s"] = scale.astype(numpy.float32)
        else:
            out[name] = array.astype(numpy.float32)
    numpy.savez(path, **out)


def unpack(path: Path) -> dict[str, torch.Tensor]:
    packed = numpy.load(path)
    state = {}
    for name in packed.files:
        base, _, part = name.partition("|")
        if part == "q":
            state[base] = torch.from_numpy(packed[name].astype(numpy.float32) * packed[f"{base}|s"])
        elif part == "":
            state[base] = torch.from_numpy(packed[name])
    return state


def from_start(path: Path, layers: tuple[int, ...]) -> "Reader":
    """A reader whose trunk begins with the named layers of the packed starting weights or of a trained reader."""
    start = unpack(path)
    reader = Reader(len(layers))
    names = {f"encoder.layer.{old}.": f"encoder.layer.{new}." for new, old in enumerate(layers)}
    own = {}
    for name, tensor in start.items():
        bare = name.removeprefix("bert.")
        if bare.startswith("head_"):
            own[bare] = tensor
            continue
        if bare.startswith("encoder.layer."):
            old = next((prefix for prefix in names if bare.startswith(prefix)), None)
            if old is None:
                continue
            bare = names[old] + bare[len(old) :]
        own[f"bert.{bare}"] = tensor
    missing, unexpected = reader.load_state_dict(own, strict=False)
    assert all(name.startswith("head_") for name in missing), missing
    assert all("pooler" in name or "position_ids" in name for name in unexpected), unexpected
    return reader


def save(reader: Reader, folder: Path, name: str) -> None:
    """float16 in pieces of at most 15 MB (what a transfer takes), and the sizes beside."""
    state = {key: value.detach().to("cpu", torch.float16).numpy() for key, value in reader.state_dict().items()}
    flat = numpy.concatenate([array.ravel() for array in state.values()])
    index = {"sizes": reader.sizes, "parameters": [[key, list(array.shape)] for key, array in state.items()]}
    piece = 7_500_000
    (folder / f"{name}.json").write_text(json.dumps(index))
    for i in range(math.ceil(flat.size / piece)):
        flat[i * piece : (i + 1) * piece].tofile(folder / f"{name}.{i}.f16")


def load(folder: Path, name: str) -> Reader:
    index = json.loads((folder / f"{name}.json").read_text())
    files = sorted(folder.glob(f"{name}.*.f16"), key=lambda file: int(file.suffixes[-2][1:]))
    flat = numpy.concatenate([numpy.fromfile(file, dtype=numpy.float16) for file in files]).astype(numpy.float32)
    state, at = {}, 0
    for key, shape in index["parameters"]:
        size = math.prod(shape)
        state[key] = torch.from_numpy(flat[at : at + size].reshape(shape).copy())
        at += size
    sizes = index["sizes"]
    reader = Reader(**sizes)
    reader.load_state_dict(state)
    return reader
