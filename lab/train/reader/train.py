"""Trains the reader. One run: `python3 train.py --data DIR --start start.npz --out DIR --layers 0,1,2,3,4,5 --minutes 8`.

Answers: listwise over what retrieval brought up (a null of logit 0 is a candidate, so that "none of these" can win), each passage by itself,
start and end of the answer, and the tokens of the answering sentence. Claims: three ways, or two where the set does not tell them apart.
Pairs: the same question or not. With --teacher the logits of a larger reader are learned beside the labels.
"""

import argparse
import json
import os
import time
from pathlib import Path

import torch
from torch.nn import functional as F

from batches import Batches, to_device
from data import Answers, Claims, Pairs, Tokens, lines, read_passages
from evaluate import evaluate
from model import from_start, load, save

MASKED = -1e4


def answers_loss(reader, teacher, batch) -> tuple[torch.Tensor, dict]:
    labels, grid = batch["labels"], batch["grid"]
    logits = labels.new_zeros(len(labels))
    zero = labels.new_zeros(())
    token_loss, span_loss, soft_loss, tokens, spans = zero, zero, zero, zero, zero
    share = 1 / len(batch["parts"])
    for part in batch["parts"]:
        hidden = reader(part["ids"], part["types"])
        own = reader.head_answer(hidden[:, 0]).squeeze(-1).float()
        logits = logits.index_put((part["places"],), own)
        by_token = reader.head_tokens(hidden).float()
        text, wanted = part["text"], part["wanted"]
        # Tokens of an answering sentence are few: each weighs four times.
        weight = (text & part["known"][:, None]) * (1 + 3 * wanted)
        token_loss = token_loss + (F.binary_cross_entropy_with_logits(by_token[..., 2], wanted, reduction="none") * weight).sum()
        tokens = tokens + weight.sum()
        for channel, ends in enumerate((part["first"], part["last"])):
            has = ends.any(1)
            scores = by_token[..., channel].masked_fill(~text, MASKED)
            hit = torch.logsumexp(scores.masked_fill(~ends, MASKED), 1)
            span_loss = span_loss + ((torch.logsumexp(scores, 1) - hit) * has).sum() / 2
            spans = spans + has.sum() / 2
        if teacher is not None:
            with torch.no_grad():
                above = teacher(part["ids"], part["types"])
                above_answer, above_tokens = teacher.head_answer(above[:, 0]).squeeze(-1).float(), teacher.head_tokens(above).float()
            soft = F.binary_cross_entropy_with_logits(by_token[..., 2], above_tokens[..., 2].sigmoid(), reduction="none")
            soft_loss = soft_loss + 0.25 * F.mse_loss(own, above_answer) * share + 3 * (soft * text).sum() / text.sum().clamp(min=1) * share
            answered = (labels[part["places"]] == 1).float()
            for channel in (0, 1):
                mine = by_token[..., channel].masked_fill(~text, MASKED).log_softmax(1)
                theirs = above_tokens[..., channel].masked_fill(~text, MASKED).softmax(1)
                soft_loss = soft_loss - 0.3 * ((theirs * mine).sum(1) * answered).sum() / answered.sum().clamp(min=1) * share
    there = grid >= 0
    listed = torch.where(there, labels[grid.clamp(min=0)], labels.new_full((), -1))
    scores = torch.where(there, logits[grid.clamp(min=0)], logits.new_full((), MASKED))
    null = scores.new_zeros(len(grid), 1)
    everything = torch.logsumexp(torch.cat([scores.masked_fill(listed < 0, MASKED), null], 1), 1)
    right = torch.logsumexp(scores.masked_fill(listed != 1, MASKED), 1)
    list_loss = (everything - torch.where((listed == 1).any(1), right, null.squeeze(1))).mean()
    one = F.binary_cross_entropy_with_logits(logits, labels.clamp(min=0), reduction="none")
    # A list holds one passage that answers and a dozen that do not.
    one = (one * (labels >= 0) * (1 + 3 * (labels == 1))).sum() / (labels >= 0).sum().clamp(min=1)
    token_loss, span_loss = token_loss / tokens.clamp(min=1), span_loss / spans.clamp(min=1)
    parts = dict(list=list_loss, one=one, token=token_loss, span=span_loss, soft=soft_loss)
    return list_loss + one + 3 * token_loss + 0.3 * span_loss + soft_loss, parts


