"""Reports the accuracy of a cross-encoder on rows, claims and pairs, by set."""

from __future__ import annotations

import numpy as np

#: Parts of `pack.py`: training, held out and scored, evaluation only.
LEARNED, HELD, MEASURED = 0, 1, -1


def spans_of(data: Data, rows: np.ndarray) -> np.ndarray:
    """Returns the positions of all candidates of the rows."""
    return np.concatenate([np.arange(data.starts[row], data.starts[row + 1]) for row in rows])


def owners_of(data: Data, rows: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(rows)), data.starts[rows + 1] - data.starts[rows])


def auroc(scores: np.ndarray, right: np.ndarray) -> float:
    order = scores.argsort().argsort()
    count = right.sum()
    return float((order[right == 1].sum() - count * (count - 1) / 2) / max(1, count * (len(right) - count)))


def tell(name: str, data: Data, rows: np.ndarray, said: np.ndarray, cosines: np.ndarray | None) -> None:
    """Prints by set, with written collections together, how often the best candidate answers, and the AUROC of the best score."""
    own, names = owners_of(data, rows), np.array([str(one) for one in data.names])[data.set[rows]]
    names = np.where(data.written[rows] & (data.part[rows] != MEASURED), "written", names)
    right, best, by_cosine, has = (np.zeros(len(rows), dtype) for dtype in (int, np.float32, int, bool))
    ends = np.searchsorted(own, np.arange(len(rows) + 1))
    answers = data.answers[spans_of(data, rows)]
    for at, (begin, end) in enumerate(zip(ends, ends[1:])):
        place = said[begin:end].argmax()
        right[at], best[at], has[at] = answers[begin:end][place], said[begin:end][place], answers[begin:end].any()
        by_cosine[at] = 0 if cosines is None else answers[begin:end][cosines[begin:end].argmax()]
    for one in sorted(set(names)):
        mine = names == one
        print(f"{name} {one}: best piece {right[mine].sum()} of {has[mine].sum()} (by cosine {by_cosine[mine].sum()}), AUROC {auroc(best[mine], right[mine]):.3f}", flush=True)


def tell_tables(name: str, data: Data, claims: np.ndarray, of_claims: np.ndarray, pairs: np.ndarray, of_pairs: np.ndarray) -> None:
    for kind, table, at, score, wanted in (
        ("claims", data.claims, claims, of_claims[:, 0] - np.logaddexp(of_claims[:, 1], of_claims[:, 2]) if len(of_claims) else of_claims, 0),
        ("pairs", data.pairs, pairs, of_pairs, 1),
    ):
        for one in np.unique(table[at, 4]):
            mine = table[at, 4] == one
            right = (table[at, 2] == wanted).astype(int)[mine]
            names = data.claim_names if kind == "claims" else data.pair_names
            balanced = np.mean([((score[mine] > 0) == right)[right == label].mean() for label in np.unique(right)])
            told = f"{auroc(score[mine], right):.3f}" if right.min() != right.max() else "none (one kind alone)"
            print(f"{name} {kind} {names[one]} n {mine.sum()}: balanced accuracy {balanced:.3f}, AUROC {told}", flush=True)
