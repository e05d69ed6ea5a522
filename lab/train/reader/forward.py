"""The cross-encoder's forward pass in torch, float32: the reference for the kernel. Takes state dicts with BertModel's names."""

from __future__ import annotations

import torch
from torch.nn.functional import gelu, layer_norm, linear, softmax


def forward(state: dict[str, torch.Tensor], layers: int, heads: int, epsilon: float, ids: list[int]) -> torch.Tensor:
    """Returns the last hidden state, [tokens, hidden], of one sequence."""

    def affine(name: str, x: torch.Tensor) -> torch.Tensor:
        return linear(x, state[f"{name}.weight"], state[f"{name}.bias"])

    def norm(name: str, x: torch.Tensor) -> torch.Tensor:
        return layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"], epsilon)

    embeddings = "bert.embeddings."
    x = state[embeddings + "word_embeddings.weight"][ids]
    x = x + state[embeddings + "position_embeddings.weight"][: len(ids)] + state[embeddings + "token_type_embeddings.weight"][0]
    x = norm(embeddings + "LayerNorm", x)
    tokens, hidden = x.shape
    for layer in range(layers):
        at = f"bert.encoder.layer.{layer}."
        q, k, v = (
            affine(f"{at}attention.self.{part}", x).view(tokens, heads, hidden // heads).transpose(0, 1) for part in ("query", "key", "value")
        )
        shares = softmax(q @ k.transpose(1, 2) / (hidden // heads) ** 0.5, dim=-1)
        mixed = (shares @ v).transpose(0, 1).reshape(tokens, hidden)
        x = norm(at + "attention.output.LayerNorm", x + affine(at + "attention.output.dense", mixed))
        wide = gelu(affine(at + "intermediate.dense", x))
        x = norm(at + "output.LayerNorm", x + affine(at + "output.dense", wide))
    return x


def vector(hidden: torch.Tensor) -> torch.Tensor:
    """Returns the mean of the tokens' states, normalised to length 1."""
    mean = hidden.mean(0)
    return mean / mean.norm()
