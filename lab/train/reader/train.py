"""Trains the reader: `python3 train.py --data lists.npz --rows pieces.jsonl.gz written.jsonl.gz --work DIR --out reader.safetensors`.

One trunk, three heads and the cosine of single texts. A question's pieces compete in one softmax with a bar that stands at log odds of 0 ("nothing here answers"), so that
a piece's log odds say the same whatever stands beside it. Claims and pairs of questions are learned beside. The data are those of `pack.py`, `--rows` the files that it packed.

What learns from the reader's figures needs those of one that did not see the question: before the reader that ships, one learns from one half of the groups and reads the
other half's rows, which DIR gets with its log odds ("cross") and cosines ("reading"). A finished part is kept in DIR and not trained again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn.functional import binary_cross_entropy_with_logits

import weights
from export import in_package, read_state
from model import EMBEDDINGS, Model, Texts

EMBEDDING_BITS = 4
LISTS, PIECES, CLAIMS, PAIRS, SINGLES = 80, 20, 128, 96, 48
RATE, HEAD_RATE, BAR_RATE, WARM_STEPS = 1e-4, 1e-3, 2e-3, 200
#: Of the loss of lists 1.
CLAIM_SHARE, PAIR_SHARE, COSINE_SHARE = 0.3, 0.2, 0.4
#: A public set counts so many times as much as a written collection of its size: there are ten of them, and questions there are of other kinds.
PUBLIC_SHARE = 4
#: Shares of a question's forms: as written, small without its mark, misspelt, both.
FORMS = (0.7, 0.15, 0.08, 0.07)
COSINE_SCALE = 20.0
#: Groups by length of a step's sequences: each is padded to its longest alone.
GROUPS = 5
#: The half whose rows are read by a reader of the other one.
HELD = 1


class Data:
    def __init__(self, path: Path, device: str):
        self.all = dict(np.load(path))
        self.texts = Texts(self.all["ids"], self.all["offsets"], device)

    def __getattr__(self, name: str) -> np.ndarray:
        return self.all[name]

    def shares(self, rows: np.ndarray) -> np.ndarray:
        """A set counts by the root of its size."""
        _, inverse, count = np.unique(self.set[rows], return_inverse=True, return_counts=True)
        share = count[inverse] ** -0.5 * np.where(self.written[rows], 1, PUBLIC_SHARE)
        return share / share.sum()


def of_half(table: np.ndarray, held: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of claims or pairs that may be learned from, and their shares."""
    kept = table if held is None else table[table[:, 3] != held]
    _, inverse, count = np.unique(kept[:, 4], return_inverse=True, return_counts=True)
    share = count[inverse] ** -0.5 * (kept[:, 5] if kept.shape[1] > 5 else 1)
    return kept, share / share.sum()


def draw_pieces(data: Data, row: int, pick: np.random.Generator) -> np.ndarray:
    """At most two pieces that answer and those beside them: mostly the nearest, the others by chance."""
    first, end = data.starts[row], data.starts[row + 1]
    right = first + np.flatnonzero(data.answers[first:end])
    wrong = first + np.flatnonzero(data.answers[first:end] == 0)
    count = PIECES - min(len(right), 2)
    if len(wrong) > count:
        near = count // 2 + count // 4 if pick.random() < 0.7 else 0
        wrong = np.concatenate([wrong[:near], pick.choice(wrong[near:], count - near, replace=False)])
    return np.concatenate([right if len(right) <= 2 else pick.choice(right, 2, replace=False), wrong])


