"""Learns the wording score's weights from dumped features of claims: python train_wording.py --units FILE --out WEIGHTS.json (see README.md)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import lightgbm as lgb
import numpy as np
from train import boost, sigmoid, trees_of, write

RECIPE = "1"
SETTINGS = {"num_leaves": 15, "min_child_samples": 25, "learning_rate": 0.06, "feature_fraction": 0.4, "lambda_l2": 5, "seed": 1}
TREES = 220
# What people wrote in other words and called supported weighs more: a false alarm costs more than a fault that another check may find.
TRUE_OF_PEOPLE = 3
BESIDES = (
    "negation.flipped negation.flipped-count negation.unmatched opposite.comparison opposite.order opposite.quantity opposite.modality "
    "opposite.meaning amounts.missing amounts.rival amounts.role-least names.missing names.off-top names.rival order.inversions all.soft "
    "one.hard one.soft top.least trigrams run.longest length.tokens length.best universal.unshared obligation.unmatched hedge.unmatched context.least"
).split()
# As src/models/embedded-support.ts and src/profiles/sourcebound.ts.
NEAR = 0.9
LEAST = 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--parity", type=Path, help="rows with expected scores, for the test of the product")
    parser.add_argument("--date", default="")
    options = parser.parse_args()
    meta = json.loads(options.units.with_suffix(".json").read_text())
    items = [one for one in meta["items"] if one["set"] == "claims"]
    table = np.fromfile(options.units.with_suffix(".f32"), np.float32).reshape(meta["rows"], len(meta["columns"])).astype(float)
    table = table[[one["from"] for one in items]]
    names = meta["columns"][3:]
    used = [name for name in names if name.startswith("difference.")] + BESIDES
    x, label = table[:, 3:][:, [names.index(name) for name in used]], table[:, 0]
    kind = np.array([one["task"] for one in items])
    people = np.array([one["people"] for one in items])
    weight = np.array([one["weight"] for one in items]) * np.where(people & (label == 1), TRUE_OF_PEOPLE, 1)
    train = np.array([one["fold"] for one in items]) >= 0
    model: lgb.Booster = boost(x[train], label[train], weight[train], np.zeros(int(train.sum())), SETTINGS, TREES, None)
    chance = sigmoid(model.predict(x, raw_score=True))
    flagged = (chance < LEAST) & (x[:, used.index("difference.kept")] >= NEAR)
    for name in sorted(set(kind)):
        rows = ~train & (kind == name)
        for value, word in ((0, "caught"), (1, "touched")):
            some = rows & (label == value)
            if some.any():
                print(f"{name}: {word} {int(flagged[some].sum())} of {int(some.sum())}")
    if options.out is not None:
        body = {"features": used, "trees": trees_of(model, 5), "chance": [1, 0]}
        header = {"name": "sourcebound-wording", "recipe": RECIPE, "date": options.date, "licence": "Apache-2.0", "training_sets": "lab/train/reader/DATA.md, claims"}
        write(options.out, {**header, "claims": int(train.sum())}, body)
    if options.parity is not None:
        picked = np.sort(np.random.default_rng(1).choice(len(label), 60, replace=False))
        cases = [{"values": [None if np.isnan(v) else float(v) for v in x[i]], "chance": float(f"{chance[i]:.6g}")} for i in picked]
        options.parity.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
