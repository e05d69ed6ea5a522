"""Learns the reranker's weights from dumped features: python train.py --pairs FILE --out WEIGHTS.json (see README.md)."""

from __future__ import annotations

import argparse
import hashlib
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RECIPE = "2"
SEED = 20261121
# Sets of one family count together as one, so that a set with two readings does not count twice.
FAMILY = {
    "medquad-titled": "medquad",
    "fairytaleqa-story": "fairytaleqa",
    "fairytaleqa-all": "fairytaleqa",
    "fairytaleqa-titled": "fairytaleqa",
    "va-headings": "va-pages",
    "va-sentences": "va-pages",
    "tau-titles": "headed",
    "tau-sentences": "headed",
    "fda-headings": "headed",
    "fda-sentences": "headed",
    "cfr-titles": "headed",
    "cfr-sentences": "headed",
}
LICENCES = {
    "policyqa": "MIT",
    "medquad": "CC-BY-4.0",
    "fairytaleqa": "Apache-2.0",
    "tatqa": "CC-BY-4.0",
    "va-pages": "CC0-1.0",
    "tau-policies-kb": "MIT",
    "fda-drug-labels": "MIT",
    "va-38cfr-part4": "US government work",
}
SHARES = [round(0.1 * i, 1) for i in range(11)]
SCORES = ("bm25.", "dense.", "fused.", "question.dense", "question.bm25", "question.cosine")
DENSE = ("dense.", "question.dense", "question.cosine")


@dataclass
class Pairs:
    names: list[str]
    x: np.ndarray  # (rows, features), NaN where a feature measures nothing
    gold: np.ndarray
    document: np.ndarray
    scores: np.ndarray  # dense, bm25, fused
    starts: np.ndarray  # first row of each question, and the end
    sets: np.ndarray
    halves: np.ndarray
    golds: np.ndarray  # gold documents of each question
    clusters: list[str]
    sha256: str

    def rows(self, question: int) -> slice:
        return slice(self.starts[question], self.starts[question + 1])

    def __len__(self) -> int:
        return len(self.sets)


def read(paths: list[Path]) -> Pairs:
    metas = [json.loads(Path(f"{path}.json").read_text()) for path in paths]
    columns, asked = metas[0]["columns"], [one for meta in metas for one in meta["asked"]]
    data = np.concatenate([np.fromfile(f"{path}.f32", np.float32).reshape(-1, len(columns)) for path in paths])
    starts = np.concatenate([[0], np.cumsum([one["rows"] for one in asked])])
    families = [FAMILY.get(one["set"], one["set"]) for one in asked]
    # Sets of one family are made from the same documents: one source is one cluster in all of them.
    prefix = [one["set"].split("-")[0] if family == "headed" else family for one, family in zip(asked, families)]
    return Pairs(
        columns[5:], data[:, 5:], data[:, 1] > 0, data[:, 0].astype(int), data[:, 2:5], starts,
        np.array([one["set"] for one in asked]), np.array([one["half"] for one in asked]), np.array([one["gold"] for one in asked]),
        [f"{name}|{one['cluster']}" for name, one in zip(prefix, asked)], hashlib.sha256(data.tobytes()).hexdigest(),
    )  # fmt: skip


def ndcg(pairs: Pairs, question: int, score: np.ndarray, k: int = 10) -> float:
    """Documents by their best candidate; the ideal holds gold documents that were no candidates, too."""
    rows = pairs.rows(question)
    order = np.argsort(-score, kind="stable")
    seen, gains = set(), []
    for i in order:
        document = pairs.document[rows][i]
        if document in seen:
            continue
        seen.add(document)
        gains.append(bool(pairs.gold[rows][i]))
        if len(gains) == k:
            break
    dcg = sum(1 / np.log2(rank + 2) for rank, gain in enumerate(gains) if gain)
    return dcg / sum(1 / np.log2(rank + 2) for rank in range(min(k, pairs.golds[question])))


def best_rows(pairs: Pairs, score: np.ndarray) -> np.ndarray:
    """One row per document of a question: the one that scores best. Learning sees documents, as the measure does."""
    kept = np.zeros(len(score), bool)
    for question in range(len(pairs)):
        rows = pairs.rows(question)
        order = np.argsort(-score[rows], kind="stable")
        _, first = np.unique(pairs.document[rows][order], return_index=True)
        kept[pairs.starts[question] + order[first]] = True
    return kept


