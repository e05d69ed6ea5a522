"""Generates pairs of questions that ask the same or not: the pack's sets, and pairs made of the questions of the answers lists.

  python make_pairs.py --data DATA --lists PARTS --out pairs.jsonl.gz
"""
import argparse
import collections
import random
import re

from common import counts, draw, pack, read_lists, seed, write
from flips import MONTHS, OPPOSITES, WEEKDAYS, YEAR, like, near_number, plain_numbers, spell, sub_at, WORDS

"""Maximum questions used per set."""
QUESTIONS = {'qamr': 5000, 'medquad': 4000, 'fairytaleqa': 4500, 'policyqa': 1500}
OTHERS = 6000
"""Maximum rows per kind."""
KIND_LIMIT = 9_000
NAME = re.compile(r"(?<=\S )(?:[A-Z][\w'’.-]*|[A-Z]{2,}\d*)(?: (?:of |de |the )?[A-Z][\w'’-]*){0,4}")
STOP = set('a an the of in on at to for from by with and or is are was were be been do does did has have had will would can could should what which who whom whose when where why how that this these those it its there i you he she they we my your his her their our s'.split())
SWAPS = [('from', 'to'), ('before', 'after'), ('buy', 'sell'), ('lend', 'borrow'), ('open', 'close'), ('start', 'stop'), ('begin', 'end'), ('began', 'ended'), ('give', 'get'), ('send', 'receive'), ('can', "can't"), ('highest', 'lowest'),
         ('longest', 'shortest'), ('oldest', 'youngest'), ('minimum', 'maximum'), ('first', 'last'), ('most', 'least'), ('more', 'less'), ('increase', 'decrease'), ('with', 'without'), ('allowed', 'forbidden'), ('win', 'lose'), ('won', 'lost')]
CONDITIONS = ['if I am under 18', 'if I live abroad', 'if it was more than a year ago', 'without a receipt', 'if I already got it once', 'when it is for a child', 'during a holiday', 'if the first request was refused', 'after the deadline', 'for a second time', 'if I have no proof']
REPHRASE = [
    (r'^What is the (\w+) of (.+?)\?*$', r"What's the \1 of \2?"), (r'^What is (?:the )?(.+?)\?*$', r'Can you tell me what \1 is?'), (r'^When did (.+?)\?*$', r'In what year or at what time did \1?'), (r'^When was (.+?)\?*$', r'At what time was \1?'),
    (r'^Where (is|was|are|were) (.+?)\?*$', r'In what place \1 \2?'), (r'^Who (is|was|wrote|won|made|did|founded|played|sang|directed|discovered|invented) (.+?)\?*$', r'Which person \1 \2?'), (r'^How many (.+?)\?*$', r'What is the number of \1?'),
    (r'^Why (did|do|does|is|was|are|were) (.+?)\?*$', r'For what reason \1 \2?'), (r'^How (did|do|does|can) (.+?)\?*$', r'In what way \1 \2?'), (r'^What are the symptoms of (.+?)\?*$', r'How do I notice that somebody has \1?'),
    (r'^What are the treatments for (.+?)\?*$', r'How is \1 treated?'), (r'^What causes (.+?)\?*$', r'Why do people get \1?'), (r'^How to diagnose (.+?)\?*$', r'How is \1 found out?'), (r'^Is (.+?) inherited\?*$', r'Does \1 run in families?'),
    (r'^How many people are affected by (.+?)\?*$', r'How common is \1?'), (r'^How to prevent (.+?)\?*$', r'What can be done so that one does not get \1?'), (r'^What is the outlook for (.+?)\?*$', r'What can somebody with \1 expect?'),
    (r'^Do they (.+?)\?*$', r'Does the company \1?'), (r'^Does the company (.+?)\?*$', r'Do they \1?'), (r'^Does (?:this|the) (?:site|website|app) (.+?)\?*$', r'Do they \1?'), (r'^(Is|Are|Can|Do|Does|Did|Was|Were|Will) (.+?)\?*$', r'I would like to know: \1 \2?'),
]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", required=True)
    options.add_argument("--lists", required=True)
    options.add_argument("--out", required=True)
    args = options.parse_args()
    made = [row_of(name, row['group'], row['split'], row['a'], row['b'], row['same'], row['kind']) for name, found in pack(args.data, 'pairs').items() for row in found]
    made += made_pairs(*read_lists(args.lists))
    made = unique(made)
    made.sort(key=lambda row: (row['split'], row['set'], row['group'], row['a']))
    for fields in (('set', 'split', 'same'), ('split', 'same')):
        counts('pairs', made, *fields)
    counts('made pairs', [row for row in made if row['set'].startswith('made')], 'kind', 'same')
    write(args.out, made)


