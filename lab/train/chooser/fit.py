"""Learns the chooser and the gate from what `dump.ts` measured: `python3 fit.py --rows rows.jsonl.gz written.jsonl.gz [--following following.jsonl] --out DIR`.

Chooser: one linear score of a piece, listwise over all pieces of a question (the sum of the chances of those that answer), L2; and the same once more with the
reading of each piece beside, from the questions whose pieces were read by a reader that did not see them. Gate: logistic over what the best pieces of a question say, at a glance and after reading; right = the best piece answers, or what is quoted behind it.
What is quoted behind it: logistic over what `following.ts` read with the chooser that was learned before. Without those rows it is not asked.
Figures are cross-fitted: by source document, and of written collections by collection.
"""

import argparse
import gzip
import hashlib
import json
from collections import defaultdict
from pathlib import Path

import numpy
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

FOLDS = 5
# Chosen by leaving one set out in turn (LOG.md): weaker holds worse on a set that was not seen.
GATE_L2 = 3e-2
# The same of the score of a piece that was read, and of the chance after reading (LOG.md).
READ_L2 = 3e-2
READ_GATE_L2 = 5e-2
# As src/write/read-pieces.ts: pieces read beside the question at most, how far below the best at a glance they may lie, and how many of them are read alone too.
READ_PIECES = 10
READ_WITHIN = 3
READ_ALONE = 4
# Of what is quoted behind the best piece at least so many answer: about one answer in seven is a sentence longer for it.
FOLLOWING_RIGHT = 0.3
FOLLOWING_L2 = 1e-3
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
        self.weights = fit_listwise((x - self.mean) / self.scale, label, group, set_weights([q["set"] for q in asked]), self.l2)
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
# What reading says of a piece, as src/write/chooser-weights.ts: log odds of question and piece read together, and the cosine of both read alone.
READINGS = ["cross", "reading"]
# The cosine helps to choose; in the chance it is worth nothing beside the log odds. The reader says less of a table's row than of a sentence (LOG.md).
READ_GATE = ["glance", "score", "score.ahead", "cross", "cross.above", "row"]
# As src/write/chooser-weights.ts: what the chance is made of that what stands behind the best piece answers too.
FOLLOWING = ["following", "together", "best", "best.chance", "paragraph"]


def gate_row(question: dict, score: numpy.ndarray) -> list:
    """What the scores of a question's pieces say; the product measures the same (src/answer/decide.ts)."""
    falling = numpy.sort(score)[::-1]
    best = falling[0]
    own = [best, best - falling[1] if len(falling) > 1 else ALONE, float(numpy.log(numpy.exp(score - best).sum()))]
    return question["pieces"][int(numpy.argmax(score))]["x"] + own + question["gate"]


def read_row(glance: float, pieces: list[dict], score: numpy.ndarray, row: int) -> list:
    """What is known after reading, beside the log odds at a glance; `pieces` were read beside the question, most likely first, and as many as have a score alone too; `row`: the place of that figure among a piece's."""
    order = numpy.argsort(-score)
    best = score[order[0]]
    first = pieces[order[0]]
    cross, is_row = first["cross"], first["x"][row]
    if len(pieces) == 1:
        return [glance, best, None, cross, None, is_row]
    return [glance, best, best - score[order[1]], cross, cross - sum(piece["cross"] for piece in pieces) / len(pieces), is_row]


def readings(piece: dict) -> list:
    return [piece[name] for name in READINGS]