@dataclass
class Model:
    names: list[str]
    columns: list[int]
    fill: np.ndarray
    scale: np.ndarray
    linear: np.ndarray
    hidden: np.ndarray  # (units, features)
    bias: np.ndarray
    out: np.ndarray
    chance: tuple[float, float] = (1.0, 0.0)

    def standardise(self, x: np.ndarray) -> np.ndarray:
        return np.nan_to_num((x[:, self.columns] - self.fill) / self.scale, nan=0.0)

    def score(self, x: np.ndarray) -> np.ndarray:
        z = self.standardise(x)
        return z @ self.linear + np.tanh(z @ self.hidden.T + self.bias) @ self.out


def listwise_step(z, gold, group, count, weight, model: Model):
    """Cross-entropy of a softmax over each question's documents against its gold ones, and the gradients."""
    t = np.tanh(z @ model.hidden.T + model.bias)
    score = z @ model.linear + t @ model.out
    top = np.full(count, -np.inf)
    np.maximum.at(top, group, score)
    e = np.exp(score - top[group])
    p = e / np.bincount(group, e, count)[group]
    target = gold / np.bincount(group, gold, count)[group]
    loss = -(weight[group] * target * np.log(p + 1e-12)).sum()
    d = weight[group] * (p - target)
    dt = d[:, None] * model.out * (1 - t * t)
    return loss, (z.T @ d, dt.T @ z, dt.sum(0), t.T @ d)


def fit(pairs: Pairs, chosen: np.ndarray, names: list[str], units: int, decay: float, epochs: int, seed: int = SEED) -> Model:
    """Adam over batches of questions; a set counts as the root of its size; rows are one per document."""
    rng = np.random.default_rng(seed)
    columns = [pairs.names.index(name) for name in names]
    take = np.concatenate([np.arange(pairs.starts[q], pairs.starts[q + 1]) for q in chosen])
    fill = np.nan_to_num(np.nanmean(pairs.x[take][:, columns], 0))
    scale = np.maximum(np.nan_to_num(np.nanstd(pairs.x[take][:, columns], 0), nan=1.0), LEAST_SCALE)
    f = len(names)
    model = Model(names, columns, fill, scale, np.zeros(f), rng.standard_normal((units, f)) / np.sqrt(f), np.zeros(units), rng.standard_normal(units) * 0.1)
    kept = best_rows(pairs, pairs.scores[:, 2])
    z = model.standardise(pairs.x)
    families = np.array([FAMILY.get(name, name) for name in pairs.sets])
    size = {name: (families[chosen] == name).sum() for name in set(families[chosen])}
    usable = [q for q in chosen if pairs.gold[pairs.rows(q)].any() and not pairs.gold[pairs.rows(q)].all()]
    rows_of = {q: np.flatnonzero(kept[pairs.rows(q)]) + pairs.starts[q] for q in usable}
    params = [model.linear, model.hidden, model.bias, model.out]
    first, second = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params]
    step, batch = 0, 64
    total = epochs * (len(usable) // batch + 1)
    for epoch in range(epochs):
        if epoch in (epochs // 3, 2 * epochs // 3):
            kept = best_rows(pairs, model.score(pairs.x))
            rows_of = {q: np.flatnonzero(kept[pairs.rows(q)]) + pairs.starts[q] for q in usable}
        order = rng.permutation(usable)
        for begin in range(0, len(order), batch):
            part = order[begin : begin + batch]
            rows = np.concatenate([rows_of[q] for q in part])
            group = np.repeat(np.arange(len(part)), [len(rows_of[q]) for q in part])
            weight = np.array([size[families[q]] ** -0.5 for q in part])
            weight = weight / weight.sum()
            _, gradients = listwise_step(z[rows], pairs.gold[rows].astype(float), group, len(part), weight, model)
            step += 1
            rate = 0.01 * min(1, step / 50) * (1 - step / (total + 1))
            for i, (p, g) in enumerate(zip(params, gradients)):
                first[i] = 0.9 * first[i] + 0.1 * g
                second[i] = 0.99 * second[i] + 0.01 * g * g
                update = (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.99**step)) + 1e-8)
                p -= rate * (update + decay * p)
    return model