def claims_loss(reader, teacher, batch) -> torch.Tensor:
    labels, weights = batch["labels"], batch["weights"]
    loss = weights.new_zeros(())
    for part in batch["parts"]:
        log = reader.head_claim(reader(part["ids"], part["types"])[:, 0]).float().log_softmax(1)
        label = labels[part["places"]]
        own = log.gather(1, label.clamp(max=2)[:, None]).squeeze(1)
        either = torch.logsumexp(log[:, 1:], 1)
        loss = loss - (torch.where(label == 3, either, own) * weights[part["places"]]).sum()
        if teacher is not None:
            with torch.no_grad():
                above = teacher.head_claim(teacher(part["ids"], part["types"])[:, 0]).float().softmax(1)
            loss = loss - (above * log).sum()
    return loss / len(labels)


def pairs_loss(reader, teacher, batch) -> torch.Tensor:
    labels = batch["labels"]
    loss = labels.new_zeros(())
    for part in batch["parts"]:
        logits = reader.head_pair(reader(part["ids"], part["types"])[:, 0]).squeeze(-1).float()
        loss = loss + F.binary_cross_entropy_with_logits(logits, labels[part["places"]], reduction="sum")
        if teacher is not None:
            with torch.no_grad():
                above = teacher.head_pair(teacher(part["ids"], part["types"])[:, 0]).squeeze(-1).float().sigmoid()
            loss = loss + F.binary_cross_entropy_with_logits(logits, above, reduction="sum")
    return loss / len(labels)


def read(args) -> dict:
    """Of each family the rows of training and of dev groups."""
    tokens = Tokens(args.vocabulary)
    passages, place = read_passages(args.data, tokens) if args.lists > 0 else (None, {})
    makers = dict(
        answers=("lists", lambda rows: Answers(rows, passages, place, tokens)),
        claims=("claims", lambda rows: Claims(rows, tokens)),
        pairs=("pairs", lambda rows: Pairs(rows, tokens)),
    )
    families = {}
    for name, (file, make) in makers.items():
        if name == "answers" and args.lists == 0:
            families[name] = [None, None]
            continue
        rows = lines(args.data, file)
        both = [[row for row in rows if (row["split"] == "dev") == dev] for dev in (False, True)]
        families[name] = [make(some) for some in both]
        print(f"{name}: {len(both[0])} train, {len(both[1])} dev", flush=True)
    return families


def optimizer_of(reader, rate: float, device: str):
    is_head = lambda name: name.startswith("head_")
    named = [(n, p) for n, p in reader.named_parameters() if p.requires_grad]
    groups = [
        dict(params=[p for n, p in named if not is_head(n) and p.ndim >= 2], lr=rate, weight_decay=0.01),
        dict(params=[p for n, p in named if not is_head(n) and p.ndim < 2], lr=rate, weight_decay=0.0),
        dict(params=[p for n, p in named if is_head(n)], lr=rate * 5, weight_decay=0.0),
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=device == "cuda"), [group["lr"] for group in groups]


