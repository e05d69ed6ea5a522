"""Trains the cross-encoder and its teacher.

  python3 train.py teach --data lists.npz --start teacher.npz --out soft.npz
  python3 train.py learn --data lists.npz --start student.npz --soft soft.npz --out reader.safetensors --readings readings.npz
  python3 train.py rows --data lists.npz --readings readings.npz --rows pieces.jsonl.gz written.jsonl.gz --work DIR

The model has one trunk, three heads and the cosine of single texts. A question's candidates compete in a softmax with a constant
log odds of 0 ("nothing here answers"), so that a candidate's log odds do not depend on the others. Claims and pairs of questions
are trained jointly. A larger teacher is trained on less than one pass of the lists and scores their candidates; the
cross-encoder learns from the labels and these scores (distillation: Hinton et al. 2015). Models on top of the cross-encoder need
its scores for unseen questions: neither model trains on one fifth of the groups, whose rows are scored at the end, and `rows`
writes them with log odds ("cross") and cosines ("reading"). Finished files are not made again. The data come from `pack.py`, the
initial weights from `start.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import queue
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn.functional import binary_cross_entropy_with_logits

import weights
from model import Model, Texts
from start import load_start
from tell import HELD, LEARNED, MEASURED, owners_of, spans_of, tell, tell_tables


@dataclass(frozen=True)
class Recipe:
    """Counts are per step; shares are of the lists' loss."""

    lists: int
    pieces: int
    claims: int
    pairs: int
    singles: int
    rate: float
    head_rate: float
    warm_steps: int
    steps: int
    dropout: float
    #: Weight of the teacher's scores; the rest is that of the labels.
    soft_share: float
    #: Weight of a public set relative to a written collection of its size: there are only ten, with other kinds of questions.
    public_share: int
    epsilon: float


TEACHER = Recipe(48, 16, 0, 0, 0, rate=4e-5, head_rate=1e-3, warm_steps=60, steps=271, dropout=0.1, soft_share=0, public_share=4, epsilon=1e-5)
STUDENT = Recipe(112, 20, 128, 96, 48, rate=1.6e-4, head_rate=1e-3, warm_steps=150, steps=6670, dropout=0.1, soft_share=0.6, public_share=4, epsilon=1e-12)
#: Continues training of an already trained cross-encoder, for which only the teacher's scores are new.
GO_ON = Recipe(24, 9, 0, 0, 12, rate=6e-5, head_rate=1e-4, warm_steps=60, steps=1000, dropout=0.05, soft_share=0.7, public_share=2, epsilon=1e-12)
BAR_RATE = 2e-3
CLAIM_SHARE, PAIR_SHARE, COSINE_SHARE = 0.3, 0.2, 0.4
#: Shares of a question's forms: as written, lower case without question mark, misspelt, both.
FORMS = (0.7, 0.15, 0.08, 0.07)
COSINE_SCALE = 20.0
#: Number of groups by length in a step; each is padded only to its longest sequence.
GROUPS = 6
#: Maximum candidates of a row used for training: those that answer, then the nearest others.
MOST_PIECES = 24
UNSUPPORTED = 3


class Data:
    def __init__(self, path: Path, device: str):
        self.all = dict(np.load(path))
        self.texts = Texts(self.all["ids"], self.all["offsets"], device)

    def __getattr__(self, name: str) -> np.ndarray:
        return self.all[name]

    def shares(self, rows: np.ndarray, public: int) -> np.ndarray:
        """Returns sampling weights: a set counts by the square root of its size."""
        _, inverse, count = np.unique(self.set[rows], return_inverse=True, return_counts=True)
        share = count[inverse] ** -0.5 * np.where(self.written[rows], 1, public)
        return share / share.sum()


def read_soft(path: Path, data: Data) -> np.ndarray:
    """Returns the teacher's scores of candidates; NaN where it scored none."""
    answers, said = np.full(len(data.pieces), np.nan, np.float32), np.load(path)
    answers[said["at"]] = said["answers"]
    return answers


