"""Chooses the threshold from answers to questions: `python3 threshold.py --answers answers.jsonl --weights chooser.json`.

The lowest hundredth from which at most 15 % of what is shown is wrong, on the validation part of the real collections, from which nothing is learned. Printed is
also what all other collections choose for each, and what that gives on it.
"""

import argparse
import json
from pathlib import Path

WRONG = 0.15


def threshold_of(rows: list[dict]) -> float:
    for hundredth in range(1, 100):
        shown, right = count(rows, hundredth / 100)
        if shown > 0 and 1 - right / shown <= WRONG:
            return hundredth / 100
    return 1.0


def count(rows: list[dict], least: float) -> tuple[int, int]:
    shown = [row for row in rows if row["chance"] >= least]
    return len(shown), sum(bool(row["right"]) for row in shown)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--answers", type=Path, required=True, help="of answers.ts")
    options.add_argument("--weights", type=Path, required=True, help="chooser.json, which gets the threshold")
    args = options.parse_args()
    rows = [json.loads(line) for line in args.answers.read_text().splitlines()]
    rows = [row for row in rows if row["shown"] and row["chance"] is not None]
    shown = right = 0
    for domain in sorted({row["domain"] for row in rows}):
        least = threshold_of([row for row in rows if row["domain"] != domain])
        own = count([row for row in rows if row["domain"] == domain], least)
        shown, right = shown + own[0], right + own[1]
        print(f"chosen on all but {domain}: from {least}, on it {own[0]} shown, {own[1]} right")
    print(f"each by a threshold of the others: {shown} shown, {right} right")
    least = threshold_of(rows)
    shown, right = count(rows, least)
    print(f"all: from {least}: {shown} shown, {right} right of {len(rows)} answers")
    weights = json.loads(args.weights.read_text())
    weights["threshold"].update(
        minimum=least,
        rule=f"at most 15 % of what is shown wrong: the lowest hundredth that holds it on the validation collections, {shown - right} of {shown}",
    )
    args.weights.write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
