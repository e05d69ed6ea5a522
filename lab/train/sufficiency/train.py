"""Learns the chance that the evidence answers a question, from what dump.mjs wrote: python train.py --help"""

import argparse
import hashlib
import json
import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

REPORTED = "validation"  # part of the real collections: never learned from; the threshold is chosen on it
FOLDS = 5
NEAR = 0.6  # weight of near misses among the unanswerable questions of a set
LINEAR_C = 0.01
TREES, RATE, DEPTH, LEAF, L2 = 200, 0.05, 3, 30, 5.0
ANSWERED = 0.9  # share of the answerable questions that the shipped threshold answers
LEFT_OUT = {"question.orders"}  # orders to the system are refused by a rule
BY_VECTORS = ("dense.", "rerank.", "agree.first")

warnings.filterwarnings("ignore", message="All-NaN|Mean of empty")


def weights_of(sets, kinds, y):
    """Every set counts the same, and in it both answers do."""
    w = np.zeros(len(y))
    for name in np.unique(sets):
        for answer in (0, 1):
            here = (sets == name) & (y == answer)
            near = here & (kinds == "near_miss")
            far = here & ~near
            if answer == 1:
                w[here] = 1 / max(1, here.sum())
            else:
                w[near] = (NEAR if far.any() else 1) / max(1, near.sum())
                w[far] = (1 - NEAR if near.any() else 1) / max(1, far.sum())
    return w / w.mean()


def fit(x, y, w):
    fill = np.nan_to_num(np.nanmean(x, 0))
    filled = np.where(np.isnan(x), fill, x)
    scale = filled.std(0)
    scale[scale < 1e-9] = 1
    linear = LogisticRegression(C=LINEAR_C, max_iter=5000).fit((filled - fill) / scale, y, sample_weight=w)
    trees = HistGradientBoostingClassifier(
        max_iter=TREES, learning_rate=RATE, max_depth=DEPTH, min_samples_leaf=LEAF, l2_regularization=L2, random_state=0
    ).fit(x, y, sample_weight=w)
    return {"fill": fill, "scale": scale, "linear": linear, "trees": trees}


def score(model, x):
    filled = np.where(np.isnan(x), model["fill"], x)
    return model["linear"].decision_function((filled - model["fill"]) / model["scale"]) + model["trees"].decision_function(x)


def platt(s, y, w):
    """Slope and offset of the logistic curve from score to chance."""
    curve = LogisticRegression(C=1e6).fit(s[:, None], y, sample_weight=w)
    return float(curve.coef_[0, 0]), float(curve.intercept_[0])


def chance(s, curve):
    return 1 / (1 + np.exp(-(curve[0] * s + curve[1])))


def calibration_error(p, y, w, bins=10):
    place = np.minimum((p * bins).astype(int), bins - 1)
    total = 0.0
    for b in range(bins):
        here = place == b
        if here.any():
            mass = w[here].sum()
            total += mass * abs((w[here] * p[here]).sum() / mass - (w[here] * y[here]).sum() / mass)
    return total / w.sum()


def trees_of(predictors):
    """Nodes of all trees in one list each, as src/models/weights/scorer.ts reads them; a child below 0 is leaf -1 - child, counted over all trees."""
    out = {"roots": [], "feature": [], "threshold": [], "left": [], "right": [], "missing": [], "leaves": []}

    def add(nodes, place):
        n = nodes[place]
        if n["is_leaf"]:
            out["leaves"].append(round(float(n["value"]), 7))
            return -len(out["leaves"])
        at = len(out["feature"])
        for key, value in (
            ("feature", int(n["feature_idx"])),
            ("threshold", float(f"{n['num_threshold']:.9g}")),
            ("missing", int(n["missing_go_to_left"])),
            ("left", 0),
            ("right", 0),
        ):
            out[key].append(value)
        out["left"][at] = add(nodes, n["left"])
        out["right"][at] = add(nodes, n["right"])
        return at

    for predictor in predictors:
        out["roots"].append(add(predictor.nodes, 0))
    return out


def export(model, curve):
    return {
        "fill": [float(f"{v:.7g}") for v in model["fill"]],
        "scale": [float(f"{v:.7g}") for v in model["scale"]],
        "linear": [float(f"{v:.7g}") for v in model["linear"].coef_[0]],
        "bias": float(f"{model['linear'].intercept_[0] + model['trees']._baseline_prediction[0, 0]:.9g}"),
        "trees": trees_of([p[0] for p in model["trees"]._predictors]),
        "chance": [float(f"{v:.9g}") for v in curve],
    }


