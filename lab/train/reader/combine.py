"""One file of lists and one of passages from what `lists.ts` wrote set by set, with counts.

python combine.py --lists PARTS --out FOLDER
"""
import argparse

from common import counts, draw, read_lists, write

"""What counts of two labels of one text; lists of a set at most: of one with few passages more questions say little new."""
RANK = {1: 2, None: 1, 0: 0}
LIMITS = {'qamr': 9_000}


def main():
    options = argparse.ArgumentParser()
    for name in ('lists', 'out'):
        options.add_argument(f'--{name}', required=True)
    args = options.parse_args()
    passages, lists = read_lists(args.lists)
    kept = thin(lists)
    used = {f"{row['set']}/{one[0]}" for row in kept for one in row['candidates']}
    numbers = {key: at for at, key in enumerate(key for key in passages if key in used)}
    packed = [{'id': numbers[key], 'set': row['set'], 'head': row['head'], 'text': row['text']} for key, row in passages.items() if key in used]
    for row in kept:
        row['candidates'] = once([[numbers[f"{row['set']}/{one[0]}"], *one[1:]] for one in row['candidates']])
    for fields in (('set', 'split', 'answerable'), ('form', 'answerable'), ('split',)):
        counts('lists', kept, *fields)
    labels = [{'set': row['set'], 'label': one[1], 'spans': 'span' if one[2] else '-', 'relevant': 'relevant' if one[3] else '-'} for row in kept for one in row['candidates']]
    counts('pairs of question and passage', labels, 'set', 'label')
    counts('pairs of question and passage', labels, 'label', 'spans', 'relevant')
    print(f'{len(kept)} lists, {len(labels)} pairs of question and passage, {len(packed)} passages')
    write(f'{args.out}/passages.jsonl.gz', packed)
    write(f'{args.out}/lists.jsonl.gz', kept)


def once(candidates):
    """Every passage once: where one text stands in two places, what is surest of it counts."""
    best = {}
    for one in candidates:
        if one[0] not in best or RANK[one[1]] > RANK[best[one[0]][1]]:
            best[one[0]] = one
    return list(best.values())


def thin(lists):
    sizes = {}
    for row in lists:
        sizes[row['set']] = sizes.get(row['set'], 0) + 1
    return [row for row in lists if draw('thin', row['set'], row['question']) < LIMITS.get(row['set'], 10**9) / sizes[row['set']]]


if __name__ == '__main__':
    main()