def train(reader, teacher, batches, args, device) -> None:
    optimizer, base = optimizer_of(reader, args.rate, device)
    reader.train()
    began, step, sums = time.monotonic(), 0, {}
    kept = began
    for batch in batches:
        done = (time.monotonic() - began) / 60 / args.minutes
        if done >= 1:
            break
        for group, rate in zip(optimizer.param_groups, base):
            group["lr"] = rate * min(1, (step + 1) / 200) * (1 - done)
        batch = to_device(batch, device)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            parts = {}
            if batch["answers"] is not None:
                loss, parts = answers_loss(reader, teacher, batch["answers"])
                loss.backward()
            parts["claims"] = 1.5 * claims_loss(reader, teacher, batch["claims"])
            parts["claims"].backward()
            parts["pairs"] = 0.7 * pairs_loss(reader, teacher, batch["pairs"])
            parts["pairs"].backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step += 1
        for key, value in parts.items():
            sums[key] = sums.get(key, 0) + value.detach()
        if step % args.log == 0:
            print(f"step {step}, {100 * done:.0f} %: " + ", ".join(f"{k} {float(v) / args.log:.3f}" for k, v in sums.items()), flush=True)
            sums = {}
        if time.monotonic() - kept > 600:
            save(reader, args.out, f"{args.name}.part")
            kept = time.monotonic()
    print(f"trained {step} steps in {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--vocabulary", type=Path, required=True)
    options.add_argument("--start", type=Path, required=True, help="packed weights to begin with")
    options.add_argument("--from", dest="again", default="", help="folder/name of a trained reader to begin with instead")
    options.add_argument("--teacher", default="", help="folder/name of a trained reader")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--name", default="reader")
    options.add_argument("--layers", default="0,1,2,3,4,5", help="layers that are kept of what it begins with")
    options.add_argument("--minutes", type=float, default=8, help="the schedule ends with this time")
    options.add_argument("--rate", type=float, default=1.5e-4)
    options.add_argument("--lists", type=int, default=32)
    options.add_argument("--width", type=int, default=12)
    options.add_argument("--claims", type=int, default=256)
    options.add_argument("--pairs", type=int, default=192)
    options.add_argument("--head-share", type=float, default=0.6)
    options.add_argument("--removed", type=float, default=0.12, help="share of lists whose answering passages are left out")
    options.add_argument("--workers", type=int, default=max(0, (os.cpu_count() or 1) - 2))
    options.add_argument("--freeze-words", action="store_true", help="leave the vectors of words and places as they are: half of the time without a device")
    options.add_argument("--log", type=int, default=250, help="steps between two lines")
    options.add_argument("--seed", type=int, default=1)
    args = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    began = time.monotonic()
    families = read(args)
    print(f"read after {time.monotonic() - began:.0f} s", flush=True)

    layers = tuple(int(layer) for layer in args.layers.split(","))
    reader = (from_reader(args.again, layers) if args.again else from_start(args.start, layers)).to(device)
    if args.freeze_words:
        reader.bert.embeddings.requires_grad_(False)
    teacher = None
    if args.teacher:
        folder, _, name = args.teacher.rpartition("/")
        teacher = load(Path(folder), name).to(device).eval()
    args.out.mkdir(parents=True, exist_ok=True)
    dataset = Batches({name: pair[0] for name, pair in families.items()}, args)
    prefetch = dict(prefetch_factor=4) if args.workers > 0 else {}
    batches = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=args.workers, pin_memory=device == "cuda", **prefetch)
    train(reader, teacher, batches, args, device)
    save(reader, args.out, args.name)
    reader.eval()
    report = evaluate(reader, {name: pair[1] for name, pair in families.items()}, device)
    (args.out / f"{args.name}.report.json").write_text(json.dumps(report, indent=1))
    for key, value in report.items():
        print(f"{key:60} {value}", flush=True)


def from_reader(path: str, layers: tuple[int, ...]):
    """Every parameter of a trained reader but the layers that are left out."""
    folder, _, name = path.rpartition("/")
    whole = load(Path(folder), name)
    whole.bert.encoder["layer"] = torch.nn.ModuleList(whole.bert.encoder["layer"][layer] for layer in layers)
    whole.sizes = {**whole.sizes, "layers": len(layers)}
    return whole


if __name__ == "__main__":
    main()