def calibrate(model: Model, pairs: Pairs, chosen: np.ndarray) -> None:
    """Logistic curve from score to the chance of being gold; sets count alike."""
    rows = np.concatenate([np.arange(pairs.starts[q], pairs.starts[q + 1]) for q in chosen])
    s, y = model.score(pairs.x[rows]), pairs.gold[rows].astype(float)
    mean, spread = s.mean(), s.std()
    z, a, b = (s - mean) / spread, 1.0, float(np.log(y.mean() / (1 - y.mean())))
    loss = lambda a, b: np.logaddexp(0, a * z + b).sum() - (y * (a * z + b)).sum()  # noqa: E731
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(a * z + b, -30, 30)))
        w = p * (1 - p) + 1e-9
        gradient = np.array([((p - y) * z).sum(), (p - y).sum()])
        hessian = np.array([[(w * z * z).sum(), (w * z).sum()], [(w * z).sum(), w.sum()]])
        delta, step = np.linalg.solve(hessian, gradient), 1.0
        while step > 1e-4 and loss(a - step * delta[0], b - step * delta[1]) > loss(a, b):
            step /= 2
        a, b = a - step * delta[0], b - step * delta[1]
    model.chance = (float(a / spread), float(b - a * mean / spread))


# The index gives every candidate its cosine, so that `dense.lacks` would say nothing.
UNUSED = ("dense.lacks",)
LEAST_SCALE = 0.05


def names_for(kind: str, names: list[str]) -> list[str]:
    names = [name for name in names if not name.startswith(UNUSED)]
    if kind == "hybrid":
        return names
    if kind == "words":
        return [name for name in names if not name.startswith(DENSE)]
    return [name for name in names if not name.startswith(SCORES)]


def figures(pairs: Pairs, questions: np.ndarray, score: np.ndarray) -> dict[str, float]:
    out: dict[str, list[float]] = {}
    for q in questions:
        out.setdefault(str(pairs.sets[q]), []).append(ndcg(pairs, q, score[pairs.rows(q)]))
    return {name: float(np.mean(values)) for name, values in out.items()}


def table(title: str, rows: dict[str, dict[str, float]]) -> None:
    sets = list(next(iter(rows.values())))
    print(title)
    print("  " + " ".join(f"{name[:4] + name[4:][-8:]:>12}" for name in ["", *sets, "families"]))
    for name, values in rows.items():
        cells = [values[s] for s in sets] + [family_mean(values)]
        print("  " + f"{name[:12]:>12} " + " ".join(f"{value:12.4f}" for value in cells))


def fused(pairs: Pairs, alpha: float) -> np.ndarray:
    """Min-max fusion over the candidates at hand; what a ranking lacks counts 0."""
    out = np.zeros(len(pairs.gold))
    for q in range(len(pairs)):
        rows = pairs.rows(q)
        for column, weight in ((0, alpha), (1, 1 - alpha)):
            value = pairs.scores[rows, column]
            if np.isnan(value).all():
                continue
            low, high = np.nanmin(value), np.nanmax(value)
            out[rows] += weight * np.nan_to_num((value - low) / (high - low) if high > low else value * 0 + 1)
    return out


def cross_fitted(pairs: Pairs, names: list[str], by: str, units: int, decay: float, epochs: int) -> np.ndarray:
    """Chances of every pair by a model that saw nothing of its set family (`family`) or of its source document (`document`)."""
    families = np.array([FAMILY.get(name, name) for name in pairs.sets])
    folds = families if by == "family" else np.array([zlib.crc32(cluster.encode()) % 3 for cluster in pairs.clusters])
    out = np.zeros(len(pairs.gold))
    for fold in np.unique(folds):
        model = fit(pairs, np.flatnonzero(folds != fold), names, units, decay, epochs)
        calibrate(model, pairs, np.flatnonzero(folds != fold))
        for q in np.flatnonzero(folds == fold):
            out[pairs.rows(q)] = logistic(model.chance[0] * model.score(pairs.x[pairs.rows(q)]) + model.chance[1])
    return out


