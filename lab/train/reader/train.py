"""Trains the reader on with questions whose answering pieces are known: `python3 train.py --rows rows.jsonl.gz written.jsonl.gz --work DIR --out reader.safetensors`.

The rows are those of `../chooser/dump.ts`. A step takes questions of many sets; each has one piece that answers, those that the product brought up beside it
and were hardest to tell apart, the pieces of other groups, and a learned bar for "nothing here answers". Vectors of words stay as the file will hold them.

What learns from the reader's cosines needs those of an encoder that did not see the question: before the reader that ships, one is trained for each fold of the
groups, and DIR gets every file of rows once more with the cosines of the encoder that saw the other folds. A finished part is kept in DIR and not trained again.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch.nn.functional import gelu, layer_norm, linear, normalize, scaled_dot_product_attention

import weights
from export import in_package, read_state

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
EMBEDDING_BITS = 4
#: Tokens of a training text; longer ones are cut.
TOKENS = 128
QUESTIONS, PIECES = 16, 7
SCALE = 20.0
RATE = 2e-5
WARM = 0.1
#: Share of the questions of a step that is written in small letters without its mark.
PLAIN = 0.2
#: Tokens of a question that are looked for in a piece.
ASKED_TOKENS = 64
#: A public set counts so many times as much as a written collection of its size: there are ten of them, and questions there are of other kinds.
PUBLIC_SHARE = 4
#: Hard pieces of a question, among which those of a step are drawn.
HARD = 14


class Encoder:
    """The forward pass of `forward.py` for many texts at once, trainable but for the vectors of words."""

    def __init__(self, state: dict[str, np.ndarray], pieces: list[str], tokenizer: Tokenizer):
        rounded = weights.rounded_words(state["bert.embeddings.word_embeddings.weight"], pieces, EMBEDDING_BITS)
        self.state = {name: torch.tensor(values, dtype=torch.float32) for name, values in state.items() if ".pooler." not in name and "position_ids" not in name}
        self.state["bert.embeddings.word_embeddings.weight"] = torch.from_numpy(rounded)
        for name, values in self.state.items():
            values.requires_grad = not name.startswith("bert.embeddings.")
        self.tokenizer = tokenizer

    def trained(self) -> list[torch.Tensor]:
        return [values for values in self.state.values() if values.requires_grad]

    def states(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        def affine(name, x):
            return linear(x.bfloat16(), self.state[f"{name}.weight"].bfloat16(), self.state[f"{name}.bias"].bfloat16()).float()

        def norm(name, x):
            return layer_norm(x, x.shape[-1:], self.state[f"{name}.weight"], self.state[f"{name}.bias"], EPSILON)

        texts, tokens = ids.shape
        at = "bert.embeddings."
        x = self.state[at + "word_embeddings.weight"][ids] + self.state[at + "position_embeddings.weight"][:tokens] + self.state[at + "token_type_embeddings.weight"][0]
        x = norm(at + "LayerNorm", x)
        seen = mask[:, None, None, :].bool()
        for layer in range(LAYERS):
            at = f"bert.encoder.layer.{layer}."
            q, k, v = (affine(f"{at}attention.self.{part}", x).view(texts, tokens, HEADS, -1).transpose(1, 2) for part in ("query", "key", "value"))
            mixed = scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).reshape(texts, tokens, -1)
            x = norm(at + "attention.output.LayerNorm", x + affine(at + "attention.output.dense", mixed))
            x = norm(at + "output.LayerNorm", x + affine(at + "output.dense", gelu(affine(at + "intermediate.dense", x))))
        return x

    def batches(self, texts: list[str], batch: int):
        """Places of the texts, their states and what of them is text, batch by batch; texts of like length are read together."""
        encoded = self.tokenizer.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i].ids))
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            some = [encoded[i].ids for i in places]
            ids = torch.zeros(len(some), max(map(len, some)), dtype=torch.long)
            mask = torch.zeros_like(ids)
            for row, own in enumerate(some):
                ids[row, : len(own)], mask[row, : len(own)] = torch.tensor(own), 1
            yield places, self.states(ids, mask), mask

    def vectors(self, texts: list[str], batch=32) -> torch.Tensor:
        """Unit vectors in the order of the texts."""
        order, parts = [], []
        for places, states, mask in self.batches(texts, batch):
            order += places
            parts.append(mean_of(states, mask))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(parts)[back]

    def readings(self, texts: list[str], batch=32) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Of each text its unit vector, and the unit states of its tokens without the two that frame it."""
        read: list = [None] * len(texts)
        for places, states, mask in self.batches(texts, batch):
            for row, (place, vector) in enumerate(zip(places, mean_of(states, mask))):
                read[place] = (vector, normalize(states[row, 1 : int(mask[row].sum()) - 1], dim=1))
        return read

    def save(self, path: Path, bar: float) -> None:
        save_file({name: values.detach().contiguous() for name, values in self.state.items()}, path, metadata=dict(bar=str(bar)))