def loss_of(model: Model, data: Data, bar: torch.Tensor, drawn: dict, pick: np.random.Generator) -> torch.Tensor:
    device, first, second, owner, right, singles = model.device, [], [], [], [], []
    for at, row in enumerate(drawn["rows"]):
        pieces = draw_pieces(data, row, pick)
        asked = data.forms[row, pick.choice(len(FORMS), p=FORMS)]
        first += [asked] * len(pieces)
        second += list(data.pieces[pieces])
        owner += [at] * len(pieces)
        right += list(data.answers[pieces])
        answers = data.answers[pieces]
        if answers[0] and not answers[-1]:
            singles.append((asked, data.pieces[pieces[0]], data.pieces[pieces[answers.argmin()]]))
    claims, pairs = drawn["claims"], drawn["pairs"]
    alone = np.array(singles[:SINGLES], np.int64).T
    count = alone.shape[1]
    parts = [(first, second), (claims[:, 0], claims[:, 1]), (pairs[:, 0], pairs[:, 1]), (alone.ravel(), np.full(3 * count, -1))]
    both = (np.concatenate([part[side] for part in parts]).astype(np.int64) for side in (0, 1))
    vectors = model.vectors(*both, train=True, groups=GROUPS).split([len(part[0]) for part in parts])

    odds = model.head("answer", vectors[0])[:, 0].clamp(max=30).exp()
    owner, right = torch.tensor(owner, device=device), torch.tensor(np.array(right), device=device, dtype=torch.float32)
    nothing = torch.zeros(len(drawn["rows"]), device=device)
    all_, answering, answerable = (nothing.index_add(0, owner, one) for one in (odds, odds * right, right))
    loss = -(torch.where(answerable > 0, answering, 1.0).clamp(min=1e-8) / (1 + all_)).log().mean()

    said = model.head("claim", vectors[1]).log_softmax(1)
    label = torch.from_numpy(claims[:, 2].astype(np.int64)).to(device)
    # Contradicted and not found are not told apart in some sets.
    unsupported = torch.logsumexp(said[:, 1:], 1)
    loss = loss - CLAIM_SHARE * torch.where(label == 3, unsupported, said.gather(1, label.clamp(max=2)[:, None])[:, 0]).mean()
    same = torch.from_numpy(pairs[:, 2].astype(np.float32)).to(device)
    loss = loss + PAIR_SHARE * binary_cross_entropy_with_logits(model.head("same", vectors[2])[:, 0], same)

    asked, others = vectors[3][:count], vectors[3][count:]
    cosines = COSINE_SCALE * (asked @ others.T)
    twice = torch.from_numpy((alone[1][None] == alone[1][:, None]) & ~np.eye(count, dtype=bool)).to(device)
    logits = torch.cat([cosines[:, :count].masked_fill(twice, -1e4), cosines[:, count:], (COSINE_SCALE * bar).expand(count)[:, None]], 1)
    return loss - COSINE_SHARE * logits.log_softmax(1).diagonal().mean()


def train(state: dict[str, np.ndarray], data: Data, held: int | None, options: argparse.Namespace, name: str) -> Model:
    model, pick = Model(state, data.texts, options.seed), np.random.default_rng(options.seed)
    bar = torch.tensor([0.5], device=model.device, requires_grad=True)
    rows = np.arange(len(data.half)) if held is None else np.flatnonzero(data.half != held)
    (claims, of_claims), (pairs, of_pairs), of_rows = of_half(data.claims, held), of_half(data.pairs, held), data.shares(rows)
    optimiser = torch.optim.AdamW(
        [
            dict(params=model.trained(), lr=RATE, weight_decay=0.01),
            dict(params=list(model.heads.values()), lr=HEAD_RATE, weight_decay=0),
            dict(params=[bar], lr=BAR_RATE, weight_decay=0),
        ],
        betas=(0.9, 0.98),
    )
    rates, begun, told = [group["lr"] for group in optimiser.param_groups], time.monotonic(), []
    for step in range(options.steps):
        for group, rate in zip(optimiser.param_groups, rates):
            group["lr"] = rate * min(1, (step + 1) / WARM_STEPS) * (1 - step / options.steps)
        drawn = dict(
            rows=pick.choice(rows, min(LISTS, len(rows)), replace=False, p=of_rows),
            claims=claims[pick.choice(len(claims), CLAIMS, p=of_claims)],
            pairs=pairs[pick.choice(len(pairs), PAIRS, p=of_pairs)],
        )
        loss = loss_of(model, data, bar, drawn, pick)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.trained(), 1.0)
        optimiser.step()
        told.append(loss.detach())
        if (step + 1) % 50 == 0 or step + 1 == options.steps:
            took = time.monotonic() - begun
            left = took / (step + 1) * (options.steps - step - 1) / 60
            print(f"{name}: step {step + 1} of {options.steps}, loss {float(torch.stack(told).mean()):.3f}, {left:.0f} min left", flush=True)
            told.clear()
    return model


