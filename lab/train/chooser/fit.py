"""Learns the chooser and the gate from what `dump.ts` measured: `python3 fit.py --rows rows.jsonl.gz small.jsonl.gz --out DIR`.

Chooser: one linear score of a piece, listwise over all pieces of a question (the sum of the chances of those that answer), L2.
Gate: logistic over what the best pieces of a question say; right = the best piece answers. Figures are cross-fitted by source document.
"""

import argparse
import gzip
import hashlib
import json
from collections import defaultdict
from pathlib import Path

import numpy
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

FOLDS = 5
# Chosen by leaving one set out in turn (LOG.md): weaker holds worse on a set that was not seen.
GATE_L2 = 3e-2
# What a cosine counts for beside the score of a piece: chosen on each half of eight golden domains (lab/train/reader/LOG.md).
READING_WEIGHT = 8.0
# Slope and offset from the score of a piece that was read to its chance: 7,287 pieces of 936 questions of the sets, read once (LOG.md).
READ_CURVE = [0.285, -4.456]
READER = Path(__file__).resolve().parents[3] / "src/models/weights/reader.bin"


def read(path: Path) -> tuple[list[str], list[str], list[dict]]:
    with gzip.open(path, "rt") as file:
        head = json.loads(file.readline())
        return head["features"], head["gate"], [json.loads(line) for line in file]


def matrix(rows: list[list], fill=None):
    x = numpy.array([[numpy.nan if value is None else value for value in row] for row in rows], dtype=float)
    if fill is None:
        fill = numpy.nan_to_num(numpy.nanmean(x, axis=0))
    x = numpy.where(numpy.isnan(x), fill, x)
    return x, fill


def fit_listwise(x: numpy.ndarray, label: numpy.ndarray, group: numpy.ndarray, weight: numpy.ndarray, l2: float) -> numpy.ndarray:
    """Least -log of the share of exp(score) that answering pieces have, question by question; `group` numbers questions from 0, rising."""
    count = group[-1] + 1
    starts = numpy.searchsorted(group, numpy.arange(count))

    def loss(w):
        score = x @ w
        most = numpy.maximum.reduceat(score, starts)[group]
        e = numpy.exp(score - most)
        all_ = numpy.add.reduceat(e, starts)
        right = numpy.add.reduceat(e * label, starts)
        p_all, p_right = e / all_[group], e * label / right[group]
        value = -(weight * numpy.log(right / all_)).sum() / weight.sum() + l2 * (w @ w)
        gradient = ((p_all - p_right) * weight[group]) @ x / weight.sum() + 2 * l2 * w
        return value, gradient

    return minimize(loss, numpy.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options=dict(maxiter=500)).x


def fit_logistic(x: numpy.ndarray, y: numpy.ndarray, weight: numpy.ndarray, l2: float) -> numpy.ndarray:
    def loss(w):
        z = x @ w[:-1] + w[-1]
        p = 1 / (1 + numpy.exp(-z))
        value = (weight * (numpy.logaddexp(0, z) - y * z)).sum() / weight.sum() + l2 * (w[:-1] @ w[:-1])
        error = weight * (p - y) / weight.sum()
        return value, numpy.append(error @ x + 2 * l2 * w[:-1], error.sum())

    return minimize(loss, numpy.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options=dict(maxiter=500)).x


def fold_of(group: str) -> int:
    return int(hashlib.sha1(f"chooser-1{group}".encode()).hexdigest(), 16) % FOLDS


def set_weights(sets: list[str], power=0.5) -> numpy.ndarray:
    """A set counts by the root of its size, so that no set decides alone."""
    count = defaultdict(int)
    for name in sets:
        count[name] += 1
    return numpy.array([count[name] ** (power - 1) for name in sets])


class Chooser:
    def __init__(self, names: list[str], kept: list[int], l2=1e-3):
        self.names, self.kept, self.l2 = [names[i] for i in kept], kept, l2

    def fit(self, questions: list[dict]):
        asked = [q for q in questions if any(piece["y"] for piece in q["pieces"])]
        x, self.fill = matrix([[piece["x"][i] for i in self.kept] for q in asked for piece in q["pieces"]])
        self.scale = numpy.maximum(x.std(axis=0), 1e-6)
        self.mean = x.mean(axis=0)
        group = numpy.concatenate([[i] * len(q["pieces"]) for i, q in enumerate(asked)])
        label = numpy.array([piece["y"] for q in asked for piece in q["pieces"]], dtype=float)
        self.weights = fit_listwise((x - self.mean) / self.scale, label, group, set_weights([q["set"] for q in asked]), self.l2)
        return self

    def score(self, question: dict) -> numpy.ndarray:
        x, _ = matrix([[piece["x"][i] for i in self.kept] for piece in question["pieces"]], self.fill)
        return ((x - self.mean) / self.scale) @ self.weights

    def artifact(self) -> dict:
        raw = self.weights / self.scale
        return dict(features=self.names, fill=[float(v) for v in self.fill], linear=[float(v) for v in raw], bias=float((self.fill - self.mean) @ raw))


def reader_id() -> dict:
    """Name and hash of the reader that ships, as they stand in its file."""
    raw = READER.read_bytes()
    return dict(name=json.loads(raw[44 : 44 + int.from_bytes(raw[40:44], "little")])["name"], hash=raw[8:40].hex())


def gate_row(question: dict, score: numpy.ndarray) -> list[float]:
    """What the scores of a question's pieces say; the product measures the same (src/write/answer-chance.ts)."""
    falling = numpy.sort(score)[::-1]
    best = falling[0]
    return question["pieces"][int(numpy.argmax(score))]["x"] + [best, best - falling[1] if len(falling) > 1 else ALONE, float(numpy.log(numpy.exp(score - best).sum()))]


