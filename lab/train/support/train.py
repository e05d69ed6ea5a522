"""Learns the support score's weights from dumped features: python train.py --units FILE --out WEIGHTS.json --folds FOLDER (see README.md)."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import lightgbm as lgb
import numpy as np

RECIPE = "2"
SEED = 20261121
FOLDS = 5
LICENCES = {
    "ragtruth": "MIT",
    "wice": "ODC-BY (annotations); CC-BY-SA (Wikipedia text)",
    "summedits": "Apache-2.0",
    "begin": "CC-BY-4.0, CDLA-Sharing-1.0",
    "synthetic: va-pages": "CC0-1.0",
    "synthetic: policyqa": "MIT",
    "synthetic: medquad": "CC-BY-4.0",
    "synthetic: clapnq": "Apache-2.0",
    "written: lab/sets/written/claims.jsonl": "Apache-2.0",
}
TRAINED = ["ragtruth", "wice", "summedits", "begin", "synthetic", "written"]
NEVER = ["halueval", "tabfact", "va-drafts"]
# What a sentence of a set counts: written answers are what we check, the others are there for what they alone show. `written` alone holds true sentences in really
# other words beside false ones in nearly the source's.
SET_WEIGHTS = {"ragtruth": 1.0, "wice": 1.0, "summedits": 1.0, "begin": 0.3, "synthetic": 0.4, "written": 2.0}
# More of these can never raise (-1) or lower (+1) the score.
MONOTONE = {
    "amounts.missing": -1,
    "names.missing": -1,
    "names.strange": -1,
    "record.conflicts": -1,
    "strange.count": -1,
    "negation.flipped": -1,
    "all.soft": 1,
    "three.soft": 1,
    "clause.soft": 1,
    "context.mean": 1,
    "bigrams": 1,
}
SENTENCE = {"num_leaves": 31, "min_child_samples": 30, "learning_rate": 0.04, "feature_fraction": 0.3, "lambda_l2": 5}
SENTENCE_TREES = 400
ANSWER = {"num_leaves": 3, "min_child_samples": 30, "learning_rate": 0.05, "feature_fraction": 0.5, "lambda_l2": 5}
ANSWER_TREES = 120
SUMS = ["record.conflicts", "record.unknown", "amounts.missing", "amounts.rival", "strange.count", "names.missing", "names.off-top", "negation.flipped-count", "meta.words", "length.tokens", "new.count"]
MEANS = ["three.soft", "all.hard", "bigrams", "trigrams", "cosine.one", "hours.mean", "amounts.role-mean"]
FIRSTS = ["evidence.length", "evidence.sentences"]


@dataclass
class Units:
    """Sentences in rows; `item` names the answer of each."""

    names: list[str]
    x: np.ndarray
    label: np.ndarray  # 1 supported, 0 not, -1 judged only as a whole
    item: np.ndarray
    sets: np.ndarray
    fold: np.ndarray
    items: list[dict]


def read(path: Path) -> Units:
    meta = json.loads(path.with_suffix(".json").read_text())
    table = np.fromfile(path.with_suffix(".f32"), np.float32).reshape(meta["rows"], len(meta["columns"]))
    item = np.zeros(meta["rows"], int)
    for i, one in enumerate(meta["items"]):
        item[one["from"] : one["from"] + one["rows"]] = i
    sets = np.array([one["set"] for one in meta["items"]])[item]
    fold = np.array([one["fold"] for one in meta["items"]])[item]
    return Units(meta["columns"][3:], table[:, 3:].astype(float), table[:, 0], item, sets, fold, meta["items"])


def logit(p: float) -> float:
    return float(np.log(p / (1 - p)))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def auc(score: np.ndarray, label: np.ndarray) -> float:
    """Chance that a positive scores above a negative, ties half."""
    order = np.argsort(score, kind="stable")
    ranks = np.empty(len(score))
    _, inverse, counts = np.unique(score[order], return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks[order] = (ends - (counts - 1) / 2)[inverse]
    positives = label.sum()
    return float((ranks[label].sum() - positives * (positives + 1) / 2) / (positives * (len(label) - positives)))


def boost(x: np.ndarray, y: np.ndarray, weight: np.ndarray, start: np.ndarray, settings: dict, trees: int, monotone: list[int] | None) -> lgb.Booster:
    parameters = {
        "objective": "binary", "bagging_fraction": 0.8, "bagging_freq": 1, "boost_from_average": False, "verbose": -1, "num_threads": 1,
        "seed": SEED, "deterministic": True, "force_row_wise": True, **settings,
    }
    if monotone is not None:
        parameters["monotone_constraints"] = monotone
    return lgb.train(parameters, lgb.Dataset(x, label=y, weight=weight, init_score=start), trees)


def fit_sentences(units: Units, without: set[int]) -> lgb.Booster:
    """Trees over sentences. A set's own share of supported sentences is its starting point, so that trees need not learn which set a sentence is of."""
    chosen = (units.label >= 0) & np.isin(units.sets, TRAINED) & ~np.isin(units.fold, list(without))
    weight, start = np.zeros(len(units.label)), np.zeros(len(units.label))
    for name in TRAINED:
        rows = chosen & (units.sets == name)
        weight[rows] = SET_WEIGHTS[name]
        start[rows] = logit(float(np.clip(units.label[rows].mean(), 0.02, 0.98)))
    monotone = [MONOTONE.get(name, 0) for name in units.names]
    return boost(units.x[chosen], units.label[chosen], weight[chosen], start[chosen], SENTENCE, SENTENCE_TREES, monotone)