def row_of(set_name, group, split, a, b, same, kind):
    return {'set': set_name, 'group': group, 'split': split, 'a': a, 'b': b, 'same': same, 'kind': kind}


def made_pairs(passages, lists):
    by_set = collections.defaultdict(list)
    for row in lists:
        by_set[row['set']].append(row)
    made = []
    for name, some in sorted(by_set.items()):
        plain = [row for row in some if row['form'] == 'plain' and len(row['question'].split()) >= 4]
        plain = sorted(plain, key=lambda row: draw('pairs', row['question'], row['group']))[: QUESTIONS.get(name, OTHERS)]
        names = collections.defaultdict(list)
        for row in plain:
            for match in NAME.finditer(row['question']):
                if match.group(0) in MONTHS + WEEKDAYS:
                    continue
                names[len(match.group(0).split())].append(match.group(0).rstrip(".'’-"))
        nearest = neighbours(plain)
        for at, row in enumerate(plain):
            made += question_pairs(f'made_{name}', row, names, plain[nearest[at]] if at in nearest else None)
    kinds = collections.Counter()
    kept = []
    for row in sorted(made, key=lambda one: draw('kind', one['a'], one['b'])):
        kinds[(row['kind'], row['same'])] += 1
        if kinds[(row['kind'], row['same'])] <= (KIND_LIMIT // 3 if row['kind'] == 'lower' else KIND_LIMIT):
            kept.append(row)
    return kept


def gold_of(row):
    return tuple(sorted(one[0] for one in row['candidates'] if one[1] == 1))


def question_pairs(set_name, row, names, near):
    question = row['question']
    rng = random.Random(seed('pair', row['set'], row['group'], question))
    made = []
    add = lambda b, same, kind, a=question: made.append(row_of(set_name, row['group'], row['split'], a, b, same, kind))
    wrong = different(question, names, rng)
    for kind, other in rng.sample(sorted(wrong.items()), min(2, len(wrong))):
        # Half of the negatives are also paraphrased, so that paraphrasing does not predict equal meaning. A keyword query omits the asked
        # thing.
        form, text = reworded(other, rng)
        add(text if rng.random() < 0.5 and not (kind == 'asked_thing' and form == 'keywords') else other, False, kind)
    for _ in range(2 if wrong else 1):
        kind, other = reworded(question, rng)
        if other and other.lower().strip('? ') != question.lower().strip('? ') or kind == 'lower':
            add(other, True, kind)
    first, second = reworded(question, rng), reworded(question, rng)
    if rng.random() < 0.3 and first[0] != second[0]:
        add(second[1], True, f'{first[0]}+{second[0]}', first[1])
    if near is not None and gold_of(near) != gold_of(row):
        add(reworded(near['question'], rng)[1] if rng.random() < 0.4 else near['question'], False, 'nearest_other')
    return made


def different(question, names, rng):
    """Returns hard negatives of the question by kind, each with one change."""
    changed = {}
    years, numbers = list(YEAR.finditer(question)), plain_numbers(question)
    if years:
        match = rng.choice(years)
        changed['date'] = sub_at(question, match, str(int(match.group(0)) + rng.choice([-10, -3, -2, -1, 1, 2, 3, 10])))
    if numbers:
        match = rng.choice(numbers)
        new = near_number(match.group(0), rng)
        if new:
            changed['value'] = sub_at(question, match, new)
    found = [m for m in NAME.finditer(question) if len(m.group(0)) > 3 and m.group(0) not in MONTHS + WEEKDAYS]
    if found:
        match = rng.choice(found)
        others = [one for one in names[len(match.group(0).split())] if one not in question and match.group(0) not in one]
        if others:
            changed['name'] = sub_at(question, match, rng.choice(others))
    match = re.match(r'^(Can|Could|Will|Would|Should|Must|Is|Are|Was|Were|Does|Do|Did|Has|Have)\b (?:I|you|they|we|it|he|she|this|there) ', question)
    if match and ' not ' not in question:
        changed['negation'] = question[: match.end()] + 'not ' + question[match.end():]
    match = re.search(r' (?:not |never )', question)
    if match:
        changed['negation'] = sub_at(question, match, ' ')
    swaps = []
    for a, b in SWAPS + OPPOSITES:
        for old, new in ((a, b), (b, a)):
            place = re.search(rf'\b{old}\b', question)
            if place and old not in ('left', 'right', 'can', 'with'):
                swaps.append(sub_at(question, place, like(old, new)))
    if swaps:
        changed['opposite'] = rng.choice(swaps)
    match = re.search(r'\bfrom ([\w ]{3,30}?) to ([\w ]{3,30}?)(?=[?,]|$)', question)
    if match:
        changed['sides'] = question[: match.start()] + f'from {match.group(2)} to {match.group(1)}' + question[match.end():]
    two = [m for m in NAME.finditer(question)]
    if len(two) == 2 and re.search(r'\b(?:beat|defeat|marry|kill|than|buy|own|succeed|invade|attack|send|give|lose|replace)\b', question):
        a, b = two
        changed['sides'] = question[: a.start()] + b.group(0) + question[a.end(): b.start()] + a.group(0) + question[b.end():]
    if re.match(r'(?:Can|Do|Does|How|What|When|Is|Are|Will)\b', question) and rng.random() < 0.25:
        changed['condition_added'] = question.rstrip('? ') + ' ' + rng.choice(CONDITIONS) + '?'
    words = {'Who': ['When', 'Where'], 'When': ['Where', 'Why'], 'Where': ['When', 'Why'], 'Why': ['When', 'How'], 'How': ['Why']}
    first = question.split()[0] if question.split() else ''
    if first in words and re.match(r'(?:When|Where|Why|How) (?:did|do|does|is|was|are|were|can)\b', question):
        changed['asked_thing'] = rng.choice(words[first]) + question[len(first):]
    return {kind: new for kind, new in changed.items() if new != question}


def reworded(question, rng):
    """Returns the kind of a paraphrase and the paraphrase."""
    options = ['misspelt', 'lower', 'keywords', 'story', 'rephrased', 'rephrased', 'rephrased', 'number_form']
    rng.shuffle(options)
    for kind in options:
        new = {'misspelt': misspell, 'lower': lambda q, r: q.lower().rstrip('? '), 'keywords': keywords, 'story': story, 'rephrased': rephrase, 'number_form': number_form}[kind](question, rng)
        if new and new != question:
            return kind, new
    return 'lower', question.lower().rstrip('? ')


def keywords(question, rng):
    kept = [word for word in question.lower().rstrip('? ').split() if re.sub(r'[^a-z]', '', word) not in STOP]
    return ' '.join(kept) if len(kept) >= 3 else None


STORIES = ['My mother asked me and I did not know: {q}', '{l}, asking for a friend', 'Sorry if this is a stupid question. {q}', 'I read a lot and still do not know {l}', 'Hello, could somebody help me with this? {q} Thank you.', 'so my neighbour and I argued about it. {q}', 'need to know for tomorrow: {l}']


def story(question, rng):
    return rng.choice(STORIES).replace('{q}', question).replace('{l}', question.lower().rstrip('? '))


def rephrase(question, rng):
    options = [(old, new) for old, new in REPHRASE if re.match(old, question)]
    if not options:
        return None
    old, new = options[0]
    return re.sub(old, new, question, count=1)


def number_form(question, rng):
    for match in plain_numbers(question):
        if re.fullmatch(r'\d{1,2}', match.group(0)):
            return sub_at(question, match, spell(int(match.group(0))))
    match = re.search(r'\b(' + '|'.join(WORDS[2:]) + r')\b', question)
    return sub_at(question, match, str(WORDS.index(match.group(0)))) if match else None


KEYS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']


def misspell(question, rng):
    places = list(re.finditer(r'[A-Za-z]{5,}', question))
    if not places:
        return None
    for match in sorted(rng.sample(places, min(len(places), rng.choice([1, 1, 2, 3]))), key=lambda m: -m.start()):
        word = match.group(0)
        at = rng.randrange(1, len(word) - 1)
        row = next((keys for keys in KEYS if word[at].lower() in keys), KEYS[1])
        beside = row[(row.find(word[at].lower()) + 1) % len(row)]
        new = rng.choice([word[:at] + word[at + 1] + word[at] + word[at + 2:], word[:at] + word[at + 1:], word[:at] + word[at] + word[at:], word[:at] + beside + word[at + 1:]])
        question = sub_at(question, match, new)
    return question if rng.random() < 0.5 else question.lower()


def neighbours(plain):
    """Finds the nearest other question of a set by weighted common words, among those with another answer."""
    words = [set(re.findall(r"[a-z0-9']+", row['question'].lower())) - STOP for row in plain]
    holders = collections.defaultdict(list)
    for at, some in enumerate(words):
        for word in some:
            holders[word].append(at)
    nearest = {}
    for at, some in enumerate(words):
        scores = collections.Counter()
        for word in sorted(some):
            others = holders[word]
            if len(others) <= 300:
                for other in others:
                    if other != at:
                        scores[other] += 1 / (1 + len(others))
        same_words = lambda other: words[other] == some
        best = [(-score, other) for other, score in scores.items() if not same_words(other) and gold_of(plain[other]) != gold_of(plain[at])]
        if best and draw('nearest', plain[at]['question']) < 0.45:
            nearest[at] = min(best)[1]
    return nearest


def unique(all_rows):
    kept = {}
    for row in all_rows:
        kept.setdefault((row['a'], row['b']), row)
    return list(kept.values())


if __name__ == '__main__':
    main()
