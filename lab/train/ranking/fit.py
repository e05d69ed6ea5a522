"""Fits the weights of ranking from the rows of `dump.ts`.

  python3 fit.py first --rows train.jsonl.gz --weights ranking.json --date YYYY-MM-DD
  python3 fit.py candidate --rows validation.jsonl.gz --weights ranking.json
  python3 fit.py confidence --answers answers.jsonl --weights ranking.json

`first` fits the first-stage score on rows without `--read`, as a softmax over the candidates of a question. `candidate` fits a
logistic regression on rows with `--read` from collections held out from the cross-encoder; it also prints the cuts of the
verdicts, for `src/profiles/sourcebound.ts`. `confidence` fits a logistic regression on the answers of `answers.ts`; it also
chooses the threshold, with confidences cross-fitted by collection.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from pathlib import Path

import numpy as np

#: Maximum share of wrong answers among those shown, by the upper 90 % bound.
WRONG_BOUND = 0.15
#: Minimum share of verified passages that answer; maximum share of answering passages that are rejected.
VERIFIED, LOST = 0.75, 0.05
RIDGE = 1e-3


def read_rows(paths: list[Path]) -> tuple[dict, list[dict]]:
    rows: list[dict] = []
    header: dict = {}
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            header = json.loads(next(file))
            rows += [json.loads(line) for line in file]
    return header, rows


def standardise(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Missing values count as the mean, as in `src/models/weights/scorer.ts`."""
    fill, scale = np.nanmean(values, axis=0), np.nanstd(values, axis=0) + 1e-9
    return (np.where(np.isnan(values), fill, values) - fill) / scale, fill, scale


def matrix(rows: list[list]) -> np.ndarray:
    return np.array([[np.nan if value is None else value for value in row] for row in rows], float)