# Lead of a piece that has no competitor.
ALONE = 6.0
GATE_OWN = ["score", "score.ahead", "score.crowd"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True, nargs="+", help="of indexes of all documents, and of small ones")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--drop", default="", help="features left out, by name, comma separated")
    options.add_argument("--only", default="", help="features kept, by name")
    options.add_argument("--gate-drop", default="")
    options.add_argument("--date", default="")
    options.add_argument("--threshold", default='{"minimum": 0.5, "rule": "not chosen", "measured": "not measured", "risk": 1}')
    args = options.parse_args()
    parts = [read(path) for path in args.rows]
    names, gate_names, _ = parts[0]
    if any(part[:2] != (names, gate_names) for part in parts):
        raise SystemExit("the files hold other features: dump them again with one version")
    # A set in small indexes counts as a set of its own.
    questions = [dict(q, set=f"{q['set']}{'' if i == 0 else f' {i}'}") for i, part in enumerate(parts) for q in part[2]]
    questions = [q for q in questions if q["pieces"]]
    drop, only = set(args.drop.split(",")), set(filter(None, args.only.split(",")))
    kept = [i for i, name in enumerate(names) if name not in drop and (not only or name in only)]
    gate_kept = [i for i, name in enumerate(gate_names) if name not in set(args.gate_drop.split(","))]
    folds = numpy.array([fold_of(q["group"]) for q in questions])
    scores: list = [None] * len(questions)
    for fold in range(FOLDS):
        chooser = Chooser(names, kept).fit([q for q, f in zip(questions, folds) if f != fold])
        for i in numpy.nonzero(folds == fold)[0]:
            scores[i] = chooser.score(questions[i])
    first, right = defaultdict(list), []
    for q, score in zip(questions, scores):
        top = q["pieces"][int(numpy.argmax(score))]
        right.append(int(bool(top["y"])))
        if any(piece["y"] for piece in q["pieces"]):
            first[q["set"]].append(bool(top["y"]))
    print("best piece answers, where any does (cross-fitted):")
    for name, values in sorted(first.items()):
        print(f"  {name:28} {sum(values):5} of {len(values):5}  {numpy.mean(values):.3f}")
    print(f"  {'mean of sets':28} {numpy.mean([numpy.mean(v) for v in first.values()]):.3f}")

    right = numpy.array(right)
    x, fill = matrix([gate_row(q, s) + [q["gate"][i] for i in gate_kept] for q, s in zip(questions, scores)])
    all_names = [f"piece.{name}" for name in names] + GATE_OWN + [gate_names[i] for i in gate_kept]
    mean, scale = x.mean(axis=0), numpy.maximum(x.std(axis=0), 1e-6)
    z = (x - mean) / scale
    weight = set_weights([q["set"] for q in questions])
    chance = numpy.zeros(len(questions))
    for fold in range(FOLDS):
        inside, outside = folds != fold, folds == fold
        w = fit_logistic(z[inside], right[inside], weight[inside], GATE_L2)
        chance[outside] = 1 / (1 + numpy.exp(-(z[outside] @ w[:-1] + w[-1])))
    print("gate: right or not (cross-fitted):", f"AUROC {roc_auc_score(right, chance):.3f}")
    for name in sorted(set(q["set"] for q in questions)):
        of = numpy.array([q["set"] == name for q in questions])
        if 0 < right[of].sum() < of.sum():
            print(f"  {name:28} n {of.sum():5} right {right[of].mean():.2f} AUROC {roc_auc_score(right[of], chance[of]):.3f}")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        shown = chance >= least
        if shown.any():
            answerable = numpy.array([any(p["y"] for p in q["pieces"]) for q in questions])
            print(f"  from {least:.1f}: shown {shown.mean():.2f}, wrong {1 - right[shown].mean():.2f}, answerable shown {shown[answerable].mean():.2f}")

    whole = Chooser(names, kept).fit(questions)
    w = fit_logistic(z, right, weight, GATE_L2)
    raw = w[:-1] / scale
    pieces = numpy.concatenate([s for s in scores])
    labels = numpy.concatenate([[piece["y"] for piece in q["pieces"]] for q in questions]).astype(float)
    piece_weight = numpy.concatenate([[wt] * len(q["pieces"]) for wt, q in zip(weight, questions)])
    slope = fit_logistic(pieces[:, None], labels, piece_weight, 0)
    args.out.mkdir(parents=True, exist_ok=True)
    data = hashlib.sha256(b"".join(path.read_bytes() for path in args.rows)).hexdigest()
    (args.out / "chooser.json").write_text(
        json.dumps(
            dict(
                name="chooser-1",
                recipe="lab/train/chooser",
                date=args.date,
                data=data,
                piece=dict(whole.artifact(), chance=[float(slope[0]), float(slope[1])]),
                answer=dict(features=all_names, fill=[float(v) for v in fill], linear=[float(v) for v in raw], bias=float(w[-1] + (fill - mean) @ raw)),
                reader=reader_id(),
                read=dict(features=["score", "reading"], linear=[1.0, READING_WEIGHT], chance=READ_CURVE),
                # Until `combine.py` has learned it: as at a glance.
                read_answer=dict(features=["glance"], linear=[1.0]),
                threshold=json.loads(args.threshold),
            ),
            indent=1,
        )
        + "\n"
    )
    for name, value in sorted(zip(whole.names, whole.weights), key=lambda pair: -abs(pair[1])):
        print(f"  {name:20} {value:+.3f}")
    print("gate weights")
    for name, value in sorted(zip(all_names, w), key=lambda pair: -abs(pair[1])):
        print(f"  {name:20} {value:+.3f}")


if __name__ == "__main__":
    main()
