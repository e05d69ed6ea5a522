"""The trunk of the reader, and of the larger one that teaches it, in torch for many sequences at once, with a head for each question that it is trained on. `forward.py` writes out one sequence."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch.nn.functional import dropout, gelu, layer_norm, linear, normalize, scaled_dot_product_attention, softmax

HEADS = 12
CLS, SEP = 101, 102
#: Tokens of a question beside a text, and of both together, as src/cross-encoder/sequence.ts.
QUESTION_TOKENS, TOKENS = 48, 176
EMBEDDINGS = "bert.embeddings."
#: Present in MPNet: what a head adds to attention by the distance of two tokens, [buckets, heads] (Song et al. 2020; buckets as in T5).
DISTANCE = "bert.encoder.relative_attention_bias.weight"
LAYER = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense")
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
#: Outputs of the heads: the log odds that a text answers a question; supported, contradicted, not found; the log odds that two questions ask for the same.
OUTPUTS = dict(answer=1, claim=3, same=1)


Attend = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def padded_attention(hidden: torch.Tensor) -> Attend:
    """Over [texts, tokens, width]; hidden is added. On a processor written out: the fused form's gradient in bfloat16 takes half of a whole step there."""

    def attend(*projected: torch.Tensor) -> torch.Tensor:
        texts, tokens, width = projected[0].shape
        q, k, v = (one.view(texts, tokens, HEADS, -1).transpose(1, 2) for one in projected)
        if q.is_cuda:
            mixed = scaled_dot_product_attention(q, k, v, attn_mask=hidden.expand(-1, HEADS, -1, -1))
        else:
            mixed = softmax(q @ k.transpose(2, 3) * q.shape[-1] ** -0.5 + hidden, dim=-1) @ v
        return mixed.transpose(1, 2).reshape(texts, tokens, width)

    return attend


def packed_attention(ends: torch.Tensor, longest: int) -> Attend:
    """Over [tokens of all texts, width], the texts one after the other without padding; ends [texts + 1] are 0 and where each ends."""
    from torch.nn.attention.varlen import varlen_attn

    def attend(*projected: torch.Tensor) -> torch.Tensor:
        q, k, v = (one.view(len(one), HEADS, -1) for one in projected)
        return varlen_attn(q, k, v, ends, ends, longest, longest).reshape(projected[0].shape)

    return attend


def layer_states(x: torch.Tensor, attend: Attend, epsilon: float, rate: float, *own: torch.Tensor) -> torch.Tensor:
    """One layer. x [..., width]; own are the weights and biases of LAYER, then of NORMS."""
    width = x.shape[-1]

    def affine(at: int, x: torch.Tensor) -> torch.Tensor:
        return linear(x, own[2 * at].to(x.dtype), own[2 * at + 1].to(x.dtype))

    def norm(at: int, x: torch.Tensor) -> torch.Tensor:
        return layer_norm(x.float(), (width,), own[2 * at], own[2 * at + 1], epsilon).to(x.dtype)

    def drop(x: torch.Tensor) -> torch.Tensor:
        return dropout(x, rate) if rate > 0 else x

    x = norm(len(LAYER), x + drop(affine(3, attend(affine(0, x), affine(1, x), affine(2, x)))))
    return norm(len(LAYER) + 1, x + drop(affine(5, gelu(affine(4, x)))))


