"""Generates claims with evidence: the pack's sets, and rows made of true sentences of the answers documents.

  python make_claims.py --data DATA --lists PARTS --out claims.jsonl.gz
"""
import argparse
import collections
import random
import re

from common import counts, draw, pack, read_lists, rows, seed, split_of, group_of, write
from flips import FLIPS, LABELS, NAME, REWORDINGS, SYMMETRIC
from sentences import is_statement, sentences

"""Maximum words of the evidence: about 200 tokens."""
EVIDENCE_WORDS = 150
"""Maximum rows per kind, to balance the kinds."""
KIND_LIMIT = 7_000
"""Sentences used per passage."""
PASSAGE_SENTENCES = 3
"""Source sets with their maximum number of passages."""
SOURCES = {
    'policyqa': 600, 'medquad': 4500, 'fairytaleqa': 2200, 'tatqa': 900, 'boolq_val': 2200, 'condaqa': 600, 'nq_open_dev': 1600, 'qamr': 300, 'qed': 1200,
    'selqa': 2000, 'sharc_dev': 100, 'squad2_dev': 700, 'squadshifts_new_wiki': 1800,
}
WEIGHTS = {'begin': 0.3, 'conjnli': 0.5, 'breaking_nli': 0.5, 'scone': 0.5, 'megaveridicality': 0.5, 'snli_dev': 0.6, 'negation_nli': 0.6}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", required=True)
    options.add_argument("--lists", required=True)
    options.add_argument("--out", required=True)
    args = options.parse_args()
    all_rows = pack_rows(args.data) + begin_rows(args.data) + made_rows(*read_lists(args.lists))
    all_rows.sort(key=lambda row: (row['split'], row['set'], row['group'], row['evidence']))
    for fields in (('set', 'split'), ('set', 'label'), ('kind', 'label'), ('split', 'label')):
        counts('claims', all_rows, *fields)
    counts('made claims', [row for row in all_rows if row['set'].startswith('made')], 'kind', 'form', 'label')
    write(args.out, all_rows)


"""Lower weights of changes that sometimes fail."""
FLIP_WEIGHTS = {'role': 0.5, 'true_role': 0.5, 'modality': 0.7, 'condition_dropped': 0.8, 'restricted': 0.6, 'opposite': 0.8, 'true_opposite': 0.8}


def row_of(set_name, group, split, evidence, claim, label, kind, head='', form='', weight=1.0):
    row = {'set': set_name, 'group': group, 'split': split, 'evidence': evidence, 'head': head, 'claim': claim, 'label': label, 'kind': kind, 'weight': weight}
    return {**row, 'form': form} if form else row


def pack_rows(data):
    made = []
    for name, found in pack(data, 'claims').items():
        for row in found:
            weight = WEIGHTS.get(name, 1.0) * (0.5 if row.get('auto') or row.get('made') else 1)
            made.append(row_of(name, row['group'], row['split'], row['evidence'], row['claim'], row['label'], row.get('kind', ''), weight=weight))
    return made


def begin_rows(data):
    """Returns responses of older dialogue models, attributable to a snippet or not; generic ones make no claim and are skipped."""
    made = []
    for name in ('begin_dev_wow', 'begin_test_wow', 'begin_dev_tc', 'begin_dev_cmu'):
        for row in rows(f'{data}/begin/{name}.jsonl'):
            label = {'Fully attributable': 'supported', 'Not fully attributable': 'unsupported'}.get(row['begin_label'])
            evidence, claim = untokenised(row['knowledge']), untokenised(row['response'])
            if label is None or len(claim.split()) < 4 or len(evidence.split()) > 220:
                continue
            group = group_of('begin/' + evidence)
            made.append(row_of('begin', group, split_of(group), evidence, claim, label, 'response', weight=WEIGHTS['begin']))
    return made


def untokenised(text):
    return re.sub(r" (?=[,.;:!?%)\]]|['’](?:s|m|d|re|ve|ll|t)\b|n['’]t\b)|(?<=[(\[$]) ", '', text).strip()


def made_rows(passages, lists):
    owners, others = owners_of(lists)
    names = collections.defaultdict(lambda: collections.defaultdict(list))
    chosen = collections.defaultdict(list)
    for key, (group, split) in owners.items():
        passage = passages.get(key)
        if passage and passage['set'] in SOURCES:
            chosen[passage['set']].append((draw('claims', key), key, group, split))
    made, per_kind = [], collections.Counter()
    for name, some in sorted(chosen.items()):
        some = sorted(some)[: SOURCES[name]]
        for _, key, group, _ in some:
            for match in NAME.finditer(passages[key]['text']):
                names[name][shape(match.group(0))].append(match.group(0))
        for _, key, group, split in some:
            made += passage_rows(name, passages[key], group, split, names[name], others.get(key), passages, per_kind)
    return balanced(made)


def owners_of(lists):
    """Returns group and split of each answering passage (dev if any question is), and for each a non-answering passage of the same
    list.
    """
    owners, others = {}, {}
    for row in lists:
        wrong = [f"{row['set']}/{one[0]}" for one in row['candidates'] if one[1] == 0][:3]
        for one in row['candidates']:
            if one[1] != 1:
                continue
            key = f"{row['set']}/{one[0]}"
            if key not in owners or row['split'] == 'dev':
                owners[key] = (row['group'], row['split'])
            if wrong:
                others[key] = wrong[int(draw('other', key) * len(wrong))]
    return owners, others


