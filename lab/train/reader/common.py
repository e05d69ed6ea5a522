"""Shared functions of the generators of claims and pairs: input, output, groups, splits."""
import collections
import glob
import gzip
import hashlib
import json
import os


def draw(*names):
    """Returns a pseudo-random number in [0, 1), determined by the names."""
    return int(hashlib.sha1(' '.join(map(str, names)).encode()).hexdigest()[:8], 16) / 2 ** 32


def seed(*names):
    return int(hashlib.sha1(' '.join(map(str, names)).encode()).hexdigest()[:12], 16)


def group_of(source):
    return hashlib.sha1(source.encode()).hexdigest()[:12]


def split_of(group):
    return 'dev' if int(hashlib.sha1(('reader-1' + group).encode()).hexdigest(), 16) % 100 < 15 else 'train'


def rows(path):
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt', encoding='utf-8') as file:
        return [json.loads(line) for line in file if line.strip()]


def pack(data, family):
    """Returns the rows of every set in a family of the pack, by set."""
    return {os.path.basename(path)[: -len('.jsonl.gz')]: rows(path) for path in sorted(glob.glob(f'{data}/reader/{family}/*.jsonl.gz'))}


def write(path, all_rows):
    """Writes gzip without a time stamp, so that the same rows give the same bytes."""
    with open(path, 'wb') as raw, gzip.GzipFile(fileobj=raw, mode='wb', mtime=0, compresslevel=9, filename='') as file:
        for row in all_rows:
            file.write((json.dumps(row, ensure_ascii=False, separators=(',', ':')) + '\n').encode())
    print(f'{path}: {len(all_rows)} rows, {os.path.getsize(path) / 1e6:.1f} MB', flush=True)


def counts(title, all_rows, *fields):
    table = collections.Counter(tuple(str(row.get(field, '')) for field in fields) for row in all_rows)
    print(f'\n## {title}: ' + ', '.join(fields))
    for key, n in sorted(table.items()):
        print('  ' + ' | '.join(key) + f' | {n}')


def read_lists(folder):
    """Returns passages by id, and the lists of every set, as written by `lists.ts`."""
    passages, lists = {}, []
    for path in sorted(glob.glob(f'{folder}/passages-*.jsonl.gz')):
        name = os.path.basename(path)[len('passages-'): -len('.jsonl.gz')]
        try:
            passages.update((row['id'], row) for row in rows(path))
            lists += rows(f'{folder}/lists-{name}.jsonl.gz')
        except (EOFError, FileNotFoundError):
            print(f'{name}: not complete, left out', flush=True)
    return passages, lists
