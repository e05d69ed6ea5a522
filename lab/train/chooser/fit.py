"""Learns the chooser and the gate from what `dump.ts` measured: `python3 fit.py --rows rows.jsonl.gz written.jsonl.gz --out DIR`.

Chooser: one linear score of a piece, listwise over all pieces of a question (the sum of the chances of those that answer), L2; the same once more with the
reading of each piece beside; and boosted trees over all of it and each piece's place among those that were read. Gate: logistic over what the best pieces of a
question say at a glance, and boosted trees over what reading says, the best piece and the passages; right = the best piece answers.
Figures are cross-fitted: by source document, and of written collections by collection.
"""

import argparse
import gzip
import hashlib
import json
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import lightgbm
import numpy
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from train import trees_of  # noqa: E402  The form of trees that the product reads.

FOLDS = 5
# Chosen by leaving one set out in turn (LOG.md): weaker holds worse on a set that was not seen.
GATE_L2 = 3e-2
# The same of the linear score of a piece that was read (LOG.md).
READ_L2 = 3e-2
READ_GATE_L2 = 5e-2
# A public set counts so many times as much as a written collection of its size, so that nine of them keep the share that they had beside forty; tables four times that.
PUBLIC_SHARE = 4
SET_SHARE = {"tables": 16}
# Pieces of a question that are learned from: all that answer, and the best of the others by words.
KEPT = 32
PARITY_ROWS = 40
# As src/write/read-pieces.ts.
READ_PIECES = 8
READER = Path(__file__).resolve().parents[3] / "src/models/weights/reader.bin"


def read(path: Path) -> tuple[list[str], list[str], list[dict]]:
    with gzip.open(path, "rt") as file:
        head = json.loads(file.readline())
        rows = [json.loads(line) for line in file]
    for row in rows:
        # The file holds answering pieces first: where scores are equal, that order must not decide.
        row["pieces"] = sorted(row["pieces"][:KEPT], key=lambda piece: hashlib.sha1(piece["place"].encode()).hexdigest())
    return head["features"], head["gate"], rows


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

    return minimize(loss, numpy.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options=dict(maxiter=200)).x


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


def set_weights(questions: list[dict], power=0.5) -> numpy.ndarray:
    """A set counts by the root of its size, so that no set decides alone; public sets and long tables, of which there are few, count more (LOG.md)."""
    count = defaultdict(int)
    for q in questions:
        count[q["set"]] += 1
    share = lambda q: 1 if q["set"] == q["group"] else SET_SHARE.get(q["set"], PUBLIC_SHARE)
    return numpy.array([count[q["set"]] ** (power - 1) * share(q) for q in questions])


class Chooser:
    """A linear score of pieces; `read`: of pieces that were read, the figures of their reading the first features."""

    def __init__(self, names: list[str], l2=1e-3, read=False):
        self.names, self.l2, self.read = (READINGS if read else []) + names, l2, read

    def row(self, piece: dict) -> list:
        return (readings(piece) if self.read else []) + piece["x"]

    def fit(self, questions: list[dict]):
        asked = [q for q in questions if any(piece["y"] for piece in q["pieces"])]
        x, self.fill = matrix([self.row(piece) for q in asked for piece in q["pieces"]])
        self.scale = numpy.maximum(x.std(axis=0), 1e-6)
        self.mean = x.mean(axis=0)
        group = numpy.concatenate([[i] * len(q["pieces"]) for i, q in enumerate(asked)])
        label = numpy.array([piece["y"] for q in asked for piece in q["pieces"]], dtype=float)
        self.weights = fit_listwise((x - self.mean) / self.scale, label, group, set_weights(asked), self.l2)
        return self

    def score(self, pieces: list[dict]) -> numpy.ndarray:
        x, _ = matrix([self.row(piece) for piece in pieces], self.fill)
        return ((x - self.mean) / self.scale) @ self.weights

    def artifact(self) -> dict:
        raw = self.weights / self.scale
        return dict(features=self.names, fill=[float(v) for v in self.fill], linear=[float(v) for v in raw], bias=float((self.fill - self.mean) @ raw))