def shape(name):
    return (len(name.split()), name.isupper())


def passage_rows(name, passage, group, split, names, other, passages, per_kind):
    text = passage['text']
    found = [(start, end) for start, end in sentences(text)]
    good = [(start, end) for start, end in found if is_statement(text[start:end])]
    rng = random.Random(seed('passage', passage['id']))
    rng.shuffle(good)
    made = []
    for start, end in good[:PASSAGE_SENTENCES]:
        made += sentence_rows(f'made_{name}', passage, group, split, found, (start, end), names, rng, per_kind)
    if other in passages and good:
        start, end = good[0]
        evidence = cut(passages[other]['text'], rng)
        if text[start:end] not in evidence:
            made.append(row_of(f'made_{name}', group, split, evidence, text[start:end], 'not_found', 'other_passage', passages[other]['head'], 'passage'))
    return made


def sentence_rows(set_name, passage, group, split, found, place, names, rng, per_kind):
    text, head = passage['text'], passage['head']
    sentence = text[place[0]: place[1]]
    window = around(text, found, place, rng)
    context = text
    twins = lambda name: next((one for one in (rng.choice(names[shape(name)] or [name]) for _ in range(8)) if one != name and one not in context), None)
    add = lambda evidence, claim, label, kind, form, weight=1.0: made.append(row_of(set_name, group, split, evidence, claim, label, kind, head, form, weight * FLIP_WEIGHTS.get(kind, 1.0)))
    made = []
    changed = {}
    for kind, flip in FLIPS.items():
        new = flip(sentence, rng, context, twins) if kind == 'name' else flip(sentence, rng, context)
        if new and new != sentence and new not in text:
            changed[kind] = new
    # Rarest applicable kinds first, to balance the kinds.
    for kind in sorted(changed, key=lambda one: per_kind[one])[:2]:
        per_kind[kind] += 1
        short = rng.random() < 0.5
        evidence, form = (sentence, 'sentence') if short else (window, 'passage')
        if kind in SYMMETRIC and rng.random() < 0.4:
            turned = evidence.replace(sentence, changed[kind])
            add(turned, sentence, LABELS[kind], kind, form)
            # Prefers a paraphrase over the same words, so that support in other words is learned; without one, uses a longer evidence.
            other = next((new for reword in REWORDINGS.values() if (new := reword(changed[kind], rng)) and new not in turned), None)
            if other or form == 'passage':
                add(turned, other or changed[kind], 'supported', f'true_{kind}', form)
        else:
            add(evidence, changed[kind], LABELS[kind], kind, form)
    reworded = {kind: new for kind, reword in REWORDINGS.items() if (new := reword(sentence, rng)) and new != sentence and new not in text}
    for kind in sorted(reworded, key=lambda one: per_kind[one])[:2]:
        per_kind[kind] += 1
        evidence, form = (sentence, 'sentence') if rng.random() < 0.35 else (window, 'passage')
        add(evidence, reworded[kind], 'supported', kind, form)
        # Paraphrases also get faults, so that paraphrasing does not predict support.
        flip = rng.choice(list(FLIPS))
        flipped = None if flip in ('name', 'condition_dropped') else FLIPS[flip](reworded[kind], rng, context)
        if flipped and flipped not in text and rng.random() < 0.6:
            add(evidence, flipped, LABELS[flip], flip, form)
    if rng.random() < 0.3:
        add(window, sentence, 'supported', 'same_words', 'passage', 0.5)
    if rng.random() < 0.45:
        rest = window.replace(sentence, '').replace('  ', ' ').strip()
        if len(rest.split()) > 25 and sentence not in rest:
            add(rest, reworded.get('synonym', sentence), 'not_found', 'sentence_removed', 'passage', 0.8)
    return made


def around(text, found, place, rng):
    """Returns the sentence with neighbours before and after it, up to the limit of words."""
    at = found.index(place)
    first = last = at
    words = len(text[place[0]: place[1]].split())
    limit = rng.randint(50, EVIDENCE_WORDS)
    while True:
        sides = [side for side in (-1, 1) if 0 <= (first - 1 if side < 0 else last + 1) < len(found)]
        if not sides:
            break
        side = rng.choice(sides)
        start, end = found[first - 1 if side < 0 else last + 1]
        words += len(text[start:end].split())
        if words > limit:
            break
        first, last = (first - 1, last) if side < 0 else (first, last + 1)
    return text[found[first][0]: found[last][1]]


def cut(text, rng):
    found = sentences(text)
    return around(text, found, rng.choice(found), rng) if found else text[:600]


def balanced(made):
    """Limits the rows of each kind, by uniform sampling."""
    by_kind = collections.defaultdict(list)
    for at, row in enumerate(made):
        by_kind[row['kind']].append((draw('keep', at, row['claim']), at))
    keep = {at for some in by_kind.values() for _, at in sorted(some)[:KIND_LIMIT]}
    return [row for at, row in enumerate(made) if at in keep]


if __name__ == '__main__':
    main()
