"""Learns the chance that a passage answers a question, from what dump.mjs wrote: python train.py --help"""

import argparse
import hashlib
import json
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

REPORTED = ("covid-qa",)  # never learned from, and no cut was chosen on them
LEFT_OUT = ("tatqa",)  # a report is one or two passages: nothing to choose from, and five of six answer
FOLDS = 5
C = 0.01
PRECISION = 0.75  # of the passages called verified, on passages that the weights never saw
LOST = 0.05  # of the passages that answer, called rejected
PARTS = ("consistency", "agreement")

warnings.filterwarnings("ignore", message="Mean of empty")


def weights_of(sets):
    """Every set counts the same."""
    w = np.zeros(len(sets))
    for name in np.unique(sets):
        w[sets == name] = 1 / (sets == name).sum()
    return w / w.mean()


def fit(x, y, w):
    """Weight of each feature per unit, what it counts as where it is not known, and the score of a passage with all at their means."""
    mean = np.nan_to_num(np.nanmean(x, 0))
    filled = np.where(np.isnan(x), mean, x) - mean
    scale = filled.std(0)
    scale[scale < 1e-9] = 1
    model = LogisticRegression(C=C, max_iter=5000).fit(filled / scale, y, sample_weight=w)
    return {"mean": mean, "weight": model.coef_[0] / scale, "bias": model.intercept_[0]}


def score(model, x):
    filled = np.where(np.isnan(x), model["mean"], x)
    return (filled - model["mean"]) @ model["weight"] + model["bias"]


def curve(z, y, w):
    return LogisticRegression(C=1e6, max_iter=5000).fit(z, y, sample_weight=w)


def log_loss(p, y, w):
    return float(-np.average(np.where(y == 1, np.log(p), np.log(1 - p)), weights=w))


def calibration_error(p, y, w, bins=10):
    place = np.minimum((p * bins).astype(int), bins - 1)
    total = 0.0
    for b in range(bins):
        here = place == b
        if here.any():
            mass = w[here].sum()
            total += mass * abs((w[here] * p[here]).sum() / mass - (w[here] * y[here]).sum() / mass)
    return float(total / w.sum())


def combined(columns, z, y, w, fold):
    """Chances of the logistic curve over these columns, each by a curve that never saw its fold."""
    p = np.zeros(len(y))
    for f in range(FOLDS):
        rest = fold != f
        p[~rest] = curve(z[rest][:, columns], y[rest], w[rest]).predict_proba(z[~rest][:, columns])[:, 1]
    return p


def cuts_of(v, y, w):
    """The lowest score from which on the precision is reached, and the highest below which at most the share of answering passages is lost."""
    order = np.argsort(-v, kind="stable")
    precision = np.cumsum((w * y)[order]) / np.cumsum(w[order])
    verified = v[order][np.flatnonzero(precision >= PRECISION)[-1]]
    gold = np.argsort(v[y == 1], kind="stable")
    lost = np.cumsum(w[y == 1][gold]) / w[y == 1].sum()
    rejected = v[y == 1][gold][np.flatnonzero(lost > LOST)[0]]
    return float(verified), float(rejected)


def at_cuts(v, y, w, cuts):
    shown, dropped = v >= cuts[0], v < cuts[1]
    share = lambda part, whole: round(float(w[part].sum() / max(w[whole].sum(), 1e-12)), 4)
    return {
        "passages": len(y),
        "answer": int(y.sum()),
        "verified": int(shown.sum()),
        "rejected": int(dropped.sum()),
        "verified.precision": share(shown & (y == 1), shown),
        "rejected.lost": share(dropped & (y == 1), y == 1),
    }


def number(value):
    return float(f"{value:.7g}")