def answer_rows(units: Units, score: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """What the answer model reads of an answer's sentences. `answerFeatures` in the product computes the same."""
    rows = []
    sums, means, firsts = ([units.names.index(name) for name in names] for names in (SUMS, MEANS, FIRSTS))
    for i in chosen:
        one = units.items[i]
        part = slice(one["from"], one["from"] + one["rows"])
        p = np.sort(score[part])
        x = units.x[part]
        least = [p[k] if k < len(p) else 1.0 for k in range(3)]
        values = [*least, p.mean(), np.log(np.clip(p, 1e-3, 1)).sum(), (p < 0.5).sum(), (p < 0.8).sum(), len(p)]
        values += [np.nansum(x[:, c]) for c in sums]
        for c in means:
            known = x[~np.isnan(x[:, c]), c]
            values += [known.mean(), known.min()] if len(known) else [np.nan, np.nan]
        values += [x[0, c] for c in firsts]
        rows.append(values)
    return np.array(rows, float)


def fit_answers(rows: np.ndarray, label: np.ndarray) -> lgb.Booster:
    start = np.full(len(label), logit(float(label.mean())))
    return boost(rows, label, np.ones(len(label)), start, ANSWER, ANSWER_TREES, None)


def platt(raw: np.ndarray, label: np.ndarray) -> tuple[float, float]:
    """Slope and offset of the logistic curve from raw score to chance, by Newton's method with halved steps."""
    a, b = 1.0, logit(float(label.mean()))
    loss = lambda a, b: np.logaddexp(0, a * raw + b).sum() - (label * (a * raw + b)).sum()  # noqa: E731
    for _ in range(60):
        p = sigmoid(a * raw + b)
        w = p * (1 - p) + 1e-9
        gradient = np.array([((p - label) * raw).sum(), (p - label).sum()])
        hessian = np.array([[(w * raw * raw).sum(), (w * raw).sum()], [(w * raw).sum(), w.sum()]])
        delta, step = np.linalg.solve(hessian, gradient), 1.0
        while step > 1e-4 and loss(a - step * delta[0], b - step * delta[1]) > loss(a, b):
            step /= 2
        a, b = a - step * delta[0], b - step * delta[1]
    return float(a), float(b)


def calibration_error(chance: np.ndarray, label: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error over bins of equal count (Naeini et al. 2015, with equal-mass bins)."""
    parts = np.array_split(np.argsort(chance, kind="stable"), bins)
    return float(sum(len(part) / len(label) * abs(chance[part].mean() - label[part].mean()) for part in parts if len(part)))


def trees_of(model: lgb.Booster, keep: int) -> dict:
    """Nodes of all trees in one list each; a child below 0 is leaf -1 - child, counted over all trees."""
    out: dict[str, list] = {"roots": [], "feature": [], "threshold": [], "left": [], "right": [], "missing": [], "leaves": []}

    def add(node: dict) -> int:
        if "leaf_value" in node:
            out["leaves"].append(float(f"{node['leaf_value']:.{keep}g}"))
            return -len(out["leaves"])
        at = len(out["feature"])
        # What is missing goes with the default; where training saw nothing missing it counts as 0.
        left = node["default_left"] if node["missing_type"] == "NaN" else 0.0 <= node["threshold"]
        # LightGBM parts zero from what is below it at -1e-35, and from what is above it at 1e-35.
        threshold = float(f"{node['threshold']:.8g}")
        threshold = 0.0 if 0 <= threshold < 1e-30 else threshold
        for key, value in (("feature", node["split_feature"]), ("threshold", threshold), ("left", 0), ("right", 0), ("missing", int(left))):
            out[key].append(value)
        out["left"][at] = add(node["left_child"])
        out["right"][at] = add(node["right_child"])
        return at

    for tree in model.dump_model()["tree_info"]:
        out["roots"].append(add(tree["tree_structure"]))
    return out


def pack(sentence: lgb.Booster, answer: lgb.Booster, chance: tuple[float, float], answer_chance: tuple[float, float], names: list[str]) -> dict:
    return {
        "sentence": {"features": names, "trees": trees_of(sentence, 5), "chance": [float(f"{v:.6g}") for v in chance]},
        "answer": {"sums": SUMS, "means": MEANS, "firsts": FIRSTS, "trees": trees_of(answer, 5), "chance": [float(f"{v:.6g}") for v in answer_chance]},
    }


def write(path: Path, header: dict, model: dict) -> None:
    body = json.dumps(model, separators=(",", ":"))
    digest = hashlib.sha256(body.encode()).hexdigest()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**header, "sha256": digest}, indent=1)[:-2] + ',\n "model": ' + body + "\n}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folds", type=Path)
    parser.add_argument("--parity", type=Path, help="rows with expected scores, for the test of the product")
    parser.add_argument("--date", default="")
    options = parser.parse_args()
    units = read(options.units)
    answers = np.array([i for i, one in enumerate(units.items) if one["set"] == "ragtruth"])
    judged = np.array([units.items[i]["supported"] for i in answers])
    fold_of = np.array([units.items[i]["fold"] for i in answers])
    written = units.sets == "ragtruth"

    fitted: dict[tuple[int, ...], np.ndarray] = {}
    boosters: dict[tuple[int, ...], lgb.Booster] = {}

    def raw_without(*folds: int) -> np.ndarray:
        key = tuple(sorted(folds))
        if key not in fitted:
            boosters[key] = fit_sentences(units, set(key))
            fitted[key] = boosters[key].predict(units.x, raw_score=True)
        return fitted[key]

    def out_of_fold(outer: int | None) -> np.ndarray:
        """Raw scores of sentences by models that saw neither their fold nor the outer one."""
        raw = np.zeros(len(units.label))
        for k in range(FOLDS):
            if k == outer:
                continue
            raw[units.fold == k] = raw_without(*({k} if outer is None else {k, outer}))[units.fold == k]
        if outer is not None:
            raw[units.fold == outer] = raw_without(outer)[units.fold == outer]
        return raw

    def finish(raw: np.ndarray, outer: int | None) -> tuple[lgb.Booster, tuple[float, float], tuple[float, float], np.ndarray, np.ndarray]:
        """Curve of the sentences, answer model and its curve, from everything but the outer fold."""
        inside = written & (units.fold != (-1 if outer is None else outer))
        chance = platt(raw[inside], units.label[inside])
        rows = answer_rows(units, sigmoid(chance[0] * raw + chance[1]), answers)
        use = fold_of != (-1 if outer is None else outer)
        model = fit_answers(rows[use], judged[use].astype(float))
        inner = np.zeros(len(answers))
        for k in range(FOLDS):
            rest = use & (fold_of != k)
            if k != outer:
                inner[fold_of == k] = fit_answers(rows[rest], judged[rest].astype(float)).predict(rows[fold_of == k], raw_score=True)
        answer_chance = platt(inner[use], judged[use].astype(float))
        return model, chance, answer_chance, rows, model.predict(rows, raw_score=True)

    header = {
        "name": "sourcebound-support",
        "recipe": RECIPE,
        "seed": SEED,
        "date": options.date,
        "licence": "Apache-2.0",
        "training_sets": [{"name": name, "licence": licence} for name, licence in LICENCES.items()],
        "never_trained_on": NEVER,
        "sentences": {name: int(((units.sets == name) & (units.label >= 0)).sum()) for name in TRAINED},
    }
    raw = out_of_fold(None)
    sentence_chance, answer_score, answer_chance = np.zeros(len(raw)), np.zeros(len(answers)), np.zeros(len(answers))
    for k in range(FOLDS):
        model, chance, curve, _, predicted = finish(out_of_fold(k), k)
        here = units.fold == k
        sentence_chance[here] = sigmoid(chance[0] * raw[here] + chance[1])
        answer_score[fold_of == k] = predicted[fold_of == k]
        answer_chance[fold_of == k] = sigmoid(curve[0] * predicted[fold_of == k] + curve[1])
        if options.folds is not None:
            write(options.folds / f"fold-{k}.json", {**header, "without_fold": k}, pack(boosters[(k,)], model, chance, curve, units.names))
    figures = {}
    for name in [*TRAINED, *[name for name in NEVER if (units.sets == name).any()]]:
        rows = (units.sets == name) & (units.label >= 0)
        figures[name] = {"sentences": int(rows.sum()), "auroc": round(auc(sentence_chance[rows], units.label[rows] == 1), 4)}
    rows = written
    figures["ragtruth"]["ece"] = round(calibration_error(sentence_chance[rows], units.label[rows]), 4)
    figures["ragtruth"]["answers"] = len(answers)
    figures["ragtruth"]["answer_auroc"] = round(auc(answer_score, judged), 4)
    figures["ragtruth"]["answer_ece"] = round(calibration_error(answer_chance, judged.astype(float)), 4)
    for name, values in figures.items():
        print(name, values, flush=True)
    if options.out is None:
        return
    final = fit_sentences(units, set())
    model, chance, curve, rows, predicted = finish(raw, None)
    write(options.out, {**header, "out_of_fold": figures}, pack(final, model, chance, curve, units.names))
    if options.parity is not None:
        rng = np.random.default_rng(SEED)
        picked = np.sort(rng.choice(len(units.label), 60, replace=False))
        expected = sigmoid(chance[0] * final.predict(units.x[picked], raw_score=True) + chance[1])
        cases = [{"values": [None if np.isnan(v) else float(v) for v in units.x[i]], "chance": float(f"{e:.6g}")} for i, e in zip(picked, expected)]
        options.parity.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
