"""BM25, fusion, metrics and intervals for the evaluation; scipy only."""

from __future__ import annotations

import re

import numpy as np
from scipy import sparse

from retrieval_sets import RetrievalSet

CANDIDATES = 100  # passages each retriever hands to the fusion
RRF_K = 60


def bm25_scores(passages: list[str], queries: list[str], k1: float = 1.2, b: float = 0.75) -> np.ndarray:
    """Lucene's idf; plain lower-cased words, no stemming, no stop words."""
    ids: dict[str, int] = {}
    rows, columns = [], []
    for i, text in enumerate(passages):
        for word in re.findall(r"\w+", text.lower()):
            rows.append(i)
            columns.append(ids.setdefault(word, len(ids)))
    counts = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(passages), len(ids)))
    lengths = np.asarray(counts.sum(1)).ravel()
    frequency = np.bincount(counts.indices, minlength=len(ids))
    idf = np.log(1 + (len(passages) - frequency + 0.5) / (frequency + 0.5))
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    weights = counts.copy()
    per_row = np.repeat(norm, np.diff(counts.indptr))
    weights.data = idf[counts.indices] * counts.data * (k1 + 1) / (counts.data + per_row)
    rows, columns = [], []
    for i, text in enumerate(queries):
        for word in re.findall(r"\w+", text.lower()):
            if word in ids:
                rows.append(i)
                columns.append(ids[word])
    asked = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(queries), len(ids)))
    return np.asarray((asked @ weights.T).todense(), np.float32)


def allowed(data: RetrievalSet) -> np.ndarray | None:
    if data.query_scope is None:
        return None
    return np.array(data.query_scope)[:, None] == np.array(data.scope)[None, :]


def mask(scores: np.ndarray, permitted: np.ndarray | None) -> np.ndarray:
    return scores if permitted is None else np.where(permitted, scores, -np.inf).astype(np.float32)


def top_only(scores: np.ndarray) -> np.ndarray:
    """Keeps each row's best CANDIDATES, -inf elsewhere."""
    k = min(CANDIDATES, scores.shape[1])
    limit = -np.partition(-scores, k - 1, axis=1)[:, k - 1 : k]
    return np.where(scores >= limit, scores, -np.inf)


def min_max(scores: np.ndarray) -> np.ndarray:
    kept = top_only(scores)
    finite = np.isfinite(kept)
    low = np.where(finite, kept, np.inf).min(1, keepdims=True)
    high = kept.max(1, keepdims=True)
    span = np.where(high > low, high - low, 1)
    return np.where(finite, (kept - low) / span, 0)


def reciprocal_rank(scores: np.ndarray) -> np.ndarray:
    kept = top_only(scores)
    order = np.argsort(-kept, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(kept.shape[1]), order.shape), 1)
    return np.where(np.isfinite(kept), 1 / (RRF_K + 1 + ranks), 0)


def fuse(a: np.ndarray, b: np.ndarray, how: str, permitted: np.ndarray | None) -> np.ndarray:
    part = min_max if how == "minmax" else reciprocal_rank
    return mask((part(a) + part(b)).astype(np.float32), permitted)


def document_ranks(scores: np.ndarray, data: RetrievalSet, depth: int = 10) -> list[list[str]]:
    """Documents by their best passage, repeats removed."""
    names = sorted(set(data.documents))
    index = {name: i for i, name in enumerate(names)}
    of = np.array([index[name] for name in data.documents])
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(names)))
    best = np.maximum.reduceat(scores[:, order], starts, axis=1)
    top = np.argsort(-best, axis=1, kind="stable")[:, :depth]
    return [[names[i] for i in row if np.isfinite(best[q, i])] for q, row in enumerate(top)]


def per_query(ranked: list[list[str]], gold: list[frozenset[str]]) -> dict[str, np.ndarray]:
    discounts = 1 / np.log2(np.arange(2, 12))
    ndcg, hit, recall = [], [], []
    for names, right in zip(ranked, gold):
        gains = np.array([name in right for name in names[:10]] + [False] * max(0, 10 - len(names)), float)
        ndcg.append((gains * discounts).sum() / discounts[: min(10, len(right))].sum())
        hit.append(float(gains[:5].any()))
        recall.append(gains.sum() / len(right))
    return {"ndcg@10": np.array(ndcg), "hit@5": np.array(hit), "recall@10": np.array(recall)}


def interval(values: np.ndarray, clusters: list[str], seed: int = 7, draws: int = 1000) -> tuple[float, float]:
    """Percentile bootstrap that resamples clusters (a document, a site, a story)."""
    names, of = np.unique(np.array(clusters), return_inverse=True)
    sums = np.bincount(of, weights=values, minlength=len(names))
    sizes = np.bincount(of, minlength=len(names))
    picks = np.random.default_rng(seed).integers(0, len(names), (draws, len(names)))
    means = sums[picks].sum(1) / sizes[picks].sum(1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))