class Gate:
    """A logistic over named figures of a question."""

    def __init__(self, names: list[str], l2: float):
        self.names, self.l2 = names, l2

    def fit(self, rows: list[list], right: numpy.ndarray, weight: numpy.ndarray):
        x, self.fill = matrix(rows)
        self.mean, self.scale = x.mean(axis=0), numpy.maximum(x.std(axis=0), 1e-6)
        self.weights = fit_logistic((x - self.mean) / self.scale, right, weight, self.l2)
        return self

    def logit(self, rows: list[list]) -> numpy.ndarray:
        x, _ = matrix(rows, self.fill)
        return ((x - self.mean) / self.scale) @ self.weights[:-1] + self.weights[-1]

    def artifact(self) -> dict:
        raw = self.weights[:-1] / self.scale
        bias = float(self.weights[-1] + (self.fill - self.mean) @ raw)
        return dict(features=self.names, fill=[float(v) for v in self.fill], linear=[float(v) for v in raw], bias=bias)


def reader_id() -> dict:
    """Name and hash of the reader that ships, as they stand in its file."""
    raw = READER.read_bytes()
    return dict(name=json.loads(raw[44 : 44 + int.from_bytes(raw[40:44], "little")])["name"], hash=raw[8:40].hex())


# Lead of a piece that has no competitor.
ALONE = 6.0
GATE_OWN = ["score", "score.ahead", "score.crowd"]
# What reading says of a piece, as src/write/reading-features.ts: the cosine, and the token match of `../reader/train.py` in its order.
READINGS = ["reading", "match.mean", "match.least", "match.lower", "match.back"]
CHOICE_PLACES = [f"{name}{of}" for name in READINGS for of in (".above", ".below")] + ["glance", "glance.below", "linear", "linear.below", "linear.above"]
READ_GATE = ["glance", "score", "score.ahead", "linear", "linear.ahead"] + [f"{name}{of}" for name in READINGS for of in ("", ".above")]


def gate_row(question: dict, score: numpy.ndarray) -> list:
    """What the scores of a question's pieces say; the product measures the same (src/write/answer-chance.ts)."""
    falling = numpy.sort(score)[::-1]
    best = falling[0]
    own = [best, best - falling[1] if len(falling) > 1 else ALONE, float(numpy.log(numpy.exp(score - best).sum()))]
    return question["pieces"][int(numpy.argmax(score))]["x"] + own + question["gate"]


def read_row(glance: float, pieces: list[dict], score: numpy.ndarray, linear: numpy.ndarray) -> list:
    """What the scores of the pieces that were read say, beside the log odds at a glance."""
    order = numpy.argsort(-score)
    best = score[order[0]]
    values = readings(pieces[order[0]])
    if len(order) == 1:
        return [glance, best, None, linear[0], None] + [v for value in values for v in (value, None)]
    means = numpy.nanmean(numpy.array([readings(piece) for piece in pieces], dtype=float), axis=0)
    places = [linear[order[0]], linear[order[0]] - numpy.delete(linear, order[0]).max()]
    return [glance, best, best - score[order[1]]] + places + [v for value, mean in zip(values, means) for v in (value, None if value is None else value - mean)]


def readings(piece: dict) -> list:
    return [piece["reading"]] + (piece["match"] or [None] * (len(READINGS) - 1))


class Trees:
    """Boosted trees for the log odds of a label; what is not known goes its own way."""

    def __init__(self, names: list[str], leaves: int, least: int, trees: int = 200):
        self.names = names
        self.settings = dict(objective="binary", num_leaves=leaves, learning_rate=0.06, min_data_in_leaf=least, lambda_l2=5, verbose=-1, num_threads=2, seed=1, deterministic=True, force_row_wise=True)
        self.trees = trees

    def fit(self, x: numpy.ndarray, y: numpy.ndarray, weight: numpy.ndarray):
        # Weights of mean 1: what a leaf must hold is counted in rows.
        self.model = lightgbm.train(self.settings, lightgbm.Dataset(x, label=y, weight=weight / weight.mean()), self.trees)
        return self

    def logit(self, x: numpy.ndarray) -> numpy.ndarray:
        return self.model.predict(x, raw_score=True)

    def artifact(self) -> dict:
        return dict(features=self.names, trees=trees_of(self.model, 5))


def known(row: list) -> list:
    return [numpy.nan if value is None else value for value in row]