def mean_of(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    kept = mask[:, :, None].float()
    return normalize((states * kept).sum(1) / kept.sum(1), dim=1)


def match_of(asked: torch.Tensor, piece: torch.Tensor) -> list[float] | None:
    """How the tokens of a question find their like in a piece, as `src/write/token-match.ts`."""
    if len(asked) == 0 or len(piece) == 0:
        return None
    cosines = asked[:ASKED_TOKENS] @ piece.T
    found = cosines.max(1).values.sort().values
    return [round(float(v), 4) for v in (found.mean(), found[0], found[: max(1, len(found) // 2)].mean(), cosines.max(0).values.mean())]


def start() -> Encoder:
    tokenizer = Tokenizer.from_file(str(in_package("tokenizer.json")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    pieces = in_package("vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return Encoder(read_state(in_package("model.safetensors")), pieces, tokenizer)


def read_rows(path: Path) -> tuple[dict, list[dict]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        head = json.loads(file.readline())
        return head, [json.loads(line) for line in file]


def fold_of(group: str, folds: int) -> int:
    return int(hashlib.sha1(f"reader-3{group}".encode()).hexdigest(), 16) % folds


def hardest(question: dict) -> list[str]:
    """Pieces that do not answer and look most as if they did: half by the cosine of the encoder before it is trained, half in the order of the file."""
    wrong = [piece for piece in question["pieces"] if not piece["y"]]
    by_cosine = sorted(wrong, key=lambda piece: -piece["before"])[: HARD // 2]
    return list(dict.fromkeys([piece["text"] for piece in [*by_cosine, *wrong[: HARD // 2]]]))


def train(questions: list[dict], epochs: float, seed: int, name: str) -> tuple[Encoder, float]:
    torch.manual_seed(seed)
    draw, pick = random.Random(seed), np.random.default_rng(seed)
    encoder = start()
    bar = torch.nn.Parameter(torch.tensor(0.5))
    optimiser = torch.optim.AdamW(
        [dict(params=encoder.trained(), lr=RATE, weight_decay=0.01), dict(params=[bar], lr=2e-3, weight_decay=0)], betas=(0.9, 0.98)
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    rows = [(q["group"], q["question"], [p["text"] for p in q["pieces"] if p["y"]], hardest(q)) for q in questions]
    # A set counts by the root of its size, as in the chooser.
    sets = [q["set"] for q in questions]
    size = {one: sets.count(one) for one in set(sets)}
    share = np.array([size[one] ** -0.5 * (1 if q["group"] == one else PUBLIC_SHARE) for one, q in zip(sets, questions)])
    steps = max(1, round(epochs * len(rows) / QUESTIONS))
    begun, loss_sum, hits = time.monotonic(), 0.0, 0.0
    for step in range(steps):
        done = step / steps
        for group, rate in zip(optimiser.param_groups, rates):
            group["lr"] = rate * min((done + 1 / steps) / WARM, (1 - done) / (1 - WARM))
        asked, texts, owner, spans, right = [], [], [], [], []
        for group, question, answers, others in (rows[i] for i in pick.choice(len(rows), QUESTIONS, replace=False, p=share / share.sum())):
            own = [draw.choice(answers)] if answers else []
            own += draw.sample(others, min(len(others), PIECES - len(own)))
            spans.append((len(texts), len(texts) + len(own)))
            right.append(bool(answers))
            texts += own
            owner += [group] * len(own)
            asked.append(question.lower().rstrip("?") if draw.random() < PLAIN else question)
        vectors = encoder.vectors(asked + texts)
        cosines = vectors[: len(asked)] @ vectors[len(asked) :].T
        loss = torch.zeros(())
        for i, (first, end) in enumerate(spans):
            others = torch.tensor([group != owner[first] for group in owner]) if end > first else torch.ones(len(owner), dtype=torch.bool)
            logits = SCALE * torch.cat([cosines[i, first:end], bar[None], cosines[i][others]])
            target = 0 if right[i] else end - first
            loss = loss - logits.log_softmax(0)[target] / len(spans)
            hits += float(int(logits[: end - first + 1].argmax()) == target) / len(spans)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.trained(), 1.0)
        optimiser.step()
        loss_sum += float(loss.detach())
        if (step + 1) % 20 == 0 or step + 1 == steps:
            n = (step + 1) % 20 or 20
            took = time.monotonic() - begun
            left = took / (step + 1) * (steps - step - 1) / 60
            print(f"{name}: step {step + 1} of {steps}, loss {loss_sum / n:.3f}, right {hits / n:.2f}, bar {float(bar.detach()):.2f}, {left:.0f} min left", flush=True)
            loss_sum = hits = 0.0
    return encoder, float(bar.detach())


def part(path: Path, questions: list[dict], options: argparse.Namespace) -> Encoder:
    """A trained encoder, from its file where that is there."""
    if path.exists():
        encoder = start()
        encoder.state = load_file(path)
        return encoder
    encoder, bar = train(questions, options.epochs, options.seed, path.stem)
    encoder.save(path, bar)
    return encoder


def texts_of(questions: list[dict]) -> list[str]:
    return list(dict.fromkeys(text for q in questions for text in [q["question"], *(piece["text"] for piece in q["pieces"])]))


def cosines_before(questions: list[dict]) -> None:
    encoder, texts = start(), texts_of(questions)
    place = {text: i for i, text in enumerate(texts)}
    with torch.no_grad():
        vectors = torch.cat([encoder.vectors(texts[at : at + 2048]) for at in range(0, len(texts), 2048)]).numpy()
    for q in questions:
        for piece in q["pieces"]:
            piece["before"] = round(float(vectors[place[piece["text"]]] @ vectors[place[q["question"]]]), 4)


def readings_of(encoder: Encoder, questions: list[dict]) -> None:
    """Questions of one document stand together and share its pieces; the states of all texts at once would take too much memory."""
    begun = time.monotonic()
    with torch.no_grad():
        for at in range(0, len(questions), 64):
            some = questions[at : at + 64]
            texts = texts_of(some)
            read = dict(zip(texts, encoder.readings(texts)))
            for q in some:
                vector, tokens = read[q["question"]]
                for piece in q["pieces"]:
                    own, states = read[piece["text"]]
                    piece["reading"], piece["match"] = round(float(own @ vector), 4), match_of(tokens, states)
            if at % 512 == 0:
                print(f"read {at} of {len(questions)} questions, {time.monotonic() - begun:.0f} s", flush=True)


def count_right(questions: list[dict]) -> str:
    answerable = [q for q in questions if any(piece["y"] for piece in q["pieces"])]
    before, now = (sum(max(q["pieces"], key=lambda piece: piece[name])["y"] for q in answerable) for name in ("before", "reading"))
    return f"of {len(answerable)} by the cosine alone {before} before, {now} now"


def write_rows(path: Path, head: dict, rows: list[dict]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=4) as file:
        for row in [head, *rows]:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, nargs="+", required=True, help="of ../chooser/dump.ts")
    parser.add_argument("--check", type=Path, help="questions that nothing is learned from")
    parser.add_argument("--work", type=Path, required=True, help="gets what is trained for each fold, and the rows with its cosines")
    parser.add_argument("--out", type=Path, required=True, help="the encoder that learned from all, for export.py --state")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    files = [(path, *read_rows(path)) for path in options.rows]
    questions = [q for _, _, rows in files for q in rows if q["pieces"]]
    answerable = [q for q in questions if any(piece["y"] for piece in q["pieces"])]
    print(f"{len(questions)} questions, {sum(any(piece['y'] for piece in q['pieces']) for q in questions)} with a piece that answers", flush=True)
    cosines_before(questions)
    print("cosines before", flush=True)
    for fold in range(options.folds):
        inside = [q for q in questions if fold_of(q["group"], options.folds) != fold]
        outside = [q for q in questions if fold_of(q["group"], options.folds) == fold]
        readings_of(part(options.work / f"fold-{fold}.safetensors", inside, options), outside)
        for name in sorted({q["set"] for q in outside}):
            print(f"  {name}: {count_right([q for q in outside if q['set'] == name])}")
        print(f"fold {fold}, not seen: {count_right(outside)}", flush=True)
    for path, head, rows in files:
        write_rows(options.work / path.name, head, rows)
    encoder = part(options.out, questions, options)
    if options.check is not None:
        head, rows = read_rows(options.check)
        asked = [q for q in rows if q["pieces"]]
        cosines_before(asked)
        readings_of(encoder, asked)
        print(f"{options.check.name}: {count_right(asked)}")
        write_rows(options.work / options.check.name, head, rows)


if __name__ == "__main__":
    main()