def distance_buckets(tokens: int, buckets: int, farthest=128) -> torch.Tensor:
    """Bucket of each distance, [tokens, tokens]: half for each direction, in each the first half exact and the others by logarithm."""
    at = torch.arange(tokens)
    back = at[:, None] - at[None, :]
    half = buckets // 2
    exact = half // 2
    far = exact + (torch.log(back.abs().clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)).long()
    return (back < 0) * half + torch.where(back.abs() < exact, back.abs(), far.clamp(max=half - 1))


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
    """Trainable but for the vectors of words, which stand at what the file will hold, and what is added to attention by distance."""

    def __init__(self, state: dict[str, np.ndarray], texts: Texts, seed: int, epsilon=1e-12, dtype=torch.bfloat16, last: int | None = None):
        """dtype: of products; last: only so many of the last layers are trained, None: all."""
        torch.manual_seed(seed)
        self.dtype = dtype
        self.texts, self.device, self.epsilon = texts, texts.device, epsilon
        self.state = {
            name: torch.tensor(values, dtype=torch.float32, device=self.device)
            for name, values in state.items()
            if ".pooler." not in name and "position_ids" not in name and name.startswith("bert.")
        }
        for name, values in self.state.items():
            values.requires_grad_(not name.endswith("word_embeddings.weight") and name != DISTANCE)
        self.width = self.state[EMBEDDINGS + "word_embeddings.weight"].shape[1]
        self.layers = 1 + max(int(name.split(".")[3]) for name in self.state if name.startswith("bert.encoder.layer."))
        self.own = [
            [self.state[f"bert.encoder.layer.{layer}.{part}.{kind}"] for part in (*LAYER, *NORMS) for kind in ("weight", "bias")] for layer in range(self.layers)
        ]
        self.frozen = 0 if last is None else self.layers - last
        if last is not None:
            for name, values in self.state.items():
                layer = int(name.split(".")[3]) if name.startswith("bert.encoder.layer.") else -1
                values.requires_grad_(values.requires_grad and layer >= self.frozen)
        self.heads: dict[str, torch.Tensor] = {}
        for name, outputs in OUTPUTS.items():
            self.heads[f"{name}.weight"] = (torch.randn(outputs, self.width, device=self.device) * 0.5).requires_grad_(True)
            self.heads[f"{name}.bias"] = torch.full((outputs,), -1.0 if name == "answer" else 0.0, device=self.device).requires_grad_(True)
        self.distances = None
        #: Attention over texts without padding is there on an accelerator and knows no distances.
        self.packs = self.device == "cuda" and DISTANCE not in self.state
        if DISTANCE in self.state:
            bias = self.state[DISTANCE]
            self.distances = bias[distance_buckets(TOKENS, len(bias)).to(self.device)].permute(2, 0, 1)[None].to(dtype)

    def take(self, tensors: dict[str, torch.Tensor]) -> None:
        """Goes on from what was trained before; the vectors of words stay."""
        with torch.no_grad():
            for own in (self.state, self.heads):
                for name, values in own.items():
                    if values.requires_grad and name in tensors:
                        values[: len(tensors[name])].copy_(tensors[name])

    def trained(self) -> list[torch.Tensor]:
        return [values for values in self.state.values() if values.requires_grad]

    def head(self, name: str, vectors: torch.Tensor) -> torch.Tensor:
        return vectors @ self.heads[f"{name}.weight"].T + self.heads[f"{name}.bias"]

    def states(self, ids: torch.Tensor, places: torch.Tensor, attend: Attend, rate: float) -> torch.Tensor:
        """[..., width] of tokens at their places."""
        state, at = self.state, EMBEDDINGS
        x = state[at + "word_embeddings.weight"][ids] + state[at + "position_embeddings.weight"][places] + state[at + "token_type_embeddings.weight"][0]
        x = layer_norm(x, (self.width,), state[at + "LayerNorm.weight"], state[at + "LayerNorm.bias"], self.epsilon)
        x = dropout(x, rate).to(self.dtype)
        with torch.no_grad():
            for own in self.own[: self.frozen]:
                x = layer_states(x, attend, self.epsilon, rate, *own)
        for own in self.own[self.frozen :]:
            x = layer_states(x, attend, self.epsilon, rate, *own)
        return x

    def padded_means(self, first: np.ndarray, second: np.ndarray, rate: float) -> torch.Tensor:
        ids, mask = self.texts.sequences(first, second, int(-(-self.texts.lengths(first, second).max() // 8) * 8))
        texts, tokens = ids.shape
        hidden = torch.zeros(texts, 1, 1, tokens, device=self.device, dtype=self.dtype).masked_fill_(~mask[:, None, None, :], -1e4)
        hidden = hidden.expand(texts, 1, tokens, tokens) if self.distances is None else hidden + self.distances[:, :, :tokens, :tokens]
        states = self.states(ids, self.texts.places[:tokens], padded_attention(hidden), rate).float()
        kept = mask[:, :, None].float()
        return (states * kept).sum(1) / kept.sum(1)

    def packed_means(self, first: np.ndarray, second: np.ndarray, rate: float) -> torch.Tensor:
        length = self.texts.lengths(first, second)
        ids, mask = self.texts.sequences(first, second, int(length.max()))
        counts = torch.from_numpy(length).to(self.device)
        ends = torch.nn.functional.pad(counts.cumsum(0), (1, 0)).int()
        places = self.texts.places[: ids.shape[1]].expand_as(ids)[mask]
        states = self.states(ids[mask], places, packed_attention(ends, int(length.max())), rate)
        owner = torch.repeat_interleave(torch.arange(len(length), device=self.device), counts, output_size=int(length.sum()))
        means = torch.zeros(len(length), self.width, device=self.device).index_add(0, owner, states.float())
        return means / counts[:, None]

    def vectors(self, first: np.ndarray, second: np.ndarray, dropout=0.0, groups=1) -> torch.Tensor:
        """Means of the states, of length 1, in the order given; sequences of like length are read together where they are padded."""
        if self.packs:
            return normalize(self.packed_means(first, second, dropout), dim=1)
        order = np.argsort(self.texts.lengths(first, second), kind="stable")
        parts = [normalize(self.padded_means(first[part], second[part], dropout), dim=1) for part in np.array_split(order, min(groups, len(order)))]
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return torch.cat(parts)[torch.from_numpy(back).to(self.device)]

    @torch.no_grad()
    def many(self, first: np.ndarray, second: np.ndarray):
        """Places and vectors, batch by batch."""
        order, batch = np.argsort(self.texts.lengths(first, second), kind="stable"), 2048 if self.device == "cuda" else 128
        for part in np.array_split(order, max(1, len(order) // batch)):
            yield part, self.vectors(first[part], second[part])

    def tensors(self) -> dict[str, torch.Tensor]:
        return {name: values.detach().float().cpu().contiguous() for name, values in [*self.state.items(), *self.heads.items()]}