def adam(gradient, size: int, steps: int = 600, rate: float = 0.05) -> np.ndarray:
    weights, mean, square = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights -= rate * (1 - step / steps) * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def logistic(values: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Returns the weights followed by the bias."""
    design = np.hstack([values, np.ones((len(values), 1))])
    ridge = np.r_[np.full(values.shape[1], RIDGE), 0]
    return adam(lambda w: design.T @ (1 / (1 + np.exp(-design @ w)) - right) / len(right) + ridge * w, design.shape[1])


def scorer(names: list[str], weights: np.ndarray, bias: float, fill: np.ndarray, scale: np.ndarray) -> dict:
    rounded = lambda values: [round(float(value), 5) for value in values]  # noqa: E731
    return dict(features=names, fill=rounded(fill), scale=rounded(scale), linear=rounded(weights), bias=round(float(bias), 5))


def fit_first(header: dict, rows: list[dict]) -> dict:
    names = header["features"]
    asked = [row for row in rows if any(piece["y"] for piece in row["pieces"])]
    values, fill, scale = standardise(matrix([piece["x"] for row in asked for piece in row["pieces"]]))
    right = np.array([piece["y"] for row in asked for piece in row["pieces"]], float)
    owner = np.repeat(np.arange(len(asked)), [len(row["pieces"]) for row in asked])

    def shares(odds: np.ndarray) -> np.ndarray:
        return odds / np.bincount(owner, odds)[owner]

    def gradient(weights: np.ndarray) -> np.ndarray:
        odds = np.exp((values @ weights).clip(-30, 30))
        return values.T @ (shares(odds) - shares(odds * right)) / len(asked) + RIDGE * weights

    weights = adam(gradient, len(names), rate=0.1)
    score = values @ weights
    slope, offset = logistic(score[:, None], right)
    for most in (1, 8, 16):
        found = 0
        for at in range(len(asked)):
            own = owner == at
            found += right[own][np.argsort(-score[own])[:most]].any()
        print(f"an answer among the first {most}: {found} of {len(asked)}")
    return {**scorer(names, weights, 0, fill, scale), "chance": [round(float(slope), 5), round(float(offset), 5)]}


def fit_candidate(header: dict, rows: list[dict], weights: dict) -> dict:
    names = ["cross", "first"]
    pieces = [piece for row in rows for piece in row["pieces"]]
    values, fill, scale = standardise(matrix([[piece[name] for name in names] for piece in pieces]))
    right = np.array([piece["y"] for piece in pieces], float)
    *linear, bias = logistic(values, right)
    chance = 1 / (1 + np.exp(-(values @ np.array(linear) + bias)))
    # The score of a passage is that of its best candidate.
    best: dict[tuple, list[float]] = {}
    for piece, one, row in zip(pieces, chance, [row for row in rows for _ in row["pieces"]]):
        key = (row["set"], row["question"], piece["passage"])
        known = best.setdefault(key, [0.0, 0.0])
        known[0], known[1] = max(known[0], one), max(known[1], piece["y"])
    passages = np.array(sorted(best.values(), reverse=True))
    precision = passages[:, 1].cumsum() / np.arange(1, len(passages) + 1)
    verified = passages[np.flatnonzero(precision >= VERIFIED).max(initial=0), 0]
    rejected = np.quantile(passages[passages[:, 1] == 1, 0], LOST)
    print(f"{len(passages)} passages: verified from {verified:.3f}, rejected below {rejected:.3f}")
    return {**weights, "reader": {key: header["reader"][key] for key in ("name", "hash")}, "candidate": scorer(names, np.array(linear), bias, fill, scale)}


def upper_bound(wrong: int, shown: int) -> float:
    """Returns the upper 90 % bound of a share (Wilson 1927)."""
    z, share = 1.2816, wrong / shown
    centre = share + z * z / (2 * shown)
    return (centre + z * np.sqrt(share * (1 - share) / shown + z * z / (4 * shown * shown))) / (1 + z * z / shown)


def auroc(score: np.ndarray, right: np.ndarray) -> float:
    rank = np.argsort(np.argsort(score)) + 1.0
    count = right.sum()
    return float((rank[right == 1].sum() - count * (count + 1) / 2) / max(1.0, count * (len(right) - count)))


def fit_confidence(rows: list[dict], weights: dict) -> dict:
    names = list(rows[0]["confidence"])
    given, right = matrix([list(row["confidence"].values()) for row in rows]), np.array([float(row["right"] is True) for row in rows])
    sets = np.array([row["set"] for row in rows])
    apart = np.zeros(len(rows))
    for name in np.unique(sets):
        own = sets == name
        values, fill, scale = standardise(given[~own])
        *linear, bias = logistic(values, right[~own])
        held = (np.where(np.isnan(given[own]), fill, given[own]) - fill) / scale
        apart[own] = 1 / (1 + np.exp(-(held @ np.array(linear) + bias)))
    values, fill, scale = standardise(given)
    *linear, bias = logistic(values, right)
    print(f"AUROC of the confidence, each collection by the others: {auroc(apart, right):.3f} of {len(rows)}; of the cross-encoder alone {auroc(given[:, names.index('cross')], right):.3f}")
    least = 1.0
    for hundredth in range(99, 0, -1):
        shown = apart >= hundredth / 100
        wrong = int((shown & (right == 0)).sum())
        if hundredth % 5 == 0 and shown.any():
            print(f"from {hundredth / 100:.2f}: {shown.sum()} shown, {wrong} wrong")
        if shown.any() and upper_bound(wrong, int(shown.sum())) <= WRONG_BOUND:
            least = hundredth / 100
    shown = apart >= least
    wrong = int((shown & (right == 0)).sum())
    rule = f"by the 90 % bound at most {WRONG_BOUND:.0%} of what is shown wrong on the validation collections, {wrong} of {shown.sum()}".replace("0%", "0 %").replace("5%", "5 %")
    print(f"threshold {least}: {rule}")
    return {**weights, "confidence": scorer(names, np.array(linear), bias, fill, scale), "threshold": dict(minimum=least, rule=rule)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("first", "candidate", "confidence"))
    parser.add_argument("--rows", type=Path, nargs="+", default=[])
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--date")
    options = parser.parse_args()
    weights = json.loads(options.weights.read_text())
    if options.part == "confidence":
        weights = fit_confidence([json.loads(line) for line in options.answers.read_text().splitlines()], weights)
    header, rows = read_rows(options.rows)
    if options.part == "first":
        data = hashlib.sha256(b"".join(path.read_bytes() for path in options.rows)).hexdigest()
        weights = {**weights, "first": fit_first(header, rows), "data": data, "date": options.date or weights["date"]}
    if options.part == "candidate":
        weights = fit_candidate(header, rows, weights)
    options.weights.write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