def figures(s, y, kinds):
    near = (y == 1) | (kinds == "near_miss")
    return {"auroc": round(roc_auc_score(y, s), 4), "auroc.near_miss": round(roc_auc_score(y[near], s[near]), 4)}


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
    x_all = np.array([[np.nan if v is None else v for v in row["x"]] for row in rows], float)
    y = np.array([row["y"] for row in rows])
    sets = np.array([row["set"] for row in rows])
    kinds = np.array([row["kind"] for row in rows])
    fold = np.array([int(hashlib.sha256(row["cluster"].encode()).hexdigest()[:8], 16) % FOLDS for row in rows])
    orders = x_all[:, dump["names"].index("question.orders")] > 0
    reported = sets == REPORTED
    learned = ~reported & ~orders
    models = {}
    for name in ("vectors", "words"):
        columns = [
            i for i, n in enumerate(dump["names"]) if n not in LEFT_OUT and (name == "vectors" or not n.startswith(BY_VECTORS))
        ]
        x = x_all[:, columns]
        w = np.zeros(len(y))
        w[learned] = weights_of(sets[learned], kinds[learned], y[learned])
        out = np.zeros(len(y))
        without = []
        for f in range(FOLDS):
            train = learned & (fold != f)
            test = learned & (fold == f)
            without.append(fit(x[train], y[train], weights_of(sets[train], kinds[train], y[train])))
            out[test] = score(without[f], x[test])
        p = np.zeros(len(y))
        for f in range(FOLDS):
            train, test = learned & (fold != f), learned & (fold == f)
            p[test] = chance(out[test], platt(out[train], y[train], w[train]))
        model = fit(x[learned], y[learned], w[learned])
        curve = platt(out[learned], y[learned], w[learned])
        p_reported = chance(score(model, x), curve)
        p_reported[orders] = 0
        measured = {}
        for s in dict.fromkeys(sets):
            if s != REPORTED:
                here = sets == s
                measured[s] = figures(np.where(orders, -99, out)[here], y[here], kinds[here])
        measured[REPORTED] = figures(p_reported[reported], y[reported], kinds[reported])
        error = calibration_error(p[learned], y[learned], w[learned])
        answerable = np.sort(p_reported[reported & (y == 1)])[::-1]
        wanted = int(np.ceil(ANSWERED * len(answerable)))
        # Midway to the next score below, of any question: a cut on a score itself hangs on its last bit.
        below = p_reported[reported & (p_reported < answerable[wanted - 1])]
        minimum = float((answerable[wanted - 1] + (below.max() if len(below) else 0)) / 2)
        shown = reported & (p_reported >= minimum)
        crossed = []
        for f in range(FOLDS):
            rest = np.sort(p_reported[reported & (y == 1) & (fold != f)])[::-1]
            cut = rest[int(np.ceil(ANSWERED * len(rest))) - 1]
            crossed += list(y[reported & (fold == f) & (p_reported >= cut)])
        threshold = {
            "minimum": round(minimum, 6),
            "rule": f"answers {ANSWERED:.0%} of the answerable questions",
            "set": f"the {REPORTED} part of the real collections",
            "answered": int(shown[y == 1].sum()),
            "answerable": len(answerable),
            "unanswerable_answered": int((shown & (y == 0)).sum()),
            "unanswerable": int((reported & (y == 0)).sum()),
            "risk": round(float((y[shown] == 0).mean()), 4),
            "risk_cross_fitted": round(float(1 - np.mean(crossed)), 4),
        }
        common = {"features": [dump["names"][i] for i in columns], "threshold": threshold}
        models[name] = {**common, **export(model, curve), "measured": {"cross_fitted_calibration_error": round(float(error), 4), "sets": measured}}
        if name == "vectors":
            folds = [{**common, **export(one, curve)} for one in without]
        print(name, json.dumps(threshold), "\n ", f"calibration error {error:.3f}, {REPORTED} {calibration_error(p_reported[reported], y[reported], np.ones(reported.sum())):.3f}")
        for s, m in measured.items():
            print(f"  {s:16s} {m}")
        probe = [int(i) for i in np.flatnonzero(reported)[:3]]
        print("  probe", [(rows[i]["id"], round(float(p_reported[i]), 6)) for i in probe])
    recipe = hashlib.sha256(open(__file__, "rb").read()).hexdigest()[:12]
    artifact = {
        "name": "sourcebound-sufficiency-1",
        "recipe": recipe,
        "date": flags.date,
        "seed": 0,
        "data": hashlib.sha256(raw).hexdigest(),
        "questions": int(learned.sum()),
        "models": models,
    }
    for path, content in ((flags.out, artifact), (flags.folds, {"recipe": recipe, "data": artifact["data"], "folds": folds})):
        with open(path, "w") as file:
            json.dump(content, file)
            file.write("\n")


main()