def learned(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the indices of claims or pairs used for training, and their sampling weights."""
    kept = np.flatnonzero(table[:, 3] == LEARNED)
    _, inverse, count = np.unique(table[kept, 4], return_inverse=True, return_counts=True)
    share = count[inverse] ** -0.5 * (table[kept, 5] if table.shape[1] > 5 else 1)
    return kept, share / share.sum()


def draw_pieces(data: Data, row: int, pieces: int, pick: np.random.Generator) -> np.ndarray:
    """Samples at most two answering candidates and other ones: mostly the nearest, the rest at random."""
    first, end = data.starts[row], min(data.starts[row] + MOST_PIECES, data.starts[row + 1])
    right = first + np.flatnonzero(data.answers[first:end])
    wrong = first + np.flatnonzero(data.answers[first:end] == 0)
    count = pieces - min(len(right), 2)
    if len(wrong) > count:
        near = count // 2 + count // 4 if pick.random() < 0.7 else 0
        wrong = np.concatenate([wrong[:near], pick.choice(wrong[near:], count - near, replace=False)])
    return np.concatenate([right if len(right) <= 2 else pick.choice(right, 2, replace=False), wrong])


def batches(data: Data, recipe: Recipe, rows: np.ndarray, seed: int):
    """Yields batches endlessly: text numbers and labels of one step."""
    pick = np.random.default_rng(seed)
    of_rows, (claims, of_claims), (pairs, of_pairs) = data.shares(rows, recipe.public_share), learned(data.claims), learned(data.pairs)
    while True:
        first, pieces, owner, singles = [], [], [], []
        for at, row in enumerate(pick.choice(rows, min(recipe.lists, len(rows)), replace=False, p=of_rows)):
            drawn = draw_pieces(data, row, recipe.pieces, pick)
            asked = data.forms[row, pick.choice(len(FORMS), p=FORMS)]
            first += [asked] * len(drawn)
            pieces.append(drawn)
            owner += [at] * len(drawn)
            answers = data.answers[drawn]
            if answers[0] and not answers[-1]:
                singles.append((asked, data.pieces[drawn[0]], data.pieces[drawn[answers.argmin()]]))
        pieces, claim, pair = np.concatenate(pieces), pick.choice(claims, recipe.claims, p=of_claims), pick.choice(pairs, recipe.pairs, p=of_pairs)
        alone = np.array(singles[: recipe.singles], np.int64).reshape(-1, 3).T
        parts = [
            (first, data.pieces[pieces]),
            (data.claims[claim, 0], data.claims[claim, 1]),
            (data.pairs[pair, 0], data.pairs[pair, 1]),
            (alone.ravel(), np.full(alone.size, -1)),
        ]
        both = [np.concatenate([part[side] for part in parts]).astype(np.int64) for side in (0, 1)]
        yield dict(both=both, sizes=[len(part[1]) for part in parts], owner=np.array(owner), pieces=pieces, claim=claim, pair=pair, alone=alone)


def ahead(made, count=4):
    """Yields the same items, produced in a separate thread."""
    ready: queue.Queue = queue.Queue(count)

    def fill() -> None:
        for one in made:
            ready.put(one)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        yield ready.get()


def loss_of(model: Model, data: Data, soft: np.ndarray | None, bar: torch.Tensor, drawn: dict, recipe: Recipe) -> torch.Tensor:
    def put(values: np.ndarray, kind=torch.float32) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(model.device, kind, non_blocking=True)

    vectors = model.vectors(*drawn["both"], dropout=recipe.dropout, groups=GROUPS).split(drawn["sizes"])
    lists = int(drawn["owner"].max()) + 1
    owner, right = put(drawn["owner"], torch.int64), put(data.answers[drawn["pieces"]])
    nothing = torch.zeros(lists, device=model.device)

    def by_list(values: torch.Tensor) -> torch.Tensor:
        return nothing.index_add(0, owner, values)

    said = model.head("answer", vectors[0])[:, 0].clamp(max=30)
    odds = said.exp()
    all_ = (1 + by_list(odds)).log()
    marked = all_ - torch.where(by_list(right) > 0, by_list(odds * right), 1.0).clamp(min=1e-8).log()
    if soft is None:
        loss = marked.mean()
    else:
        taught = put(soft[drawn["pieces"]])
        # Lists with a candidate that the teacher did not score use only the labels.
        share = recipe.soft_share * (by_list(taught.isnan().float()) == 0)
        taught = taught.nan_to_num(0).clamp(max=30).exp()
        chance = taught / (1 + by_list(taught))[owner]
        loss = ((1 - share) * marked + share * (all_ - by_list(chance * said))).mean()

    if drawn["sizes"][1]:
        said, label = model.head("claim", vectors[1]).log_softmax(1), put(data.claims[drawn["claim"], 2], torch.int64)
        # Some sets do not distinguish contradicted from not found.
        marked = torch.where(label == UNSUPPORTED, torch.logsumexp(said[:, 1:], 1), said.gather(1, label.clamp(max=2)[:, None])[:, 0])
        same = binary_cross_entropy_with_logits(model.head("same", vectors[2])[:, 0], put(data.pairs[drawn["pair"], 2]))
        loss = loss - CLAIM_SHARE * marked.mean() + PAIR_SHARE * same

    alone = drawn["alone"]
    count = alone.shape[1]
    if count == 0:
        return loss
    asked, others = vectors[3][:count], vectors[3][count:]
    cosines = COSINE_SCALE * (asked @ others.T)
    twice = put((alone[1][None] == alone[1][:, None]) & ~np.eye(count, dtype=bool), torch.bool)
    logits = torch.cat([cosines[:, :count].masked_fill(twice, -1e4), cosines[:, count:], (COSINE_SCALE * bar).expand(count)[:, None]], 1)
    return loss - COSINE_SHARE * logits.log_softmax(1).diagonal().mean()


def earlier(path: Path) -> dict[str, torch.Tensor]:
    """Loads weights of `learn`, or the quantised weights of a `reader.bin`."""
    if path.suffix != ".bin":
        return load_file(path)
    return {name: torch.from_numpy(np.array(values)) for name, values in weights.restore(*weights.read(path)).items()}


def train(data: Data, soft: np.ndarray | None, recipe: Recipe, options: argparse.Namespace) -> Model:
    """Trains for the given steps or seconds; the learning rate falls to 0 by then."""
    model, rows = Model(load_start(options.start), data.texts, options.seed, recipe.epsilon), np.flatnonzero(data.part == LEARNED)
    if options.go_on is not None:
        model.take(earlier(options.go_on))
        rows = rows[np.isfinite(soft[data.starts[rows]])]
    bar = torch.tensor([0.5], device=model.device, requires_grad=True)
    optimiser = torch.optim.AdamW(
        [
            dict(params=model.trained(), lr=recipe.rate, weight_decay=0.01),
            dict(params=list(model.heads.values()), lr=recipe.head_rate, weight_decay=0),
            dict(params=[bar], lr=BAR_RATE, weight_decay=0),
        ],
        betas=(0.9, 0.98),
        fused=model.device == "cuda",
    )
    rates, begun, told, step = [group["lr"] for group in optimiser.param_groups], time.monotonic(), [], 0
    steps = options.steps or (0 if options.seconds else recipe.steps)
    drawn = ahead(batches(data, recipe, rows, options.seed))
    while True:
        took = time.monotonic() - begun
        done = took / options.seconds if options.seconds else step / steps
        if options.seconds and step > 0:
            steps = round(step / done)
        if done >= 1:
            break
        for group, rate in zip(optimiser.param_groups, rates):
            group["lr"] = rate * min(1, (step + 1) / recipe.warm_steps) * (1 - done)
        loss = loss_of(model, data, soft, bar, next(drawn), recipe)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.trained(), 1.0)
        optimiser.step()
        told.append(loss.detach())
        step += 1
        if step % (200 if model.device == "cuda" else 10) == 0 or step == steps:
            mean = float(torch.stack(told).mean())
            print(f"{options.out.stem}: step {step} of {steps}, {time.monotonic() - begun:.0f} s, loss {mean:.3f}", flush=True)
            told.clear()
    print(f"{options.out.stem}: stopped after {step} steps", flush=True)
    return model


@torch.no_grad()
def said_of(model: Model, head: str, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    out = None
    for at, vectors in model.many(first, second):
        said = model.head(head, vectors).float().cpu().numpy()
        out = np.zeros((len(first), said.shape[1]), np.float32) if out is None else out
        out[at] = said
    return out


@torch.no_grad()
def cosines_of(model: Model, asked: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    single = np.unique(np.concatenate([asked, pieces]))
    alone = None
    for at, vectors in model.many(single, np.full(len(single), -1)):
        alone = torch.zeros(len(single), vectors.shape[1], device=vectors.device) if alone is None else alone
        alone[torch.from_numpy(at).to(vectors.device)] = vectors
    a, b = (torch.from_numpy(np.searchsorted(single, one)).to(alone.device) for one in (asked, pieces))
    parts = [(alone[a[at : at + 65536]] * alone[b[at : at + 65536]]).sum(1).cpu() for at in range(0, len(a), 65536)]
    return torch.cat(parts).numpy()


def read_part(model: Model, data: Data, name: str, part: int) -> dict[str, np.ndarray]:
    """Scores the rows, claims and pairs of a part, and prints the accuracy."""
    rows = np.flatnonzero((data.part == part) & ~data.wide)
    claims, pairs = (np.flatnonzero(table[:, 3] == part) for table in (data.claims, data.pairs))
    at, asked = spans_of(data, rows), data.forms[rows, 0][owners_of(data, rows)]
    answers = said_of(model, "answer", asked, data.pieces[at])[:, 0]
    cosines = cosines_of(model, asked, data.pieces[at])
    tell(name, data, rows, answers, cosines)
    of_claims = said_of(model, "claim", data.claims[claims, 0], data.claims[claims, 1])
    of_pairs = said_of(model, "same", data.pairs[pairs, 0], data.pairs[pairs, 1])[:, 0]
    tell_tables(name, data, claims, of_claims, pairs, of_pairs)
    return {"rows": rows, "answers": answers, "cosines": cosines, "claims at": claims, "claims": of_claims, "pairs at": pairs, "pairs": of_pairs}


def keep(path: Path, read: dict[str, np.ndarray]) -> None:
    np.savez_compressed(path, **{name: values.astype(np.float16 if values.dtype == np.float32 else np.int32) for name, values in read.items()})


def say_soft(model: Model, data: Data, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Returns log odds of the candidates of rows."""
    at = np.concatenate([np.arange(data.starts[row], min(data.starts[row] + MOST_PIECES, data.starts[row + 1])) for row in rows])
    owner = np.searchsorted(data.starts, at, side="right") - 1
    return dict(at=at, answers=said_of(model, "answer", data.forms[owner, 0], data.pieces[at])[:, 0])


def write_rows(path: Path, out: Path, number: int, read: dict) -> None:
    """Copies a file of rows and adds scores to the held-out ones."""
    with gzip.open(path, "rt", encoding="utf-8") as file, gzip.open(out, "wt", encoding="utf-8", compresslevel=4) as copy:
        for order, line in enumerate(file):
            row = json.loads(line)
            for piece, cross, cosine in zip(row.get("pieces", []), *read.get((number, order), ((), ()))):
                piece["cross"], piece["reading"] = round(float(cross), 4), round(float(cosine), 4)
            copy.write(json.dumps(row, ensure_ascii=False) + "\n")


def teach(options: argparse.Namespace, data: Data) -> None:
    model = train(data, None, TEACHER, options)
    keep(options.out, say_soft(model, data, np.flatnonzero(data.part == LEARNED)))


def learn(options: argparse.Namespace, data: Data) -> None:
    if options.out.exists():
        # Training finished earlier, but the process ended before scoring.
        model = Model(load_start(options.start), data.texts, options.seed, STUDENT.epsilon)
        model.take(load_file(options.out))
    else:
        model = train(data, read_soft(options.soft, data), GO_ON if options.go_on else STUDENT, options)
        save_file(model.tensors(), options.out)
    keep(options.readings, read_part(model, data, f"{options.out.stem} held", HELD))
    if (data.part == MEASURED).any():
        read_part(model, data, f"{options.out.stem} measured", MEASURED)


def rows(options: argparse.Namespace, data: Data) -> None:
    read = dict(np.load(options.readings))
    ends = np.cumsum(data.starts[read["rows"] + 1] - data.starts[read["rows"]])
    parts = zip(read["rows"], np.split(read["answers"], ends[:-1]), np.split(read["cosines"], ends[:-1]))
    by_place = {tuple(data.place[row]): (answers, cosines) for row, answers, cosines in parts}
    options.work.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(options.rows):
        write_rows(path, options.work / path.name, number, by_place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    for name, work in (("teach", teach), ("learn", learn), ("rows", rows)):
        part = parts.add_parser(name)
        part.set_defaults(work_of=work, out=None)
        part.add_argument("--data", type=Path, required=True, help="of pack.py")
        if name == "rows":
            part.add_argument("--readings", type=Path, required=True)
            part.add_argument("--rows", type=Path, nargs="+", required=True, help="the files that pack.py was given, in that order")
            part.add_argument("--work", type=Path, required=True, help="gets the rows with what was read")
            continue
        part.add_argument("--start", type=Path, required=True, help="weights of start.py")
        part.add_argument("--out", type=Path, required=True)
        part.add_argument("--steps", type=int)
        part.add_argument("--seconds", type=float, help="stops by the clock instead")
        part.add_argument("--seed", type=int, default=1)
        part.set_defaults(go_on=None)
        if name == "learn":
            part.add_argument("--go-on", type=Path, help="a reader to go on from, of `learn` or a reader.bin, with the rows that the larger model read")
            part.add_argument("--soft", type=Path, required=True, help="of the larger model")
            part.add_argument("--readings", type=Path, required=True, help="gets what it says of the rows that it did not learn from")
    options = parser.parse_args()
    made = [path for path in (options.out, getattr(options, "readings", None)) if options.part != "rows" and path is not None]
    if made and all(path.exists() for path in made):
        print(f"{options.out} is there already", flush=True)
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    options.work_of(options, Data(options.data, device))


if __name__ == "__main__":
    main()