def part(path: Path, state: dict, data: Data, held: int | None, options: argparse.Namespace) -> Model:
    """A trained reader, from its file where that is there."""
    if path.exists():
        model = Model(state, data.texts, options.seed)
        for name, values in load_file(path).items():
            (model.heads if name in model.heads else model.state)[name] = values.to(model.device)
        return model
    model = train(state, data, held, options, path.stem)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(model.tensors(), path)
    return model


@torch.no_grad()
def read_rows(model: Model, data: Data, rows: np.ndarray) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    """Log odds and cosines of each row's pieces, by the row's place in the files."""
    spans = [np.arange(data.starts[row], data.starts[row + 1]) for row in rows]
    pieces, asked = np.concatenate(spans), np.repeat(data.forms[rows, 0], [len(span) for span in spans])
    cross = np.zeros(len(pieces), np.float32)
    for at, vectors in model.many(asked, data.pieces[pieces]):
        cross[at] = model.head("answer", vectors)[:, 0].cpu().numpy()
    single = np.unique(np.concatenate([asked, data.pieces[pieces]]))
    alone = torch.zeros(len(single), vectors.shape[1])
    for at, vectors in model.many(single, np.full(len(single), -1)):
        alone[torch.from_numpy(at)] = vectors.cpu()
    of = lambda texts: alone[torch.from_numpy(np.searchsorted(single, texts))]  # noqa: E731
    cosines = (of(asked) * of(data.pieces[pieces])).sum(1).numpy()
    ends = np.cumsum([len(span) for span in spans])
    read = {tuple(data.place[row]): (cross[end - len(span) : end], cosines[end - len(span) : end]) for row, span, end in zip(rows, spans, ends)}
    right = [(data.answers[span], *read[tuple(data.place[row])]) for row, span in zip(rows, spans) if data.answers[span].any()]
    print(f"not seen: of {len(right)} best piece {sum(int(y[c.argmax()]) for y, c, _ in right)} read with the question, {sum(int(y[c.argmax()]) for y, _, c in right)} by the cosine", flush=True)
    return read


def write_rows(path: Path, out: Path, number: int, read: dict) -> None:
    """The file once more; a row that was read without having been seen has what reading says of its pieces."""
    with gzip.open(path, "rt", encoding="utf-8") as file, gzip.open(out, "wt", encoding="utf-8", compresslevel=4) as copy:
        for order, line in enumerate(file):
            row = json.loads(line)
            for piece, cross, cosine in zip(row.get("pieces", []), *read.get((number, order), ((), ()))):
                piece["cross"], piece["reading"] = round(float(cross), 4), round(float(cosine), 4)
            copy.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="of pack.py")
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="the files that pack.py was given, in that order")
    parser.add_argument("--work", type=Path, required=True, help="gets the reader of one half, and the rows with what it reads")
    parser.add_argument("--out", type=Path, required=True, help="the reader that learned from all, for export.py --state")
    parser.add_argument("--steps", type=int, default=1380)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = Data(options.data, device)
    state, pieces = read_state(in_package("model.safetensors")), in_package("vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    words = EMBEDDINGS + "word_embeddings.weight"
    state[words] = weights.rounded_words(state[words], pieces, EMBEDDING_BITS)
    held = part(options.work / "half.safetensors", state, data, HELD, options)
    read = read_rows(held, data, np.flatnonzero((data.half == HELD) & ~data.wide))
    for number, path in enumerate(options.rows):
        write_rows(path, options.work / path.name, number, read)
    part(options.out, state, data, None, options)


if __name__ == "__main__":
    main()