def choice_rows(pieces: list[dict], glance: numpy.ndarray, linear: numpy.ndarray) -> numpy.ndarray:
    """Of each piece that was read what `CHOICE` names, as src/write/reading-features.ts."""
    told = numpy.array([known(readings(piece)) for piece in pieces], dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        beside = numpy.stack([told - numpy.nanmean(told, axis=0), told - numpy.nanmax(told, axis=0)], axis=2).reshape(len(pieces), -1)
    places = numpy.stack([glance, glance - glance.max(), linear, linear - linear.max(), linear - linear.mean()], axis=1)
    measured = numpy.array([known(piece["x"]) for piece in pieces], dtype=float)
    return numpy.concatenate([told, measured, beside, places], axis=1)


class Model:
    """Everything that is learned. What learns from scores learns from those of a model that did not see the question; figures are of the same."""

    def __init__(self, names: list[str], gate_names: list[str]):
        self.glance, self.read = Chooser(names), Chooser(names, READ_L2, read=True)
        self.answer = Gate([f"piece.{name}" for name in names] + GATE_OWN + gate_names, GATE_L2)
        self.choice = Trees(READINGS + names + CHOICE_PLACES, leaves=15, least=60)
        self.read_answer = Gate(READ_GATE, READ_GATE_L2)

    def fit(self, questions: list[dict]):
        folds = numpy.array([fold_of(q["group"]) for q in questions])
        weight = set_weights(questions)
        apart = lambda fold: (numpy.nonzero(folds != fold)[0], numpy.nonzero(folds == fold)[0])
        read: list = [None] * len(questions)
        for fold in range(FOLDS):
            inside, outside = apart(fold)
            some = [questions[i] for i in inside]
            self.glance.fit(some)
            self.read.fit(some)
            for i in outside:
                read[i] = self.look(questions[i])
        rows = [gate_row(q, glance) for q, (glance, *_) in zip(questions, read)]
        glanced = numpy.array([float(q["pieces"][int(numpy.argmax(glance))]["y"]) for q, (glance, *_) in zip(questions, read)])
        x = [choice_rows(pieces, first, linear) for _, pieces, first, linear in read]
        y = [numpy.array([float(piece["y"]) for piece in pieces]) for _, pieces, *_ in read]
        each = [numpy.full(len(own), w) for own, w in zip(y, weight)]
        odds, score = numpy.zeros(len(questions)), [None] * len(questions)
        for fold in range(FOLDS):
            inside, outside = apart(fold)
            part = Gate(self.answer.names, GATE_L2).fit([rows[i] for i in inside], glanced[inside], weight[inside])
            odds[outside] = part.logit([rows[i] for i in outside])
            self.choice.fit(*(numpy.concatenate([of[i] for i in inside]) for of in (x, y, each)))
            for i in outside:
                score[i] = self.choice.logit(x[i])
        right = numpy.array([own[int(numpy.argmax(s))] for own, s in zip(y, score)])
        last = [read_row(odd, pieces, s, linear) for odd, (_, pieces, _, linear), s in zip(odds, read, score)]
        chance = numpy.zeros(len(questions))
        for fold in range(FOLDS):
            inside, outside = apart(fold)
            part = self.read_answer.fit([last[i] for i in inside], right[inside], weight[inside])
            chance[outside] = part.logit([last[i] for i in outside])
        self.judged = [dict(glance=g, right=r, chance=1 / (1 + numpy.exp(-c))) for g, r, c in zip(glanced, right, chance)]
        self.curve = curve([(q["pieces"], glance) for q, (glance, *_) in zip(questions, read)], weight)
        self.read_curve = curve([(pieces, linear) for _, pieces, _, linear in read], weight)
        self.glance.fit(questions)
        self.read.fit(questions)
        self.answer.fit(rows, glanced, weight)
        self.choice.fit(*(numpy.concatenate(of) for of in (x, y, each)))
        self.read_answer.fit(last, right, weight)
        some = numpy.linspace(0, len(questions) - 1, PARITY_ROWS).astype(int)
        self.parity = parity(self.choice, numpy.stack([x[i][0] for i in some]))
        return self

    def look(self, question: dict) -> tuple[numpy.ndarray, list[dict], numpy.ndarray, numpy.ndarray]:
        """Scores at a glance, the pieces that are read, their scores at a glance, and those of the linear part."""
        glance = self.glance.score(question["pieces"])
        order = numpy.argsort(-glance)[:READ_PIECES]
        pieces = [question["pieces"][i] for i in order]
        return glance, pieces, glance[order], self.read.score(pieces)

    def judge(self, question: dict) -> dict:
        glance, pieces, first, linear = self.look(question)
        row = gate_row(question, glance)
        odds = float(self.answer.logit([row])[0])
        score = self.choice.logit(choice_rows(pieces, first, linear))
        chance = float(self.read_answer.logit([read_row(odds, pieces, score, linear)])[0])
        return dict(glance=question["pieces"][int(numpy.argmax(glance))]["y"], right=pieces[int(numpy.argmax(score))]["y"], chance=1 / (1 + numpy.exp(-chance)))


def parity(trees: Trees, rows: numpy.ndarray) -> list[dict]:
    """Rows, `null` where nothing is known, with their log odds."""
    return [dict(values=[None if numpy.isnan(v) else float(v) for v in row], logit=float(z)) for row, z in zip(rows, trees.logit(rows))]


def curve(pieces: list[tuple[list[dict], numpy.ndarray]], weight: numpy.ndarray) -> list[float]:
    """Slope and offset from the score of a piece to its chance."""
    score = numpy.concatenate([s for _, s in pieces])
    label = numpy.concatenate([[float(piece["y"]) for piece in own] for own, _ in pieces])
    each = numpy.concatenate([[w] * len(own) for w, (own, _) in zip(weight, pieces)])
    return [float(v) for v in fit_logistic(score[:, None], label, each, 0)]


def report(name: str, questions: list[dict], judged: list[dict]) -> None:
    right, chance = numpy.array([one["right"] for one in judged]), numpy.array([one["chance"] for one in judged])
    answerable = [i for i, q in enumerate(questions) if any(piece["y"] for piece in q["pieces"])]
    glance = sum(judged[i]["glance"] for i in answerable)
    auroc = f"{roc_auc_score(right, chance):.3f}" if 0 < right.sum() < len(right) else "-"
    order, tops = numpy.argsort(-chance), []
    for share in (0.1, 0.2, 0.3, 0.4):
        shown = order[: int(share * len(order))]
        tops.append(f"{right[shown].sum()}/{len(shown)}")
    print(f"  {name:28} n {len(questions):5} best piece of {len(answerable):4}: {glance} at a glance, {right.sum()} read; AUROC {auroc}; right of the surest {' '.join(tops)}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True, nargs="+", help="of the sets, and of written collections")
    options.add_argument("--check", type=Path, nargs="*", default=[], help="questions that nothing is learned from")
    options.add_argument("--out", type=Path)
    options.add_argument("--parity", type=Path, help="gets rows with the log odds of both sets of trees, for the test of the product")
    options.add_argument("--date", default="")
    args = options.parse_args()
    parts = [read(path) for path in args.rows]
    names, gate_names, _ = parts[0]
    if any(part[:2] != (names, gate_names) for part in parts):
        raise SystemExit("the files hold other features: dump them again with one version")
    questions = [dict(q, rows=path) for path, part in zip(args.rows, parts) for q in part[2] if q["pieces"]]
    model = Model(names, gate_names).fit(questions)
    judged = model.judged
    print("cross-fitted:")
    for name in sorted(set(q["set"] for q in questions)):
        of = [i for i, q in enumerate(questions) if q["set"] == name]
        report(name, [questions[i] for i in of], [judged[i] for i in of])
    for path in args.rows:
        of = [k for k, q in enumerate(questions) if q["rows"] == path]
        report(path.name, [questions[k] for k in of], [judged[k] for k in of])
    for path in args.check:
        others = [q for q in read(path)[2] if q["pieces"]]
        report(path.name, others, [model.judge(q) for q in others])
    if args.out is None:
        return
    args.out.mkdir(parents=True, exist_ok=True)
    if args.parity is not None:
        args.parity.write_text(json.dumps(model.parity, separators=(",", ":")) + "\n")
    data = hashlib.sha256(b"".join(path.read_bytes() for path in args.rows)).hexdigest()
    (args.out / "chooser.json").write_text(
        json.dumps(
            dict(
                name="chooser-3",
                recipe="lab/train/chooser",
                date=args.date,
                data=data,
                piece=dict(model.glance.artifact(), chance=model.curve),
                answer=model.answer.artifact(),
                reader=reader_id(),
                read=dict(model.read.artifact(), chance=model.read_curve),
                choice=model.choice.artifact(),
                read_answer=model.read_answer.artifact(),
                threshold=dict(minimum=0.5, rule="not chosen: threshold.py does"),
            ),
            separators=(",", ":"),
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
