"""The reader as it is trained: a BERT trunk and three linear heads on its first hidden state.

Written without a framework's model class, so that the forward pass that ships (src/reader) has one page to be compared with.
Names of parameters are those of Hugging Face's BertModel below "bert.".
"""

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

TASKS = {"answers": 1, "claims": 2, "pairs": 3}  # ids of [unused0] to [unused2]
CLS, SEP, PAD = 101, 102, 0
CLAIM_LABELS = ("supported", "contradicted", "not_found")
HEADS = {"answer": 1, "claim": len(CLAIM_LABELS), "pair": 1}


class Layer(nn.Module):
    def __init__(self, hidden: int, heads: int, inner: int):
        super().__init__()
        self.heads = heads
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({name: nn.Linear(hidden, hidden) for name in ("query", "key", "value")}),
                "output": nn.ModuleDict({"dense": nn.Linear(hidden, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=1e-12)}),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(hidden, inner)})
        self.output = nn.ModuleDict({"dense": nn.Linear(inner, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=1e-12)})

    def forward(self, x: torch.Tensor, mask: torch.Tensor, only_first: bool) -> torch.Tensor:
        """(rows, length, hidden) to the same; with `only_first` to (rows, 1, hidden): what the heads read of the last layer."""
        rows, _, hidden = x.shape
        asking = x[:, :1] if only_first else x
        # Attention in float32: its gradient is slower in bfloat16.
        split = lambda y: y.float().view(rows, -1, self.heads, hidden // self.heads).transpose(1, 2)
        parts = self.attention["self"]
        mixed = F.scaled_dot_product_attention(split(parts["query"](asking)), split(parts["key"](x)), split(parts["value"](x)), attn_mask=mask)
        y = self.attention["output"]["dense"](mixed.transpose(1, 2).reshape(rows, -1, hidden))
        x = self.attention["output"]["LayerNorm"](asking + y)
        return self.output["LayerNorm"](x + self.output["dense"](F.gelu(self.intermediate["dense"](x))))


class Trunk(nn.Module):
    def __init__(self, layers: int, hidden: int, heads: int, inner: int, vocabulary: int, positions: int):
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocabulary, hidden, padding_idx=PAD),
                "position_embeddings": nn.Embedding(positions, hidden),
                "token_type_embeddings": nn.Embedding(2, hidden),
                "LayerNorm": nn.LayerNorm(hidden, eps=1e-12),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(hidden, heads, inner) for _ in range(layers))})

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        e = self.embeddings
        x = e["LayerNorm"](e["word_embeddings"](ids) + e["position_embeddings"](torch.arange(ids.shape[1])) + e["token_type_embeddings"](types))
        mask = (ids != PAD)[:, None, None, :]
        layers = self.encoder["layer"]
        for i, layer in enumerate(layers):
            x = layer(x, mask, i == len(layers) - 1)
        return x[:, 0]


class Reader(nn.Module):
    def __init__(self, layers: int, hidden=384, heads=12, inner=1536, vocabulary=30522, positions=512):
        super().__init__()
        self.bert = Trunk(layers, hidden, heads, inner, vocabulary, positions)
        for name, outputs in HEADS.items():
            head = nn.Linear(hidden, outputs)
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
            setattr(self, f"head_{name}", head)

    def first(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """(rows, length) ids and types to the first hidden state of each row, (rows, hidden)."""
        return self.bert(ids, types)


def from_start(path: Path, layers: tuple[int, ...]) -> Reader:
    """A reader whose trunk begins with the named layers of an encoder's weights."""
    reader = Reader(len(layers))
    names = {f"encoder.layer.{old}.": f"encoder.layer.{new}." for new, old in enumerate(layers)}
    own = {}
    for name, tensor in load_file(path).items():
        if name.startswith("encoder.layer."):
            old = next((prefix for prefix in names if name.startswith(prefix)), None)
            if old is None:
                continue
            name = names[old] + name[len(old) :]
        own[f"bert.{name}"] = tensor
    missing, unexpected = reader.load_state_dict(own, strict=False)
    assert all(name.startswith("head_") for name in missing), missing
    assert all("pooler" in name or "position_ids" in name for name in unexpected), unexpected
    return reader