class Following:
    """What stands behind the best piece: the chance that it answers too, and from which chance on it is quoted. By collections that the reader did not learn from."""

    def __init__(self, path: Path):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        x, y = [row["x"] for row in rows], numpy.array([float(row["y"]) for row in rows])
        folds = numpy.array([fold_of(f"following {row['set']}") for row in rows])
        odds = numpy.zeros(len(rows))
        for fold in range(FOLDS):
            inside, outside = numpy.nonzero(folds != fold)[0], numpy.nonzero(folds == fold)[0]
            odds[outside] = self.learn([x[i] for i in inside], y[inside]).logit([x[i] for i in outside])
        chance = 1 / (1 + numpy.exp(-odds))
        self.minimum = next(cut / 100 for cut in range(1, 100) if y[chance >= cut / 100].mean() >= FOLLOWING_RIGHT)
        shown = chance >= self.minimum
        print(f"behind the best piece: AUROC {roc_auc_score(y, chance):.3f}, {int(y.sum())} of {len(y)} answer; from {self.minimum} {int(y[shown].sum())} of {shown.sum()}")
        self.model = self.learn(x, y)
        self.rows = {(row["set"], row["question"]): (row["place"], bool(row["y"] and quoted)) for row, quoted in zip(rows, shown)}

    def learn(self, x: list[list[float]], y: numpy.ndarray) -> Gate:
        return Gate(FOLLOWING, FOLLOWING_L2).fit(x, y, numpy.ones(len(y)))

    def answers(self, question: dict, best: dict) -> bool:
        """Does what is quoted behind the best piece answer? Nothing is known where another piece was the best."""
        if question["removed"] or question["form"].startswith("note"):
            return False
        place, answers = self.rows.get((question["set"], question["question"]), (None, False))
        return answers and place == best["place"]

    def artifact(self) -> dict:
        return dict(self.model.artifact(), minimum=self.minimum)


def were_read(questions: list[dict]) -> list[dict]:
    return [q for q in questions if "cross" in q["pieces"][0]]


