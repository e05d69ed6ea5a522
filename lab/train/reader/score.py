"""Adds to every piece of `dump.ts --texts` what the reader says of it: `python3 score.py --state reader.pt --rows a.jsonl.gz b.jsonl.gz --vocabulary vocab.txt --out scored.jsonl.gz`.

Only questions of dev groups: what learns from these numbers must see the reader on texts that it was not trained on. Each place of a document once.
"""

import argparse
import gzip
import hashlib
import json
from collections import defaultdict
from pathlib import Path

import torch

from evaluate import first_states
from model import Reader
from rows import Lists, Tokens, read


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--state", type=Path, required=True)
    options.add_argument("--rows", type=Path, nargs="+", required=True)
    options.add_argument("--vocabulary", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--limit", type=int, default=600, help="questions of a set at most, drawn by hash")
    args = options.parse_args()
    head, by_set = None, defaultdict(list)
    for path in args.rows:
        for row in read(path):
            if "features" in row:
                head = row
            elif row["split"] == "dev" and row["pieces"]:
                by_set[row["set"]].append(once(row))
    draw = lambda row: hashlib.sha256(f"draw {row['question']}".encode()).hexdigest()
    rows = [row for some in by_set.values() for row in sorted(some, key=draw)[: args.limit]]
    lists = Lists(rows, Tokens(args.vocabulary), True)
    state = torch.load(args.state, weights_only=True)["state"]
    reader = Reader(1 + max(int(name.split(".")[3]) for name in state if ".layer." in name)).eval()
    reader.load_state_dict(state)
    with gzip.open(args.out, "wt", encoding="utf-8") as out:
        out.write(json.dumps(head) + "\n")
        for begin in range(0, len(rows), 100):
            some = range(begin, min(begin + 100, len(rows)))
            sequences = [lists.row(i, k) for i in some for k in range(len(rows[i]["pieces"]))]
            with torch.no_grad():
                logits = iter(reader.head_answer(first_states(reader, sequences)).squeeze(-1).tolist())
            for i in some:
                pieces = [dict(y=piece["y"], x=piece["x"], place=piece["place"], reading=round(next(logits), 4)) for piece in rows[i]["pieces"]]
                out.write(json.dumps(dict(rows[i], pieces=pieces)) + "\n")


def once(row: dict) -> dict:
    places = {}
    for piece in row["pieces"]:
        places.setdefault(piece["place"], piece)
    return dict(row, pieces=list(places.values()))


if __name__ == "__main__":
    main()