def mixed(pairs: Pairs, chance: np.ndarray, share: float) -> np.ndarray:
    """`rerankCandidates`: the reranker's chance beside the fused score, both min-max scaled over what is reranked."""
    out = np.zeros(len(chance))
    for q in range(len(pairs)):
        rows = pairs.rows(q)
        for value, weight in ((chance[rows], share), (pairs.scores[rows, 2], 1 - share)):
            low, high = value.min(), value.max()
            out[rows] += weight * ((value - low) / (high - low) if high > low else 1.0)
    return out


def logistic(value: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(value, -30, 30)))


def family_mean(values: dict[str, float]) -> float:
    """Mean over families, each the mean of its sets."""
    families: dict[str, list[float]] = {}
    for name, value in values.items():
        families.setdefault(FAMILY.get(name, name), []).append(value)
    return float(np.mean([np.mean(some) for some in families.values()]))


def choose(pairs: Pairs, names: list[str], units: int, decay: float, epochs: int) -> None:
    """Prints nDCG@10 of every share in both cross-validations, and the mean that decides: the rule stands in LOG.md."""
    everything, decisive = np.arange(len(pairs)), {}
    for by in ("document", "family"):
        chance = cross_fitted(pairs, names, by, units, decay, epochs)
        rows = {f"share {share}": figures(pairs, everything, mixed(pairs, chance, share)) for share in SHARES}
        table(f"by {by}: units {units} decay {decay} epochs {epochs}", rows)
        for share in SHARES:
            decisive[share] = decisive.get(share, 0.0) + family_mean(rows[f"share {share}"]) / 2
    print("decisive " + " ".join(f"{share}:{value:.4f}" for share, value in decisive.items()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, action="append", help="as dump.mjs wrote it, without the ending; may be repeated")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--units", type=int, default=8)
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--date", default="")
    parser.add_argument("--without", action="append", default=[], help="features that begin so are left out")
    parser.add_argument("--choose", action="store_true", help="cross-validate the shares")
    parser.add_argument("--alphas", action="store_true", help="measure fusion weights")
    options = parser.parse_args()
    pairs = read(options.pairs)
    everything = np.arange(len(pairs))
    print(f"{len(pairs)} questions, {len(pairs.gold)} pairs, {len(pairs.names)} features, sha256 {pairs.sha256[:12]}")
    if options.alphas:
        table("fusion", {f"alpha {a:.1f}": figures(pairs, everything, fused(pairs, a)) for a in np.arange(0, 1.01, 0.1)})
    names_of = lambda kind: [name for name in names_for(kind, pairs.names) if not name.startswith(tuple(options.without))]  # noqa: E731
    if options.choose:
        choose(pairs, names_of("hybrid"), options.units, options.decay, options.epochs)
    if options.out is None:
        return
    models = {}
    for kind in ("hybrid", "words", "text"):
        units = 0 if kind == "text" else options.units
        model = fit(pairs, everything, names_of(kind), units, options.decay, options.epochs)
        calibrate(model, pairs, everything)
        digits = lambda values: [float(f"{value:.5g}") for value in values]  # noqa: E731
        models[kind] = {
            "features": model.names,
            "fill": digits(model.fill),
            "scale": digits(model.scale),
            "linear": digits(model.linear),
            "hidden": [{"weights": digits(w), "bias": float(f"{b:.5g}"), "out": float(f"{o:.5g}")} for w, b, o in zip(model.hidden, model.bias, model.out)],
            "chance": digits(model.chance),
        }
    header = {
        "name": "sourcebound-rerank",
        "recipe": RECIPE,
        "seed": SEED,
        "date": options.date,
        "licence": "Apache-2.0",
        "settings": {"units": options.units, "decay": options.decay, "epochs": options.epochs, "without": options.without},
        "training_sets": [{"name": name, "licence": licence} for name, licence in LICENCES.items()],
        "questions": {name: int((pairs.sets == name).sum()) for name in sorted(set(pairs.sets))},
        "pairs_sha256": pairs.sha256,
    }
    text = json.dumps({**header, "models": models}, indent=1)
    options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
