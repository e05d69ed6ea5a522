"""Learns the chance of an answer from what readings say of golden questions: `python3 combine.py --readings readings.jsonl --weights chooser.json`.

Three figures, on eight domains, because the sets that the rest is learned from were also learned from by the encoder that a glance rests on: there a reading
adds nothing (LOG.md). Printed is what each half of the domains gives on the other; written is what all give, and with it the threshold: the lowest hundredth
from which at most 15 % of what is shown is wrong.
"""

import argparse
import json
from pathlib import Path

import numpy
from sklearn.metrics import roc_auc_score

from fit import fit_logistic

FEATURES = ["glance", "score.ahead", "reading"]
HALVES = [{"book", "covid-qa", "fda-drug-labels", "manuals"}, {"va", "book", "medquad", "manuals"}]
# Strong: a few hundred questions.
L2 = 0.05
WRONG = 0.15
# As src/write/answer-chance.ts: beyond it a reading raises no chance.
MOSTLY_UNKNOWN = 0.5


def learn(x: numpy.ndarray, y: numpy.ndarray):
    mean, scale = x.mean(axis=0), x.std(axis=0)
    return fit_logistic((x - mean) / scale, y, numpy.ones(len(y)), L2), mean, scale


def chances(x: numpy.ndarray, unknown: numpy.ndarray, learned) -> numpy.ndarray:
    w, mean, scale = learned
    read = 1 / (1 + numpy.exp(-(((x - mean) / scale) @ w[:-1] + w[-1])))
    glance = 1 / (1 + numpy.exp(-x[:, 0]))
    return numpy.where(unknown > MOSTLY_UNKNOWN, numpy.minimum(read, glance), read)


def threshold_of(chance: numpy.ndarray, right: numpy.ndarray) -> tuple[float, int, int]:
    """The lowest hundredth from which at most 15 % of what is shown is wrong."""
    for hundredth in range(1, 100):
        shown = chance >= hundredth / 100
        if shown.any() and 1 - right[shown].mean() <= WRONG:
            return hundredth / 100, int(shown.sum()), int(right[shown].sum())
    return 1.0, 0, 0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--readings", type=Path, required=True)
    options.add_argument("--weights", type=Path, required=True, help="chooser.json, which gets the figures")
    args = options.parse_args()
    rows = [json.loads(line) for line in args.readings.read_text().splitlines()]
    rows = [row for row in rows if row["shown"] and row["glance"] is not None and row["score_ahead"] is not None]
    x = numpy.array([[row["glance"], row["score_ahead"], row["reading"]] for row in rows])
    y = numpy.array([bool(row["right"]) for row in rows], dtype=float)
    unknown = numpy.array([row["unknown"] for row in rows])
    domain = numpy.array([row["domain"] for row in rows])
    print(f"{len(rows)} answers, {int(y.sum())} right; at a glance AUROC {roc_auc_score(y, x[:, 0]):.3f}")
    for half in HALVES:
        crossed = numpy.zeros(len(y))
        for inside in (numpy.isin(domain, list(half)), ~numpy.isin(domain, list(half))):
            crossed[~inside] = chances(x[~inside], unknown[~inside], learn(x[inside], y[inside]))
        least, shown, right = threshold_of(crossed, y)
        print(f"by halves ({', '.join(sorted(half))}): AUROC {roc_auc_score(y, crossed):.3f}; from {least}: {shown} shown, {right} right")
    learned = learn(x, y)
    least, shown, right = threshold_of(chances(x, unknown, learned), y)
    print(f"all: from {least}: {shown} shown, {right} right")
    weights = json.loads(args.weights.read_text())
    w, mean, scale = learned
    weights["read_answer"] = dict(
        features=FEATURES, fill=mean.tolist(), scale=scale.tolist(), linear=w[:-1].tolist(), bias=float(w[-1])
    )
    weights["threshold"].update(
        minimum=least, rule=f"at most 15 % of what is shown wrong: the lowest hundredth that holds it on eight domains, {shown - right} of {shown}"
    )
    args.weights.write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
