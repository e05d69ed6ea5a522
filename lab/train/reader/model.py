"""The trunk of the reader in torch for many sequences at once, with a head for each question that it is trained on. `forward.py` writes out one sequence."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import dropout, gelu, layer_norm, linear, normalize, scaled_dot_product_attention

LAYERS, HEADS, HIDDEN, EPSILON = 6, 12, 384, 1e-12
CLS, SEP = 101, 102
#: Tokens of a question beside a text, and of both together, as src/reader/sequence.ts.
QUESTION_TOKENS, TOKENS = 48, 176
DROPOUT = 0.1
EMBEDDINGS = "bert.embeddings."
#: Outputs of the heads: the log odds that a text answers a question; supported, contradicted, not found; the log odds that two questions ask for the same.
OUTPUTS = dict(answer=1, claim=3, same=1)


class Texts:
    """Token ids of all texts, one after the other, and sequences made of them on the device."""

    def __init__(self, ids: np.ndarray, offsets: np.ndarray, device: str):
        self.length = np.diff(offsets).astype(np.int64)
        self.ids = torch.from_numpy(ids.astype(np.int64)).to(device)
        self.offsets = torch.from_numpy(offsets).to(device)
        self.places = torch.arange(TOKENS, device=device)
        self.device = device

    def lengths(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        pair = np.minimum(np.minimum(self.length[first], QUESTION_TOKENS) + 3 + self.length[second], TOKENS)
        return np.where(second < 0, np.minimum(self.length[first], TOKENS - 2) + 2, pair)

    def sequences(self, first: np.ndarray, second: np.ndarray, width: int) -> tuple[torch.Tensor, torch.Tensor]:
        """[CLS] first [SEP] second [SEP], or [CLS] first [SEP] where second is -1, and what of it is text."""
        a, b = (torch.from_numpy(one.astype(np.int64)).to(self.device, non_blocking=True) for one in (first, second))
        alone, b = b < 0, b.clamp(min=0)
        size = lambda text, most: (self.offsets[text + 1] - self.offsets[text]).clamp(max=most)  # noqa: E731
        of_first = torch.where(alone, size(a, TOKENS - 2), size(a, QUESTION_TOKENS))
        of_second = torch.minimum(size(b, TOKENS), TOKENS - 3 - of_first)
        count = torch.where(alone, of_first + 2, of_first + of_second + 3)[:, None]
        at, end = self.places[:width][None], of_first[:, None]
        source = torch.where((at <= end) | alone[:, None], self.offsets[a][:, None] + at - 1, self.offsets[b][:, None] + at - end - 2)
        ids = self.ids[source.clamp(0, len(self.ids) - 1)]
        ids = torch.where((at == count - 1) | (at == end + 1), SEP, ids)
        ids[:, 0] = CLS
        mask = at < count
        return ids * mask, mask


class Model:
    """Trainable but for the vectors of words, which stand at what the file will hold."""

    def __init__(self, state: dict[str, np.ndarray], texts: Texts, seed: int):
        torch.manual_seed(seed)
        self.texts, self.device = texts, texts.device
        self.state = {
            name: torch.tensor(values, dtype=torch.float32, device=self.device)
            for name, values in state.items()
            if ".pooler." not in name and "position_ids" not in name
        }
        for name, values in self.state.items():
            values.requires_grad_(not name.endswith("word_embeddings.weight"))
        self.heads: dict[str, torch.Tensor] = {}
        for name, outputs in OUTPUTS.items():
            self.heads[f"{name}.weight"] = (torch.randn(outputs, HIDDEN, device=self.device) * 0.5).requires_grad_(True)
            self.heads[f"{name}.bias"] = torch.full((outputs,), -1.0 if name == "answer" else 0.0, device=self.device).requires_grad_(True)

    def trained(self) -> list[torch.Tensor]:
        return [values for values in self.state.values() if values.requires_grad]

    def head(self, name: str, vectors: torch.Tensor) -> torch.Tensor:
        return vectors @ self.heads[f"{name}.weight"].T + self.heads[f"{name}.bias"]

    def states(self, ids: torch.Tensor, mask: torch.Tensor, train: bool) -> torch.Tensor:
        state, (texts, tokens) = self.state, ids.shape

        def affine(name, x):
            return linear(x, state[f"{name}.weight"].to(x.dtype), state[f"{name}.bias"].to(x.dtype))

        def norm(name, x):
            return layer_norm(x.float(), (HIDDEN,), state[f"{name}.weight"], state[f"{name}.bias"], EPSILON)

        def drop(x):
            return dropout(x, DROPOUT) if train else x

        at = EMBEDDINGS
        x = state[at + "word_embeddings.weight"][ids] + state[at + "position_embeddings.weight"][:tokens] + state[at + "token_type_embeddings.weight"][0]
        x = drop(norm(at + "LayerNorm", x)).bfloat16()
        hidden = torch.zeros(texts, 1, 1, tokens, device=self.device, dtype=x.dtype).masked_fill_(~mask[:, None, None, :], -1e4)
        hidden = hidden.expand(texts, HEADS, tokens, tokens)
        for layer in range(LAYERS):
            at = f"bert.encoder.layer.{layer}."
            q, k, v = (affine(f"{at}attention.self.{part}", x).view(texts, tokens, HEADS, -1).transpose(1, 2) for part in ("query", "key", "value"))
            mixed = scaled_dot_product_attention(q, k, v, attn_mask=hidden).transpose(1, 2).reshape(texts, tokens, HIDDEN)
            x = norm(at + "attention.output.LayerNorm", x + drop(affine(at + "attention.output.dense", mixed))).bfloat16()
            x = norm(at + "output.LayerNorm", x + drop(affine(at + "output.dense", gelu(affine(at + "intermediate.dense", x))))).bfloat16()
        return x

    def vectors(self, first: np.ndarray, second: np.ndarray, train=False, groups=1) -> torch.Tensor:
        """Means of the states, of length 1, in the order given; sequences of like length are read together."""
        length = self.texts.lengths(first, second)
        order, parts = np.argsort(length, kind="stable"), []
        for part in np.array_split(order, min(groups, len(order))):
            ids, mask = self.texts.sequences(first[part], second[part], int(-(-length[part].max() // 8) * 8))
            kept = mask[:, :, None].float()
            states = self.states(ids, mask, train).float()
            parts.append(normalize((states * kept).sum(1) / kept.sum(1), dim=1))
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return torch.cat(parts)[torch.from_numpy(back).to(self.device)]

    @torch.no_grad()
    def many(self, first: np.ndarray, second: np.ndarray, batch=2048):
        """Places and vectors, batch by batch."""
        order = np.argsort(self.texts.lengths(first, second), kind="stable")
        for part in np.array_split(order, max(1, len(order) // batch)):
            yield part, self.vectors(first[part], second[part])

    def tensors(self) -> dict[str, torch.Tensor]:
        return {name: values.detach().float().cpu().contiguous() for name, values in [*self.state.items(), *self.heads.items()]}