def export(model, names):
    return {
        "features": list(names),
        "fill": [number(m) for m in model["mean"]],
        "linear": [number(w) for w in model["weight"]],
        "bias": number(model["bias"]),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--folds", required=True, help="weights learned without each fold, for cross-fitted figures")
    parser.add_argument("--date", required=True)
    flags = parser.parse_args()
    raw = open(flags.dump, "rb").read()
    dump = json.loads(raw)
    rows = dump["rows"]
    known = lambda value: np.nan if value is None else value
    x = np.array([[known(v) for v in row["x"]] for row in rows], float)
    y = np.array([row["y"] for row in rows])
    sets = np.array([row["set"] for row in rows])
    fold = np.array([int(hashlib.sha256(row["cluster"].encode()).hexdigest()[:8], 16) % FOLDS for row in rows])
    reported = np.isin(sets, REPORTED + LEFT_OUT)
    learned = ~reported
    w = np.zeros(len(y))
    w[learned] = weights_of(sets[learned])

    without = [fit(x[t], y[t], weights_of(sets[t])) for t in (learned & (fold != f) for f in range(FOLDS))]
    model = fit(x[learned], y[learned], w[learned])
    s = np.zeros(len(y))
    for f in range(FOLDS):
        s[learned & (fold == f)] = score(without[f], x[learned & (fold == f)])
    s[reported] = score(model, x[reported])

    # What a part lacks of 1 counts against the passage; what is not known counts nothing.
    lack = {part: np.array([0 if row[part] is None else 1 - row[part] for row in rows]) for part in PARTS}
    z = np.column_stack([s, *lack.values()])
    at = np.flatnonzero(learned)
    loss = lambda columns: log_loss(combined(columns, z[at], y[at], w[at], fold[at]), y[at], w[at])
    kept, best = [0], loss([0])
    print(f"log loss, cross-fitted: relevance {best:.5f}")
    for i, part in enumerate(PARTS, 1):
        with_part = loss([*kept, i])
        weight = curve(z[at][:, [*kept, i]], y[at], w[at]).coef_[0, -1]
        helps = with_part < best and weight < 0
        print(f"  with {part} {with_part:.5f}, weight {weight:.3f}: {'kept' if helps else 'adds nothing, weight 0'}")
        if helps:
            kept, best = [*kept, i], with_part
    v = np.zeros(len(y))
    v[at] = combined(kept, z[at], y[at], w[at], fold[at])
    final = curve(z[at][:, kept], y[at], w[at])
    v[reported] = final.predict_proba(z[reported][:, kept])[:, 1]
    weights = dict(zip(kept, final.coef_[0]))
    combine = {"offset": number(final.intercept_[0]), "relevance": number(weights[0])}
    combine |= {part: number(weights.get(i, 0)) for i, part in enumerate(PARTS, 1)}

    cuts = cuts_of(v[at], y[at], w[at])
    measured = {}
    systems = ("words", "cosine", "bm25", "rerank")
    for name in dict.fromkeys(sets):
        here = sets == name
        area = lambda values: round(float(roc_auc_score(y[here], values)), 4)
        others = {k: area(np.array([-9 if r["systems"][k] is None else r["systems"][k] for r in np.array(rows)[here]])) for k in systems}
        ones = np.ones(here.sum())
        measured[name] = {
            "auroc": area(s[here]),
            "auroc.score": area(v[here]),
            **{f"auroc.{k}": a for k, a in others.items()},
            "calibration_error": round(calibration_error(v[here], y[here], ones), 4),
            **at_cuts(v[here], y[here], ones, cuts),
        }
        print(f"{name:12s} {measured[name]}")
    of_all = at_cuts(v[at], y[at], w[at], cuts)
    error = calibration_error(v[at], y[at], w[at])
    print("cuts", cuts, of_all, f"calibration error {error:.4f}", combine)
    recipe = hashlib.sha256(open(__file__, "rb").read()).hexdigest()[:12]
    data = hashlib.sha256(raw).hexdigest()
    artifact = {
        "name": "sourcebound-relevance-1",
        "recipe": recipe,
        "date": flags.date,
        "seed": 0,
        "data": data,
        "passages": int(learned.sum()),
        "passage": export(model, dump["names"]),
        "combine": combine,
        "cuts": {
            "verified": round(cuts[0], 6),
            "rejected": round(cuts[1], 6),
            "rule": f"verified: {PRECISION:.0%} of them answer; rejected: at most {LOST:.0%} of those that answer",
            "precision": of_all["verified.precision"],
            "lost": of_all["rejected.lost"],
        },
        "measured": {"cross_fitted_calibration_error": round(error, 4), "sets": measured},
    }
    folds = {"recipe": recipe, "data": data, "folds": [export(one, dump["names"]) for one in without]}
    for path, content in ((flags.out, artifact), (flags.folds, folds)):
        with open(path, "w") as file:
            json.dump(content, file, indent=1)
            file.write("\n")


main()
