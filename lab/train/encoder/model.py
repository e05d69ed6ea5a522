"""The static encoder and its training: numpy and scipy, with explicit gradients.

The vector of a text is the normalised sum of its tokens' rows, each times the square root of its count; the length of a row is
its weight. The loss of a batch is the sum of
- cross-entropy of the correct passage among the batch's passages (in-batch and mined negatives), in both directions,
- cross-entropy against the teacher's distribution over the same passages,
- 1 - cosine to the teacher's vector, reduced to the same dimensions.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from tokenizers import Tokenizer


# A token that occurs n times in a text counts n ** 0.5 times, because passages repeat function words.
REPEAT_POWER = 0.5


@dataclass
class Settings:
    dimensions: int = 384
    batch: int = 512
    steps: int = 3000
    learning_rate: float = 4e-3
    temperature: float = 0.05
    teacher_temperature: float = 0.05
    label_weight: float = 1.0
    teacher_weight: float = 0.1
    cosine_weight: float = 2.0
    hard_negatives: int = 1
    sif: float = 1e-3
    size_power: float = 0.5  # a set is sampled in proportion to size ** power
    misspelt_share: float = 0.3  # share of batches with misspelt queries
    seed: int = 20240607


@dataclass
class TrainingSet:
    """Texts as token counts with the teacher's vectors; pairs index into both."""

    name: str
    queries: sparse.csr_matrix
    passages: sparse.csr_matrix
    query_teacher: np.ndarray
    passage_teacher: np.ndarray
    pairs: np.ndarray  # (n, 3): query, passage, label (-1: none)
    negatives: np.ndarray | None = None  # (n, k): passages with a high BM25 rank that are not the answer
    query_misspelt: sparse.csr_matrix | None = None  # the queries, misspelt


def count_tokens(tokenizer: Tokenizer, texts: list[str], rows: int) -> sparse.csr_matrix:
    encoded = tokenizer.encode_batch_fast(texts)
    lengths = [len(e.ids) for e in encoded]
    indices = np.fromiter((i for e in encoded for i in e.ids), np.int32, sum(lengths))
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    out = sparse.csr_matrix((np.ones(len(indices), np.float32), indices, indptr), shape=(len(texts), rows + 1))
    out = out[:, :rows]  # the unknown token has no row
    out.sum_duplicates()
    out.data **= REPEAT_POWER
    return out


def encode(counts: sparse.csr_matrix, table: np.ndarray) -> np.ndarray:
    return normalise(counts @ table)


def normalise(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def principal_axes(vectors: np.ndarray, dimensions: int, seed: int = 1) -> np.ndarray:
    """Returns the `dimensions` directions that keep most of the (uncentred) cosine between vectors, rotated at random.
    The rotation changes no cosine; it spreads the variance over all dimensions, which halves the error of 4-bit rows.
    """
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors.astype(np.float64))
    turn, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((dimensions, dimensions)))
    kept = axes[:, ::-1][:, :dimensions]
    return np.ascontiguousarray(kept @ turn[: kept.shape[1]]).astype(np.float32)


def initial_table(token_vectors: np.ndarray, probability: np.ndarray, axes: np.ndarray, sif: float) -> np.ndarray:
    """Returns the teacher's vectors of single tokens, centred and weighted by a / (a + p) (Arora et al. 2017)."""
    centred = token_vectors.astype(np.float32) - (probability[:, None] * token_vectors).sum(0) / probability.sum()
    table = normalise(centred @ axes)
    return (table * (sif / (sif + probability))[:, None]).astype(np.float32)


def softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    shifted = np.exp(logits - logits.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


def batch_gradient(q, p, tq, tp, axes, allowed, settings: Settings):
    """Returns loss and gradients with respect to the unit vectors `q` (n, d) and `p` (n + extra, d)."""
    n = len(q)
    logits = q @ p.T / settings.temperature
    logits[~allowed] = -1e4
    teacher = tq @ tp.T / settings.teacher_temperature
    grad = np.zeros_like(logits)
    loss = 0.0
    weight = settings.label_weight + settings.teacher_weight
    eye = np.arange(n)
    for axis, scale in ((1, 0.5), (0, 0.5)):
        view = logits if axis == 1 else logits[:, :n]
        soft = softmax(view, axis)
        masked = np.where(allowed[:, : view.shape[1]], teacher[:, : view.shape[1]], -1e4)
        target = settings.teacher_weight * softmax(masked, axis)
        target[eye, eye] += settings.label_weight
        loss += -scale * float((target * np.log(soft + 1e-12)).sum()) / n
        grad[:, : view.shape[1]] += scale * (weight * soft - target) / n
    grad /= settings.temperature
    dq = grad @ p
    dp = grad.T @ q
    if settings.cosine_weight:
        rq, rp = normalise(tq @ axes), normalise(tp @ axes)
        dq -= settings.cosine_weight * rq / n
        dp -= settings.cosine_weight * rp / len(p)
    return loss, dq, dp


def through_norm(gradient: np.ndarray, unit: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    return (gradient - unit * (gradient * unit).sum(1, keepdims=True)) / lengths


def train(table: np.ndarray, sets: list[TrainingSet], axes: np.ndarray, settings: Settings) -> np.ndarray:
    rng = np.random.default_rng(settings.seed)
    table = table.astype(np.float32).copy()
    first, second = np.zeros_like(table), np.zeros_like(table)
    chance = np.array([len(s.pairs) for s in sets], float) ** settings.size_power
    chance /= chance.sum()
    orders = [rng.permutation(len(s.pairs)) for s in sets]
    places = [0] * len(sets)
    remap = np.full(len(table), -1, np.int64)
    started, running = time.time(), 0.0
    for step in range(1, settings.steps + 1):
        which = int(rng.choice(len(sets), p=chance))
        data = sets[which]
        size = min(settings.batch, len(data.pairs))
        if places[which] + size > len(data.pairs):
            orders[which], places[which] = rng.permutation(len(data.pairs)), 0
        picked = orders[which][places[which] : places[which] + size]
        places[which] += size
        pairs = data.pairs[picked]
        passages = pairs[:, 1]
        labels = pairs[:, 2]
        if data.negatives is not None and settings.hard_negatives:
            mined = data.negatives[picked]
            choice = rng.integers(0, mined.shape[1], (size, settings.hard_negatives))
            extra = np.take_along_axis(mined, choice, 1).ravel()
            extra = np.unique(extra[extra >= 0])
            passages = np.concatenate([passages, extra])
        allowed = passages[None, :] != pairs[:, 1][:, None]
        same = (labels[:, None] == labels[None, :]) & (labels[:, None] >= 0)
        same |= pairs[:, 0][:, None] == pairs[:, 0][None, :]
        allowed[:, :size] &= ~same
        allowed[np.arange(size), np.arange(size)] = True

        source = data.queries
        if data.query_misspelt is not None and rng.random() < settings.misspelt_share:
            source = data.query_misspelt
        counts = sparse.vstack([source[pairs[:, 0]], data.passages[passages]], format="csr")
        used = np.unique(counts.indices)
        remap[used] = np.arange(len(used))
        local = sparse.csr_matrix((counts.data, remap[counts.indices], counts.indptr), shape=(counts.shape[0], len(used)))
        rows = table[used]
        sums = local @ rows
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        unit = sums / lengths
        tq = data.query_teacher[pairs[:, 0]].astype(np.float32)
        tp = data.passage_teacher[passages].astype(np.float32)
        loss, dq, dp = batch_gradient(unit[:size], unit[size:], tq, tp, axes, allowed, settings)
        gradient = local.T @ through_norm(np.concatenate([dq, dp]), unit, lengths)

        rate = settings.learning_rate * min(1, step / 100) * (1 - step / (settings.steps + 1))
        m = first[used] = 0.9 * first[used] + 0.1 * gradient
        v = second[used] = 0.98 * second[used] + 0.02 * gradient * gradient
        table[used] = rows - rate * m / (np.sqrt(v) + 1e-8)
        running += loss
        if step % 250 == 0:
            print(f"  step {step} loss {running / 250:.3f} {time.time() - started:.0f} s", flush=True)
            running = 0.0
    return table