class Model:
    """Everything that is learned, from some of the questions."""

    def __init__(self, names: list[str], gate_names: list[str], following: Following | None):
        self.following, self.row = following, names.index("row")
        self.glance, self.read = Chooser(names), Chooser(names, READ_L2, read=True)
        self.answer = Gate([f"piece.{name}" for name in names] + GATE_OWN + gate_names, GATE_L2)
        self.read_answer = Gate(READ_GATE, READ_GATE_L2)

    def fit(self, questions: list[dict]):
        """The gates learn from scores of a chooser that did not see the question."""
        folds = numpy.array([fold_of(f"inner {q['group']}") for q in questions])
        seen: list = [None] * len(questions)
        for fold in range(FOLDS):
            inside = [q for q, f in zip(questions, folds) if f != fold]
            self.glance.fit(inside)
            self.read.fit(were_read(inside))
            for i in numpy.nonzero(folds == fold)[0]:
                seen[i] = self.choose(questions[i])
        weight = set_weights([q["set"] for q in questions])
        rows = [gate_row(q, glance) for q, (glance, *_) in zip(questions, seen)]
        right = numpy.array([float(q["pieces"][int(numpy.argmax(glance))]["y"]) for q, (glance, *_) in zip(questions, seen)])
        self.answer.fit(rows, right, weight)
        # Of the log odds at a glance too only what was not learned from the question.
        odds = numpy.zeros(len(questions))
        for fold in range(FOLDS):
            inside, outside = numpy.nonzero(folds != fold)[0], numpy.nonzero(folds == fold)[0]
            part = Gate(self.answer.names, GATE_L2).fit([rows[i] for i in inside], right[inside], weight[inside])
            odds[outside] = part.logit([rows[i] for i in outside])
        read = [i for i, (_, _, score) in enumerate(seen) if score is not None]
        answered = numpy.array([float(self.is_right(questions[i], *seen[i][1:])) for i in read])
        self.read_answer.fit([read_row(odds[i], *seen[i][1:], self.row) for i in read], answered, weight[read])
        self.curves = [
            curve([(q["pieces"], one[0]) for q, one in zip(questions, seen)], weight),
            curve([(seen[i][1][:READ_ALONE], seen[i][2]) for i in read], weight[read]),
        ]
        self.glance.fit(questions)
        self.read.fit(were_read(questions))
        return self

    def choose(self, question: dict) -> tuple[numpy.ndarray, list[dict], numpy.ndarray | None]:
        """Scores at a glance, the pieces that are read, most likely first, and the scores of those read alone too; `None`: no reader that did not see the question read them."""
        glance = self.glance.score(question["pieces"])
        order = numpy.argsort(-glance, kind="stable")[:READ_PIECES]
        pieces = [question["pieces"][i] for i in order if glance[i] >= glance[order[0]] - READ_WITHIN]
        if "cross" not in pieces[0]:
            return glance, pieces, None
        pieces.sort(key=lambda piece: -piece["cross"])
        return glance, pieces, self.read.score(pieces[:READ_ALONE])

    def is_right(self, question: dict, pieces: list[dict], score: numpy.ndarray) -> bool:
        """Does what would be shown answer?"""
        best = pieces[int(numpy.argmax(score))]
        return bool(best["y"]) or (self.following is not None and self.following.answers(question, best))

    def judge(self, question: dict) -> dict:
        glance, pieces, score = self.choose(question)
        odds = float(self.answer.logit([gate_row(question, glance)])[0])
        read = float(self.read_answer.logit([read_row(odds, pieces, score, self.row)])[0])
        best = question["pieces"][int(numpy.argmax(glance))]["y"]
        return dict(glance=best, right=int(self.is_right(question, pieces, score)), odds=odds, chance=1 / (1 + numpy.exp(-read)))


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
    options.add_argument("--following", type=Path, help="what stands behind the pieces that the chooser of before put first")
    options.add_argument("--check", type=Path, help="questions that nothing is learned from")
    options.add_argument("--out", type=Path)
    options.add_argument("--date", default="")
    args = options.parse_args()
    parts = [read(path) for path in args.rows]
    names, gate_names, _ = parts[0]
    if any(part[:2] != (names, gate_names) for part in parts):
        raise SystemExit("the files hold other features: dump them again with one version")
    questions = [dict(q, rows=path) for path, part in zip(args.rows, parts) for q in part[2] if q["pieces"]]
    following = None if args.following is None else Following(args.following)
    model = Model(names, gate_names, following)
    folds = numpy.array([fold_of(q["group"]) for q in questions])
    judged: list = [None] * len(questions)
    for fold in range(FOLDS):
        model.fit([q for q, f in zip(questions, folds) if f != fold])
        for i in numpy.nonzero(folds == fold)[0]:
            judged[i] = model.judge(questions[i]) if "cross" in questions[i]["pieces"][0] else None
    print("cross-fitted:")
    for name in sorted(set(q["set"] for q in questions)):
        of = [i for i, q in enumerate(questions) if q["set"] == name and judged[i] is not None]
        if of:
            report(name, [questions[i] for i in of], [judged[i] for i in of])
    for path in args.rows:
        of = [k for k, q in enumerate(questions) if q["rows"] == path and judged[k] is not None]
        report(path.name, [questions[k] for k in of], [judged[k] for k in of])
    model.fit(questions)
    if args.check is not None:
        others = [q for q in read(args.check)[2] if q["pieces"]]
        report(args.check.name, others, [model.judge(q) for q in others])
    for part in (model.read, model.read_answer):
        print([(name, round(float(value), 2)) for name, value in sorted(zip(part.names, part.weights), key=lambda pair: -abs(pair[1]))][:20])
    if args.out is None:
        return
    args.out.mkdir(parents=True, exist_ok=True)
    files = args.rows if args.following is None else [*args.rows, args.following]
    data = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    (args.out / "chooser.json").write_text(
        json.dumps(
            dict(
                name="chooser-3",
                recipe="lab/train/chooser",
                date=args.date,
                data=data,
                piece=dict(model.glance.artifact(), chance=model.curves[0]),
                answer=model.answer.artifact(),
                reader=reader_id(),
                read=dict(model.read.artifact(), chance=model.curves[1]),
                read_answer=model.read_answer.artifact(),
                following=None if following is None else following.artifact(),
                threshold=dict(minimum=0.5, rule="not chosen: threshold.py does"),
            ),
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
