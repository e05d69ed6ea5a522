"""Trains an adapter of the cross-encoder for one head, and writes its file: low-rank changes of all matrices (Hu et al., arXiv:2106.09685).

  python3 adapt.py claims --start reader.bin --rows claims.jsonl --held claims-validation.jsonl --pages ../../sets/short-pages.jsonl --data DATA --quotes ../../sets/written/claims.jsonl --out claims.bin --parity claims.parity.json
  python3 adapt.py tokens --start reader.bin --adapter claims.bin --rows claims.jsonl --held claims-validation.jsonl --pages ../../sets/short-pages.jsonl --data DATA --out claims.bin --parity claims.parity.json
  python3 adapt.py questions --start reader.bin --rows pairs.jsonl --collections ../../sets/written --data DATA --out questions.bin --parity questions.parity.json

The weights of the cross-encoder stay as they are, so that the choice of answers does not change. `claims` learns sentences of written answers
with windows of the cited pages (lines of `claims.ts`): a sentence counts as its best window says, and a second output per token marks the words
that are false. `tokens` learns that output
again for a finished adapter and adds it as `claim_tokens`: the log odds that a token of the sentence is supported. `questions` learns pairs of questions that ask the same or not. The last lines give figures of held-out rows with the rounded
matrices, as the product merges them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from tokenizers import BertWordPieceTokenizer
from torch.nn.functional import binary_cross_entropy_with_logits, normalize

import weights
from cases import make_cases
from export import outputs_of, vectors_of, write_parity
from model import LAYER, NORMS, QUESTION_TOKENS, TOKENS, Model, Texts, padded_attention
from pack import LABELS, WRITTEN, Pool, lines, misspelt, nearest_of, neighbours_of, part_of
from tell import HELD
from tune import PUBLIC_SETS

RATE, WARM_STEPS, GROUPS, WINDOWS = 4e-4, 20, 6, 4
#: Relative change of a row's scale when the product merges the adapter, as in `src/cross-encoder/adapter.ts`.
NEW_SCALE = 1.0073
#: Stored cases for tests.
PARITY_CASES = 40
#: What a true and a false sentence of drafts count; there are more true ones. Those of `page-sentences.jsonl` count 1.
TRUE_SHARE, FALSE_SHARE = 0.7, 2.0
#: Kind of the sentences that say nothing without their question. They are not learned, because the product scores a sentence alone.
LEANING = "leaning"


class Adapted:
    """The cross-encoder with changes W + B · A of its matrices."""

    def __init__(self, start: Path, pool: Pool, rank: int, seed: int, with_biases: bool):
        self.tensors, self.header = weights.read(start)
        self.base = hashlib.sha256(start.read_bytes()[40:]).hexdigest()
        state = weights.restore(self.tensors, self.header)
        vocabulary = {piece: at for at, piece in enumerate(bytes(self.tensors["vocabulary"]).decode().split("\n"))}
        encoded = BertWordPieceTokenizer(vocabulary, lowercase=True).encode_batch(list(pool.places), add_special_tokens=False)
        self.offsets = [one.offsets[:QUESTION_TOKENS] for one in encoded]
        ids = [one.ids[:TOKENS] for one in encoded]
        self.texts = Texts(np.concatenate([np.array(one, np.int64) for one in ids]), np.cumsum([0, *map(len, ids)]), "cpu")
        self.model = Model({name: values for name, values in state.items() if name.startswith("bert.")}, self.texts, seed, self.header["epsilon"])
        self.model.take({name: torch.from_numpy(np.array(values)) for name, values in state.items()})
        self.rank, self.own = rank, self.model.own
        for values in self.model.state.values():
            values.requires_grad_(False)
        torch.manual_seed(seed)
        self.factors = [[self.factor(own[2 * at]) for at in range(len(LAYER))] for own in self.own]
        self.biases = [one.requires_grad_(True) for own in self.own for one in own if one.dim() == 1] if with_biases else []

    def factor(self, matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, depth = matrix.shape
        return (torch.randn(self.rank, depth) * depth**-0.5).requires_grad_(True), torch.zeros(rows, self.rank, requires_grad=True)

    def trained(self) -> list[torch.Tensor]:
        return [one for layer in self.factors for pair in layer for one in pair] + self.biases

    def take(self, path: Path) -> tuple[dict[str, np.ndarray], dict]:
        """Merges a finished adapter as the product does, and returns its tensors and header."""
        tensors, header = weights.read(path)
        tensor = lambda name: torch.from_numpy(np.array(tensors[name]))  # noqa: E731
        matrix = lambda name: torch.from_numpy(tensors[f"{name}.codes"] * tensors[f"{name}.scales"][:, None])  # noqa: E731
        for layer, own in enumerate(self.own):
            at = f"layer.{layer}."
            for kind, parts in (("attention", (0, 1, 2)), ("output", (3,)), ("up", (4,)), ("down", (5,))):
                a, b, bias = matrix(f"{at}{kind}.a").split(header["rank"]), matrix(f"{at}{kind}.b").chunk(len(parts)), tensor(f"{at}{kind}.bias").chunk(len(parts))
                for place, part in enumerate(parts):
                    own[2 * part], own[2 * part + 1] = as_merged(own[2 * part], a[place], b[place]), bias[place]
            for kind, part in zip(("attention_norm", "output_norm"), range(len(LAYER), len(LAYER) + len(NORMS))):
                own[2 * part], own[2 * part + 1] = tensor(f"{at}{kind}.gain"), tensor(f"{at}{kind}.bias")
        self.model.heads["claim.weight"], self.model.heads["claim.bias"] = tensor("claim.weights"), tensor("claim.bias")
        return tensors, header

    def merge(self, rounded=False) -> None:
        def merged(layer: int, at: int, values: torch.Tensor) -> torch.Tensor:
            if at >= 2 * len(LAYER) or at % 2 == 1:
                return values
            a, b = self.factors[layer][at // 2]
            return as_merged(values, as_stored(a), as_stored(b)) if rounded else values + b @ a

        self.model.own = [[merged(layer, at, values) for at, values in enumerate(own)] for layer, own in enumerate(self.own)]

    @torch.no_grad()
    def cut(self, rank: int) -> None:
        """Keeps the largest singular values of each change, and 8 bits of the biases' fractions, so that they compress."""
        for bias in self.biases:
            bias.copy_(short(bias))
        for layer in self.factors:
            for at, (a, b) in enumerate(layer):
                left, values, right = torch.linalg.svd(b @ a, full_matrices=False)
                root = values[:rank].sqrt()
                layer[at] = (root[:, None] * right[:rank], left[:, :rank] * root)
        self.rank = min(rank, self.rank)

    def write(self, path: Path, name: str, head: str, more: dict[str, torch.Tensor] | None = None) -> str:
        out: dict[str, tuple[str, np.ndarray]] = {}

        def matrix(name: str, *parts: torch.Tensor) -> None:
            codes, scales = quantised(torch.cat([part.detach() for part in parts]))
            out[f"{name}.codes"], out[f"{name}.scales"] = ("i8", codes), ("f32", scales)

        for layer, (factors, own) in enumerate(zip(self.factors, self.own)):
            at = f"layer.{layer}."
            for kind, parts in (("attention", (0, 1, 2)), ("output", (3,)), ("up", (4,)), ("down", (5,))):
                matrix(f"{at}{kind}.a", *(factors[part][0] for part in parts))
                matrix(f"{at}{kind}.b", *(factors[part][1] for part in parts))
                if self.biases:
                    out[f"{at}{kind}.bias"] = ("f32", torch.cat([own[2 * part + 1].detach() for part in parts]).numpy())
            for kind, part in zip(("attention_norm", "output_norm") if self.biases else (), range(len(LAYER), len(LAYER) + len(NORMS))):
                out[f"{at}{kind}.gain"], out[f"{at}{kind}.bias"] = (("f32", own[2 * part + side].detach().numpy()) for side in (0, 1))
        for part in ("weight", "bias"):
            out[f"{head}.{'weights' if part == 'weight' else part}"] = ("f32", self.model.heads[f"{head}.{part}"].detach().numpy())
        for name_of, values in (more or {}).items():
            out[name_of] = ("f32", values.detach().numpy())
        return weights.write(path, out, {"format": 1, "name": name, "base": self.base, "rank": self.rank})

    @torch.no_grad()
    def write_parity(self, path: Path, digest: str, merged=False) -> None:
        """Writes what torch computes with the rounded matrices, for tests of the product's merging."""
        if not merged:
            self.merge(True)
        state = {name: values.detach() for name, values in [*self.model.state.items(), *self.model.heads.items()]}
        for layer, own in enumerate(self.model.own):
            for at, part in enumerate((*LAYER, *NORMS)):
                for side, kind in enumerate(("weight", "bias")):
                    state[f"bert.encoder.layer.{layer}.{part}.{kind}"] = own[2 * at + side].detach()
        pieces = bytes(self.tensors["vocabulary"]).decode().split("\n")
        cases = make_cases(pieces)[:: 200 // PARITY_CASES]
        numbers = {name: values.numpy() for name, values in state.items()}
        vectors = vectors_of(numbers, self.header, cases)
        write_parity(path, digest, cases, vectors, outputs_of(numbers, vectors))


def short(values: torch.Tensor) -> torch.Tensor:
    return values.detach().bfloat16().float()


def quantised(matrix: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    codes, scales = weights.quantise_rows(matrix.detach().numpy(), 8)
    return codes, short(torch.from_numpy(scales)).numpy()


def as_stored(factor: torch.Tensor) -> torch.Tensor:
    codes, scales = quantised(factor)
    return torch.from_numpy(codes * scales[:, None])


def as_merged(matrix: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Rounds as the product does when it merges."""
    scale = matrix.abs().amax(1, keepdim=True) / 127
    changed = matrix + b @ a
    merged = torch.maximum(scale * NEW_SCALE, changed.abs().amax(1, keepdim=True) / 127)
    return (changed / merged).round() * merged


class Schedule:
    """AdamW with a rate that rises at first and falls to nothing."""

    def __init__(self, groups: list[list[torch.Tensor]], steps: int, minutes: float):
        self.optimiser = torch.optim.AdamW([dict(params=group, lr=RATE, weight_decay=0.01 if at == 0 else 0) for at, group in enumerate(groups)], betas=(0.9, 0.98))
        self.trained, self.steps, self.minutes, self.begun, self.step = groups[0], steps, minutes, time.monotonic(), 0

    def ended(self) -> bool:
        return self.share() >= 1

    def share(self) -> float:
        return max(self.step / self.steps, (time.monotonic() - self.begun) / 60 / self.minutes)

    def learn(self, loss: torch.Tensor) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = RATE * min(1, (self.step + 1) / WARM_STEPS) * max(0.02, 1 - self.share())
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimiser.step()
        self.step += 1
        if self.step % 20 == 0:
            print(f"step {self.step} of {self.steps}, {time.monotonic() - self.begun:.0f} s, loss {float(loss.detach()):.3f}", flush=True)


def read_claims(path: Path, pool: Pool) -> list[dict]:
    rows = [row for row in lines(path) if row["windows"] and row["fault"] != LEANING and row["kind"] != LEANING]
    return [dict(of=row["of"], text=row["claim"], claim=pool(row["claim"]), windows=[pool(one) for one in row["windows"]], true=float(not row["false"]), words=row["words"], kind=row["fault"]) for row in rows]


def read_pages(path: Path, pool: Pool, draw: random.Random) -> tuple[list[dict], list[dict]]:
    """Returns sentences about short pages: those to learn, and those of every sixth page, which are held out. A third of the former are beside another page, too."""
    learned, held = [], []
    pages = list(lines(path))
    texts = [f"{page['title']}\n{page['text']}" for page in pages]
    for at, page in enumerate(pages):
        for claim in page["claims"]:
            windows = [pool(texts[at])]
            if at % 6 != 0 and draw.random() < 1 / 3:
                windows.append(pool(texts[draw.choice([other for other in range(len(pages)) if other % 6 != 0 and other != at])]))
            row = dict(of="short page", text=claim["text"], claim=pool(claim["text"]), windows=windows, true=float(claim["label"] == "supported"), words=claim.get("false_words"), kind=claim["kind"])
            (held if at % 6 == 0 else learned).append(row)
    return learned, held


def read_public(data: Path, quotes: Path, rows_of_set: int, pool: Pool, draw: random.Random) -> list[tuple[int, int, int]]:
    found = []
    for name in PUBLIC_SETS:
        rows = [row for row in lines(data / "reader" / "claims" / f"{name}.jsonl.gz") if row["split"] != "dev"]
        draw.shuffle(rows)
        found += [(pool(row["claim"]), pool("\n" + row["evidence"]), LABELS[row["label"]]) for row in rows[:rows_of_set]]
    for row in lines(quotes):
        found += [(pool(row[kind]), pool(f"{row['title']} › {row['heading']}\n{row['quote']}"), label) for kind, label in WRITTEN.items()]
    return found


def read_pairs(options: argparse.Namespace, pool: Pool, draw: random.Random) -> tuple[list, list]:
    """Returns pairs (first, second, same, kind) to learn, and those of held-out collections."""
    learned, held = [], []

    def add(rows: list, a: str, b: str, same: bool, kind: str) -> None:
        rows.append((pool(a), pool(b), float(same), kind))

    for path in sorted(options.collections.glob("*.jsonl")):
        collection = list(lines(path))
        if collection[0].get("type") != "page":
            continue
        rows = held if part_of(path.stem) == HELD else learned
        written, questions = ([row for row in collection if row["type"] == kind] for kind in ("pair", "answerable"))
        for row in written:
            add(rows, row["a"], row["b"], row["same_answer"], "paraphrase" if row["same_answer"] else "hard negative")
            if row["same_answer"] and rows is learned and draw.random() < 0.2:
                add(rows, row["a"], misspelt(row["b"].lower().rstrip("?"), draw), True, "misspelt")
        for kind, found in (("other question", neighbours_of(written, draw)), ("nearest other question", nearest_of(questions, written))):
            for a, b in found:
                add(rows, a, b, False, kind)
    for path in sorted((options.data / "reader" / "pairs").glob("*.jsonl.gz")):
        rows = [row for row in lines(path) if row["split"] != "dev"]
        draw.shuffle(rows)
        for row in rows[: options.public_rows]:
            add(learned, row["a"], row["b"], row["same"], path.name.split(".")[0])
    for row in lines(options.rows):
        is_held = int(hashlib.sha1(min(row["a"], row["b"]).encode()).hexdigest(), 16) % 5 == 0
        for _ in range(1 if is_held else options.repeated):
            add(held if is_held else learned, row["a"], row["b"], row["same"], f"ours, {row['kind']}")
    return learned, held


def drawn_from(rows: list, size: int, queue: list[int], pick: np.random.Generator) -> list:
    if len(queue) < size:
        queue[:0] = pick.permutation(len(rows)).tolist()
    return [rows[queue.pop()] for _ in range(size)]


def train_claims(options: argparse.Namespace, pick: np.random.Generator, draw: random.Random) -> None:
    pool = Pool()
    rows, held = read_claims(options.rows, pool), read_claims(options.held, pool)
    learned, held_pages = read_pages(options.pages, pool, draw)
    rows += learned
    public = read_public(options.data, options.quotes, options.public_rows, pool, draw)
    adapted = Adapted(options.start, pool, options.rank, options.seed, True)
    model, texts = adapted.model, adapted.texts
    marker, marker_bias = torch.zeros(model.width, 1, requires_grad=True), torch.full((1,), 2.0, requires_grad=True)
    support_of = lambda vectors: (lambda labels: labels[:, 0] - torch.logsumexp(labels[:, 1:], 1))(model.head("claim", vectors))  # noqa: E731

    def read(first: list[int], second: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns unit vectors, a log odds for each token of the claim, and which of those are tokens."""
        a, b = np.array(first, np.int64), np.array(second, np.int64)
        lengths = texts.lengths(a, b)
        order = np.argsort(lengths, kind="stable")
        vectors, odds, marks = [], [], []
        for part in np.array_split(order, min(GROUPS, len(order))):
            ids, mask = texts.sequences(a[part], b[part], int(-(-lengths[part].max() // 8) * 8))
            count, width = ids.shape
            hidden = torch.zeros(count, 1, 1, width, dtype=model.dtype).masked_fill_(~mask[:, None, None, :], -1e4).expand(count, 1, width, width)
            states = model.states(ids, texts.places[:width], padded_attention(hidden), 0).float()
            vectors.append(normalize((states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True), dim=1))
            room = min(QUESTION_TOKENS, width - 1)
            own = torch.from_numpy(np.minimum(texts.length[a[part]], QUESTION_TOKENS))
            odds.append(torch.zeros(count, QUESTION_TOKENS).index_copy(1, torch.arange(room), (states[:, 1 : 1 + room] @ marker)[:, :, 0] + marker_bias))
            marks.append((torch.arange(QUESTION_TOKENS)[None] < own[:, None]) & (torch.arange(QUESTION_TOKENS)[None] < room))
        back = torch.from_numpy(np.argsort(order, kind="stable"))
        return torch.cat(vectors)[back], torch.cat(odds)[back], torch.cat(marks)[back]

    def supported_tokens(row: dict) -> np.ndarray:
        right = np.ones(QUESTION_TOKENS, np.float32)
        if row["words"] and row["words"] in row["text"]:
            start = row["text"].index(row["words"])
            for at, (first, last) in enumerate(adapted.offsets[row["claim"]]):
                right[at] = float(last <= start or first >= start + len(row["words"]))
        return right

    @torch.no_grad()
    def measure(rounded: bool) -> None:
        adapted.merge(rounded)
        cuts = None
        for name in ("draft", "page", "short page"):
            some = [row for row in held + held_pages if row["of"] == name]
            scores, weakest = [], []
            for row in some:
                vectors, odds, marks = read([row["claim"]] * len(row["windows"]), row["windows"])
                support = support_of(vectors)
                best = int(support.argmax())
                scores.append(float(support[best]))
                weakest.append(float(odds[best][marks[best]].min()) if marks[best].any() else 0.0)
            true, score = np.array([row["true"] for row in some]), np.array(scores)
            cuts = [np.quantile(score[true == 1], share) for share in (0.05, 0.12)] if cuts is None else cuts
            below = [(int((score[true == 1] < cut).sum()), int((score[true == 0] < cut).sum())) for cut in cuts]
            kinds = np.array([row["kind"] for row in some])
            by_kind = ", ".join(f"{kind} {int((score[kinds == kind] < cuts[1]).sum())} of {int((kinds == kind).sum())}" for kind in sorted(set(kinds)))
            print(f"{'rounded' if rounded else 'exact'}, {name}: {int(true.sum())} true, {int((true == 0).sum())} false, AUROC {roc_auc_score(true, score):.3f}, of the weakest token {roc_auc_score(true, weakest):.3f}; true and false ones below the scores that 5 and 12 % of the true sentences of drafts are below: {below}; by kind, below the second: {by_kind}", flush=True)

    schedule = Schedule([adapted.trained(), [model.heads["claim.weight"], model.heads["claim.bias"], marker, marker_bias]], int(options.passes * len(rows) / options.batch), options.minutes)
    queue: list[int] = []
    while not schedule.ended():
        drawn = drawn_from(rows, options.batch, queue, pick)
        beside = [public[i] for i in pick.choice(len(public), 2 * options.batch, replace=False)]
        first, second, owner = [], [], []
        for at, row in enumerate(drawn):
            windows = row["windows"] if len(row["windows"]) <= WINDOWS else row["windows"][: WINDOWS - 1] + row["windows"][-1:]
            first += [row["claim"]] * len(windows)
            second += windows
            owner += [at] * len(windows)
        adapted.merge()
        vectors, odds, marks = read(first + [one[0] for one in beside], second + [one[1] for one in beside])
        support, true = support_of(vectors[: len(owner)]), torch.tensor([row["true"] for row in drawn])
        share = torch.tensor([1.0 if row["of"] == "page" else TRUE_SHARE if row["true"] else FALSE_SHARE for row in drawn])
        best = torch.full((len(drawn),), -1e4).scatter_reduce(0, torch.tensor(owner), support, "amax")
        loss = binary_cross_entropy_with_logits(best, true, weight=share)
        # The words of a sentence are judged in its best window.
        said, whose = support.detach().numpy(), np.array(owner)
        chosen = [np.flatnonzero(whose == at)[said[whose == at].argmax()] for at in range(len(drawn))]
        right, odds, marks = torch.from_numpy(np.stack([supported_tokens(row) for row in drawn])), odds[chosen], marks[chosen]
        of_token = torch.where(right > 0, 0.3, 2.0) * marks
        loss = loss + 0.5 * (binary_cross_entropy_with_logits(odds, right, reduction="none") * of_token).sum() / of_token.sum().clamp(min=1)
        weakest = -torch.logsumexp((-2 * odds).masked_fill(~marks, -1e4), 1) / 2
        loss = loss + 0.5 * binary_cross_entropy_with_logits(weakest, true, weight=share)
        chances, label = model.head("claim", vectors[len(owner) :]).log_softmax(1), torch.tensor([one[2] for one in beside])
        # Contradicted and not found are not told apart in some sets.
        told = torch.where(label == LABELS["unsupported"], torch.logsumexp(chances[:, 1:], 1), chances.gather(1, label.clamp(max=2)[:, None])[:, 0])
        schedule.learn(loss - 0.5 * told.mean())
    measure(False)
    adapted.cut(options.stored_rank)
    measure(True)
    adapted.write_parity(options.parity, adapted.write(options.out, options.name, "claim", {"claim_tokens.weights": marker.T, "claim_tokens.bias": marker_bias}))


@torch.no_grad()
def train_tokens(options: argparse.Namespace, pick: np.random.Generator, draw: random.Random) -> None:
    """Fits a logistic regression over the last states of the tokens of each sentence in its best window."""
    pool = Pool()
    rows, held = read_claims(options.rows, pool), read_claims(options.held, pool)
    learned, held_pages = read_pages(options.pages, pool, draw)
    adapted = Adapted(options.start, pool, 1, options.seed, False)
    tensors, header = adapted.take(options.adapter)
    model, texts = adapted.model, adapted.texts

    def states_of(some: list[dict]) -> list[np.ndarray]:
        """Returns the states of the claim's tokens, sentence by sentence."""
        first = np.array([row["claim"] for row in some for _ in row["windows"]])
        second = np.array([window for row in some for window in row["windows"]])
        owner = np.repeat(np.arange(len(some)), [len(row["windows"]) for row in some])
        best, found = np.full(len(some), -np.inf), [np.zeros((0, model.width), np.float32)] * len(some)
        lengths = texts.lengths(first, second)
        for part in np.array_split(np.argsort(lengths, kind="stable"), max(1, len(first) // 64)):
            ids, mask = texts.sequences(first[part], second[part], int(-(-lengths[part].max() // 8) * 8))
            count, width = ids.shape
            hidden = torch.zeros(count, 1, 1, width, dtype=model.dtype).masked_fill_(~mask[:, None, None, :], -1e4).expand(count, 1, width, width)
            states = model.states(ids, texts.places[:width], padded_attention(hidden), 0).float()
            labels = model.head("claim", normalize((states * mask[:, :, None]).sum(1), dim=1))
            support = (labels[:, 0] - torch.logsumexp(labels[:, 1:], 1)).numpy()
            for at, one in enumerate(part):
                if support[at] > best[owner[one]]:
                    best[owner[one]] = support[at]
                    found[owner[one]] = states[at, 1 : 1 + min(texts.length[first[one]], QUESTION_TOKENS)].numpy().copy()
        return found

    def marks_of(row: dict, count: int) -> np.ndarray:
        start = row["text"].find(row["words"]) if row["words"] else -1
        places = adapted.offsets[row["claim"]][:count]
        return np.array([float(start < 0 or last <= start or first >= start + len(row["words"])) for first, last in places])

    known = [row for row in rows + learned if row["true"] or row["words"]]
    states = states_of(known)
    marks = [marks_of(row, len(one)) for row, one in zip(known, states)]
    fitted = LogisticRegression(C=0.1, max_iter=300).fit(np.concatenate(states), np.concatenate(marks))
    for name, some in (("drafts and pages", held), ("short pages", held_pages)):
        false = [row for row in some if row["words"]]
        hit, said, right, words = 0, 0, 0, 0
        for row, one in zip(false, states_of(false)):
            odds, mark = fitted.decision_function(one), marks_of(row, len(one))
            doubted = odds <= max(0, odds.min())
            hit, said, right, words = hit + bool((doubted & (mark == 0)).any()), said + doubted.sum(), right + (doubted & (mark == 0)).sum(), words + (mark == 0).sum()
        print(f"{name}: false words found in {hit} of {len(false)} sentences; {right} of {said} doubted tokens are false, of {words} false ones")
    out = {name: (entry["type"], tensors[name]) for name, entry in header["tensors"].items() if not name.startswith("claim_tokens")}
    out["claim_tokens.weights"], out["claim_tokens.bias"] = ("f32", fitted.coef_.astype(np.float32)), ("f32", fitted.intercept_.astype(np.float32))
    model.own, adapted.rank = adapted.own, header["rank"]
    digest = weights.write(options.out, out, {"format": 1, "name": options.name, "base": adapted.base, "rank": header["rank"]})
    adapted.write_parity(options.parity, digest, merged=True)


def train_questions(options: argparse.Namespace, pick: np.random.Generator, draw: random.Random) -> None:
    pool = Pool()
    rows, held = read_pairs(options, pool, draw)
    adapted = Adapted(options.start, pool, options.rank, options.seed, False)
    model = adapted.model

    @torch.no_grad()
    def measure(rounded: bool) -> None:
        adapted.merge(rounded)
        first, second = np.array([row[0] for row in held]), np.array([row[1] for row in held])
        score = np.zeros(len(held))
        for a, b in ((first, second), (second, first)):
            for part, vectors in model.many(a, b):
                score[part] += model.head("same", vectors)[:, 0].numpy() / 2
        same, kinds = np.array([row[2] for row in held]), np.array([row[3] for row in held])
        cut = np.quantile(score[same == 0], 0.99)
        by_kind = ", ".join(f"{kind} {(score[kinds == kind] > cut).mean():.2f} of {(kinds == kind).sum()}" for kind in sorted(set(kinds)))
        print(f"{'rounded' if rounded else 'exact'}: {len(held)} pairs, AUROC {roc_auc_score(same, score):.3f}; above what 1 % of others are above: {(score[same == 1] > cut).mean():.3f} of those that ask the same; {by_kind}", flush=True)

    schedule = Schedule([adapted.trained(), [model.heads["same.weight"], model.heads["same.bias"]]], int(options.passes * len(rows) / options.batch), options.minutes)
    queue: list[int] = []
    measure(False)
    while not schedule.ended():
        drawn = drawn_from(rows, options.batch, queue, pick)
        turned = pick.random(len(drawn)) < 0.5
        first = np.array([row[1] if turn else row[0] for row, turn in zip(drawn, turned)])
        second = np.array([row[0] if turn else row[1] for row, turn in zip(drawn, turned)])
        adapted.merge()
        said = model.head("same", model.vectors(first, second, groups=GROUPS))[:, 0]
        schedule.learn(binary_cross_entropy_with_logits(said, torch.tensor([row[2] for row in drawn])))
    measure(False)
    adapted.cut(options.stored_rank)
    measure(True)
    adapted.write_parity(options.parity, adapted.write(options.out, options.name, "same"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("head", choices=("claims", "tokens", "questions"))
    parser.add_argument("--start", type=Path, required=True, help="weights of the cross-encoder")
    parser.add_argument("--adapter", type=Path, help="finished adapter that gets another output per token")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--held", type=Path, help="claims that are not learned")
    parser.add_argument("--pages", type=Path, help="short pages with sentences: ../../sets/short-pages.jsonl")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--quotes", type=Path)
    parser.add_argument("--collections", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parity", type=Path, required=True, help="where cases for tests go")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--stored-rank", type=int, default=8, help="kept of the trained rank")
    parser.add_argument("--passes", type=float, default=3)
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--public-rows", type=int, default=3000, help="of a public set at most")
    parser.add_argument("--repeated", type=int, default=3, help="how often a pass has each of our own pairs")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # One thread: two that wait for each other on busy cores are many times slower.
    torch.set_num_threads(1)
    pick, draw = np.random.default_rng(options.seed), random.Random(options.seed)
    dict(claims=train_claims, tokens=train_tokens, questions=train_questions)[options.head](options, pick, draw)


if __name__ == "__main__":
    main()
