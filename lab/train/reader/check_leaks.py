"""Finds exact matches, after normalisation, between generated training data and evaluation data; removes matching rows from the
files.

  python check_leaks.py --data DATA --out FOLDER
"""
import argparse
import glob
import json
import os
import re
import unicodedata

from common import rows, write
from sentences import sentences

"""Fields of evaluation sets with questions or claims."""
FIELDS = ('question', 'a', 'b', 'claim', 'draft', 'passage_a', 'passage_b', 'summary', 'statement', 'user_query', 'text', 'question1', 'question2', 'query')
FILES = ['golden/*/*.jsonl', 'va-golden/*.jsonl', 'doc2dial/questions.jsonl', 'covid-qa/questions.jsonl', 'covid-qa/question_similarity_en.jsonl', 'clapnq/*.jsonl',
         'banking77/*', 'clinc150/*', 'wice/*.jsonl', 'ragtruth/*.jsonl', 'summedits/*.jsonl', 'halueval/qa.jsonl', 'mtrag/*.jsonl', 'tabfact/tabfact*.jsonl', 'canard-dev/*']


def normal(text):
    return ' '.join(re.findall(r'\w+', unicodedata.normalize('NFKC', text).lower()))


def measured(data):
    """Maps normalised texts of the evaluation sets, and sentences of longer texts, to the name of their set."""
    known = {}
    for pattern in FILES:
        for path in sorted(glob.glob(f'{data}/{pattern}')):
            name = '/'.join(path.split('/')[-3:-1] if 'golden/' in path and 'va-golden' not in path else path.split('/')[-2:-1])
            for line in open(path, encoding='utf-8', errors='replace'):
                try:
                    row = json.loads(line)
                except ValueError:
                    known.setdefault(normal(line), name)
                    continue
                for text in texts(row):
                    known.setdefault(normal(text), name)
                    if len(text) > 200:
                        for start, end in sentences(text):
                            known.setdefault(normal(text[start:end]), name)
    for path in sorted(glob.glob(f'{data}/golden/*/pages/**/*.md', recursive=True)):
        name = 'golden/' + path.split('/golden/')[1].split('/')[0] + ' pages'
        text = open(path, encoding='utf-8').read()
        for start, end in sentences(text):
            known.setdefault(normal(text[start:end]), name)
    return known


def texts(row):
    if isinstance(row, str):
        yield row
    elif isinstance(row, dict):
        for key, value in row.items():
            if isinstance(value, str) and key in FIELDS:
                yield value
            elif isinstance(value, (list, dict)):
                yield from texts(value) if isinstance(value, dict) else (text for one in value for text in texts(one) if isinstance(one, dict))


def main():
    options = argparse.ArgumentParser()
    for name in ('data', 'out'):
        options.add_argument(f'--{name}', required=True)
    args = options.parse_args()
    known = measured(args.data)
    report = [f'{len(known)} normalised texts and sentences that measure']
    for name, fields in (('claims', ('claim', 'evidence')), ('pairs', ('a', 'b'))):
        path = f'{args.out}/{name}.jsonl.gz'
        if not os.path.exists(path):
            continue
        all_rows = rows(path)
        kept, dropped = [], {}
        for row in all_rows:
            hits = {known[text] for field in fields if (text := normal(row[field])) in known and len(text.split()) >= 3}
            for hit in hits:
                key = (row['set'], hit)
                dropped[key] = dropped.get(key, 0) + 1
            if not hits:
                kept.append(row)
        report.append(f'{name}: {len(all_rows) - len(kept)} of {len(all_rows)} rows matched and were taken out')
        report += [f'  {set_name} | {hit} | {n}' for (set_name, hit), n in sorted(dropped.items())]
        if len(kept) < len(all_rows):
            write(path, kept)
    open(f'{args.out}/check.txt', 'w').write('\n'.join(report) + '\n')
    print('\n'.join(report))


if __name__ == '__main__':
    main()
