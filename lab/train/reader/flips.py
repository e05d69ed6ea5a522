"""Changes one thing in a true sentence, so that its source no longer supports it, and makes true paraphrases.

Every function takes a sentence and a seeded `random.Random` and returns the changed sentence, or None if it does not apply. The
word pairs are for training data only; the product does not use them.
"""
import re

MONTHS = 'January February March April May June July August September October November December'.split()
WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split()
WORDS = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split()
TENS = {20: 'twenty', 30: 'thirty', 40: 'forty', 50: 'fifty', 60: 'sixty', 70: 'seventy', 80: 'eighty', 90: 'ninety'}
UNITS = [
    ['second', 'minute', 'hour', 'day', 'week', 'month', 'year', 'decade', 'century'],
    ['mg', 'g', 'kg'], ['milligram', 'gram', 'kilogram'], ['ml', 'l'], ['mm', 'cm', 'm', 'km'], ['metre', 'kilometre'], ['meter', 'kilometer'],
    ['foot', 'yard', 'mile'], ['feet', 'yards', 'miles'], ['inch', 'foot'], ['thousand', 'million', 'billion'], ['°C', '°F'],
    ['euro', 'dollar', 'pound'], ['pounds', 'ounces'], ['acre', 'hectare'], ['mph', 'km/h'],
]
OPPOSITES = [
    ('increase', 'decrease'), ('increases', 'decreases'), ('increased', 'decreased'), ('increasing', 'decreasing'), ('rise', 'fall'), ('rose', 'fell'),
    ('higher', 'lower'), ('highest', 'lowest'), ('larger', 'smaller'), ('largest', 'smallest'), ('longer', 'shorter'), ('older', 'younger'),
    ('oldest', 'youngest'), ('first', 'last'), ('before', 'after'), ('earlier', 'later'), ('early', 'late'), ('include', 'exclude'),
    ('includes', 'excludes'), ('included', 'excluded'), ('including', 'excluding'), ('allow', 'forbid'), ('allows', 'forbids'), ('allowed', 'forbidden'),
    ('permitted', 'prohibited'), ('accept', 'refuse'), ('accepted', 'refused'), ('approved', 'rejected'), ('won', 'lost'), ('north', 'south'), ('northern', 'southern'),
    ('east', 'west'), ('eastern', 'western'), ('left', 'right'), ('male', 'female'), ('men', 'women'), ('common', 'rare'), ('more', 'less'), ('most', 'least'),
    ('open', 'closed'), ('begin', 'end'), ('begins', 'ends'), ('began', 'ended'), ('start', 'stop'), ('started', 'stopped'), ('public', 'private'),
    ('buy', 'sell'), ('bought', 'sold'), ('gained', 'lost'), ('joined', 'left'), ('above', 'below'), ('inside', 'outside'), ('good', 'bad'), ('rich', 'poor'),
    ('strong', 'weak'), ('able', 'unable'), ('required', 'optional'), ('mandatory', 'optional'), ('temporary', 'permanent'), ('mild', 'severe'), ('dominant', 'recessive'),
    ('with', 'without'), ('same', 'different'), ('success', 'failure'), ('successful', 'unsuccessful'), ('alive', 'dead'), ('support', 'oppose'), ('supported', 'opposed'),
    ('always', 'never'), ('often', 'rarely'), ('usually', 'rarely'), ('maximum', 'minimum'), ('young', 'old'), ('husband', 'wife'), ('son', 'daughter'), ('brother', 'sister'),
    ('father', 'mother'), ('king', 'queen'), ('income', 'expense'), ('assets', 'liabilities'), ('profit', 'loss'), ('gain', 'loss'), ('credit', 'debit'), ('acute', 'chronic'),
]
AUX = r"(?:is|are|was|were|can|could|will|would|should|must|may|might|has|have|had|does|do|did|cannot)"
NAME = re.compile(r"(?<![.?!:\"“] )(?<=\S )(?:[A-Z][\w'’-]+|[A-Z]{2,}\d*)(?: (?:of |de |the )?[A-Z][\w'’-]*){0,4}")
NUMBER = re.compile(r"(?<![\w.,/-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\w/-]|,\d|\.\d)")
YEAR = re.compile(r"(?<![\w,.-])(1[4-9]\d\d|20[0-3]\d)(?!\w|,\d)")


def near_number(text, rng):
    value = float(text.replace(',', ''))
    decimals = len(text.split('.')[1]) if '.' in text else 0
    if value <= 20 and not decimals:
        new = value + rng.choice([d for d in (-4, -3, -2, -1, 1, 2, 3, 4, 6) if value + d > 0])
    else:
        new = value * rng.choice([0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.5, 2]) + (0 if decimals else rng.choice([0, 1, -1]))
    written = f'{new:,.{decimals}f}' if ',' in text else f'{new:.{decimals}f}'
    return None if written == text else written


def sub_at(sentence, match, new, group=0):
    return sentence[: match.start(group)] + new + sentence[match.end(group):]


def like(old, new):
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if old[:1].isupper() else new


def plain_numbers(sentence):
    years = {m.start() for m in YEAR.finditer(sentence)}
    return [m for m in NUMBER.finditer(sentence) if m.start() not in years]


def value(sentence, rng, context=''):
    found = plain_numbers(sentence)
    words = [m for m in re.finditer(r'\b(' + '|'.join(WORDS[2:13]) + r')\b', sentence)]
    places = found + words
    if not places:
        return None
    match = rng.choice(places)
    if match in found:
        for _ in range(6):
            new = near_number(match.group(0), rng)
            if new and not re.search(r'(?<!\d)' + re.escape(new) + r'(?!\d)', context):
                return sub_at(sentence, match, new)
        return None
    at = WORDS.index(match.group(0))
    new = WORDS[rng.choice([n for n in range(2, 16) if n != at])]
    return None if re.search(rf'\b{new}\b', context) else sub_at(sentence, match, new)


def date(sentence, rng, context=''):
    places = [(m, 'year') for m in YEAR.finditer(sentence)]
    places += [(m, 'month') for m in re.finditer(r'\b(' + '|'.join(MONTHS) + r')\b', sentence) if m.group(0) != 'May' or re.match(r' \d', sentence[m.end():])]
    places += [(m, 'day') for m in re.finditer(r'\b(' + '|'.join(WEEKDAYS) + r')s?\b', sentence)]
    if not places:
        return None
    match, kind = rng.choice(places)
    for _ in range(6):
        if kind == 'year':
            new = str(int(match.group(0)) + rng.choice([-30, -10, -7, -4, -3, -2, -1, 1, 2, 3, 5, 8, 10, 20]))
        else:
            new = rng.choice([one for one in (MONTHS if kind == 'month' else WEEKDAYS) if one != match.group(1)])
        if new not in context:
            return sub_at(sentence, match, new, 0 if kind != 'day' else 1)
    return None


def unit(sentence, rng, context=''):
    for family in rng.sample(UNITS, len(UNITS)):
        for name in family:
            match = re.search(r"(?<=[\d ] )" + re.escape(name) + r"(s?)\b", sentence) or re.search(r"(?<=\d)" + re.escape(name) + r"(s?)\b", sentence)
            if match and re.search(r'(\d|\b(?:' + '|'.join(WORDS + ['half', 'several', 'few', 'a', 'an']) + r')) ?$', sentence[: match.start()]):
                new = rng.choice([one for one in family if one != name]) + match.group(1)
                new = new.replace('foots', 'feet').replace('inchs', 'inches').replace('centurys', 'centuries').replace('ss', 's')
                return sub_at(sentence, match, new)
    return None


def name(sentence, rng, context='', twins=None):
    """Replaces a name. `twins(name)` returns a similar name that is not in the context, or None."""
    places = [m for m in NAME.finditer(sentence) if m.group(0) not in MONTHS + WEEKDAYS and len(m.group(0)) > 3]
    rng.shuffle(places)
    for match in places:
        new = twins(match.group(0)) if twins else None
        if new and new not in context:
            return sub_at(sentence, match, new)
    return None


def negation(sentence, rng, context=''):
    removed = [m for m in re.finditer(r"\b(?:not|never) ", sentence) if re.search(AUX + r" $", sentence[: m.start()]) and not sentence[m.end():].startswith(('only', 'just', 'be limited', 'necessarily'))]
    if removed:
        match = rng.choice(removed)
        return sub_at(sentence, match, '')
    match = re.search(r"\b(can)not\b", sentence)
    if match:
        return sub_at(sentence, match, 'can')
    match = re.search(r"\b(is|are|was|were|do|does|did|has|have|had|could|would|should)n['’]t ", sentence)
    if match and match.group(1) not in ('do', 'does', 'did'):
        return sub_at(sentence, match, match.group(1) + ' ')
    if re.search(r"\b(?:no|none|nor|neither|without|never|not|nothing|nobody|hardly)\b|n['’]t\b", sentence, re.I):
        match = re.search(r"\b(has|have|had|is|are|was|were|be) no (?!longer|more|later|less)", sentence)
        return sub_at(sentence, match, match.group(1) + ' some ') if match else None
    places = [m for m in re.finditer(rf"\b{AUX}\b (?!not\b)", sentence)]
    if not places:
        return None
    match = places[0] if rng.random() < 0.75 else rng.choice(places)
    word = match.group(0).strip()
    if word in ('do', 'does', 'did', 'has', 'have', 'had') and not re.match(r'(?:been|\w+ed|\w+en)\b', sentence[match.end():]):
        return None
    new = 'cannot ' if word == 'can' else rng.choice([word + ' not ', word + "n't "]) if word in ('is', 'are', 'was', 'were') else word + ' not '
    return sub_at(sentence, match, new)


MODAL = {
    'may': ['must', 'will', 'always'], 'might': ['will', 'must'], 'can': ['must'], 'could': ['will'], 'should': ['must'],
    'must': ['may', "doesn't have to"], 'will': ["won't"], 'is required to': ['may'], 'are required to': ['may'], 'has to': ['may'], 'have to': ['may'],
    'is allowed to': ['must'], 'are allowed to': ['must'], 'is likely to': ['is certain to'], 'are likely to': ['are certain to'], 'is believed to': ['is known to'],
    'is thought to': ['is proven to'], 'need to': ['may'], 'needs to': ['may'], 'usually': ['always'], 'often': ['always'], 'sometimes': ['always'], 'probably': ['certainly'],
}


def modality(sentence, rng, context=''):
    places = [m for m in re.finditer(r'\b(' + '|'.join(sorted(MODAL, key=len, reverse=True)) + r')\b', sentence) if not re.match(r" (?:not|\d|t\b|\w+ing\b)|['’]", sentence[m.end():]) and not (m.group(0) == 'may' and re.search(r'(?:in|of|on) $', sentence[: m.start()], re.I))]
    if not places:
        return None
    match = rng.choice(places)
    options = [one for one in MODAL[match.group(0)] if one != 'always' or False]
    if not options:
        return None
    new = rng.choice(options)
    if new == "doesn't have to":
        new = "do not have to" if re.search(r'(?:you|they|we|s|people|who) $', sentence[: match.start()], re.I) else "does not have to"
    return sub_at(sentence, match, new)


def condition_dropped(sentence, rng, context=''):
    match = re.match(r'^(?:If|Unless|When|Provided that|As long as|In case|Except)\b[^,;]{8,120}, (?=[a-z])', sentence)
    if match and len(sentence) - match.end() > 25:
        rest = re.sub(r'^then ', '', sentence[match.end():])
        return None if re.match(r'(?:it|this|that|they|he|she)\b', rest) else rest[0].upper() + rest[1:]
    match = re.search(r',? (?:only if|even if|if|unless|as long as|provided that|except|until|only when|in case) [^,;]{8,160}(?=[.;]$)', sentence)
    if match and match.start() > 25:
        return sentence[: match.start()] + sentence[match.end():]
    return None


def restricted(sentence, rng, context=''):
    """Adds `only` where the source has no restriction. (Removing it would leave a supported sentence.)"""
    places = [m for m in re.finditer(rf'\b(?:{AUX}) (?!not\b|only\b|also\b|been\b|a\b|an\b|the\b|no\b)', sentence) if m.group(0).strip() not in ('has', 'have', 'had', 'do', 'does', 'did')]
    if not places or re.search(r"\b(?:only|not|never|no)\b|n['’]t", sentence):
        return None
    match = places[0]
    return sentence[: match.end()] + 'only ' + sentence[match.end():]


def condition_exchanged(sentence, rng, context=''):
    pairs = [('if', 'unless'), ('If', 'Unless'), ('unless', 'if'), ('Unless', 'If'), ('before', 'after'), ('after', 'before'), ('Before', 'After'), ('After', 'Before'),
             ('until', 'only after'), ('only if', 'even if'), ('because', 'although'), ('even if', 'only if')]
    rng.shuffle(pairs)
    for old, new in pairs:
        match = re.search(rf'(?<!what )(?<!as )(?<!even )(?<!only )\b{old}\b(?! not| any| so)', sentence)
        if match:
            return sub_at(sentence, match, new)
    return None


QUANTIFIERS = {
    'at least': ['at most', 'exactly'], 'at most': ['at least'], 'up to': ['at least'], 'no more than': ['no less than'], 'no less than': ['no more than'],
    'more than': ['less than', 'fewer than'], 'less than': ['more than'], 'fewer than': ['more than'], 'all of': ['none of', 'only some of'], 'some of': ['all of', 'none of'],
    'most of': ['few of', 'all of'], 'both': ['neither'], 'either': ['neither'], 'many': ['few', 'all'], 'most': ['all', 'few'], 'some': ['all', 'no'], 'every': ['not every'], 'each of': ['only one of'],
    'All': ['Not all', 'Few'], 'Many': ['All', 'Few'], 'Most': ['All', 'Few'], 'Some': ['All', 'No'], 'all': ['only some', 'no'], 'several': ['all'], 'Several': ['All'],
    'almost all': ['all', 'few'], 'over': ['under'], 'within': ['only after'], 'any': ['no'], 'half of': ['all of'], 'a few': ['most', 'all'],
}


def quantifier(sentence, rng, context=''):
    places = []
    for word in sorted(QUANTIFIERS, key=len, reverse=True):
        for match in re.finditer(rf'\b{word}\b', sentence):
            after, before = sentence[match.end():], sentence[: match.start()]
            if word in ('over', 'within', 'up to') and not re.match(r' (?:\d|' + '|'.join(WORDS[1:]) + ')', after):
                continue
            if word in ('most', 'all', 'some', 'many', 'any') and not re.match(r' [a-z]+s\b', after):
                continue
            if word in ('most', 'many') and re.search(r'(?:the|a|as|how|so) $', before, re.I) or re.search(r'\b(?:at|not|first of) $', before):
                continue
            if any(m.start() <= match.start() < m.end() for m in places):
                continue
            places.append(match)
    if not places:
        return None
    match = rng.choice(places)
    return sub_at(sentence, match, rng.choice(QUANTIFIERS[match.group(0)]))


def opposite(sentence, rng, context=''):
    places = []
    for a, b in OPPOSITES:
        for old, new in ((a, b), (b, a)):
            match = re.search(rf'\b{old}\b', sentence, re.I)
            if match and not (old in ('more', 'less', 'most', 'least') and re.search(r'(?:at|no|or|the) $', sentence[: match.start()], re.I)) and not (old in ('left', 'with') and new != 'without' and False):
                if old in ('right', 'left', 'last', 'first', 'late', 'fall', 'end', 'may') and rng.random() < 0.6:
                    continue
                places.append((match, new))
    if not places:
        return None
    match, new = rng.choice(places)
    return sub_at(sentence, match, like(match.group(0), new))


def role(sentence, rng, context=''):
    """Swaps the two sides of a relation: agent and patient, or the sides of a comparison."""
    names = [m for m in re.finditer(r"(?:(?<=^)|(?<= ))(?:[A-Z][\w'’-]+)(?: (?:of |de |the )?[A-Z][\w'’-]*){0,3}", sentence) if m.group(0) not in MONTHS + WEEKDAYS and not re.match(r'(?:The|In|On|At|While|Once|Since|Although|Both|Some|Many|Most|All|Its|Also|Then|Not|To|With|I|And|Or|It|This|He|She|They|We|You|However|When|If|A|An|After|Before|By|For|As|From|These|There|His|Her|Its|Their|But|And)\b', m.group(0)) and len(m.group(0)) > 2]
    for a, b in zip(names, names[1:]):
        between = sentence[a.end(): b.start()]
        if a.group(0) == b.group(0) or re.fullmatch(r"[\s,()]*(?:and|or|&|,|/|in|of)?[\s,()]*", between) or ' and ' == between or len(between) > 70:
            continue
        if re.search(r'\b(?:with|and|or|between)\b', between) and not re.search(r'\b(?:than|by)\b', between):
            continue
        if not re.search(r'\b(?:is|are|was|were|than|by|to|from|of|over|for|after|before|\w+ed|won|beat|led|wrote|gave|made|took|left|became)\b', between):
            continue
        return sentence[: a.start()] + b.group(0) + between + a.group(0) + sentence[b.end():]
    return None


FLIPS = {
    'value': value, 'date': date, 'unit': unit, 'name': name, 'negation': negation, 'modality': modality, 'condition_dropped': condition_dropped,
    'condition_exchanged': condition_exchanged, 'restricted': restricted, 'quantifier': quantifier, 'opposite': opposite, 'role': role,
}
"""Label of a changed sentence; `unsupported` if the source leaves it open, or either label may be right."""
LABELS = {
    'value': 'contradicted', 'date': 'contradicted', 'unit': 'contradicted', 'name': 'unsupported', 'negation': 'contradicted', 'modality': 'unsupported',
    'condition_dropped': 'unsupported', 'condition_exchanged': 'contradicted', 'restricted': 'unsupported', 'quantifier': 'unsupported', 'opposite': 'contradicted', 'role': 'unsupported',
}
"""Symmetric changes, which can be made in the source instead of the claim."""
SYMMETRIC = ('value', 'date', 'unit', 'name', 'negation', 'opposite', 'condition_exchanged', 'role')


def spell(number):
    if number <= 20:
        return WORDS[number]
    if number < 100:
        return TENS[number // 10 * 10] + ('' if number % 10 == 0 else '-' + WORDS[number % 10])
    return None


def other_form(sentence, rng):
    """Rewrites a number: words for digits, digits for words, or the same duration in another unit."""
    options = []
    for match in NUMBER.finditer(sentence):
        text = match.group(0)
        after = sentence[match.end():]
        if re.fullmatch(r'\d{1,2}', text) and int(text) > 0 and not re.match(r"[%:]|(?:st|nd|rd|th)\b| ?(?:" + '|'.join(MONTHS) + r"|mg|ml|kg|cm|mm)\b", after) and not re.search(r'(?:[$£€]|' + '|'.join(MONTHS) + r'|No\.|Section|section|age) ?$', sentence[: match.start()]):
            options.append(sub_at(sentence, match, spell(int(text))))
        if ',' in text and '.' not in text:
            options.append(sub_at(sentence, match, text.replace(',', '')))
        if after.startswith('%'):
            options.append(sentence[: match.end()] + ' percent' + after[1:])
        if after.startswith(' percent'):
            options.append(sentence[: match.end()] + '%' + after[8:])
    for match in re.finditer(r'\b(' + '|'.join(WORDS[2:]) + r')\b(?! of\b|-)', sentence):
        options.append(sub_at(sentence, match, str(WORDS.index(match.group(0)))))
    for old, new in [('one year', '12 months'), ('two years', '24 months'), ('12 months', 'a year'), ('24 hours', 'one day'), ('two weeks', '14 days'), ('14 days', 'two weeks'), ('six months', 'half a year'),
                     ('6 months', 'half a year'), ('a week', 'seven days'), ('7 days', 'a week'), ('one hour', '60 minutes'), ('60 minutes', 'an hour'), ('48 hours', 'two days'), ('18 months', 'one and a half years'), ('a decade', 'ten years'), ('half a century', '50 years'), ('dozen', '12')]:
        match = re.search(rf'(?<![\w-]){old}(?![\w-])', sentence)
        if match:
            options.append(sub_at(sentence, match, new))
    return rng.choice(options) if options else None


CONDITIONAL = re.compile(r"\b(?:if|unless|only|except|until|when|provided|without|not|never|no|n't|may|might|could|some|most|few|little)\b|n['’]t", re.I)


def clause_kept(sentence, rng):
    """Keeps the first of two clauses, or removes a parenthesis."""
    if CONDITIONAL.search(sentence):
        return None
    options = []
    for match in re.finditer(r'(?:, (?:and|but|which|while|where|although|with)|;|, \w+ing) ', sentence):
        first = sentence[: match.start()]
        if len(first.split()) >= 6 and len(sentence) - match.end() > 20 and re.search(r'\b(?:is|are|was|were|has|have|had|can|will|\w+ed)\b', first) and first.count('(') == first.count(')') and first.count('"') % 2 == 0 and ', ' not in first:
            options.append(first + '.')
    match = re.search(r' \([^()]{3,80}\)', sentence)
    if match:
        options.append(sentence[: match.start()] + sentence[match.end():])
    match = re.match(r'^(?:However|In addition|For example|In fact|Moreover|Also|Furthermore|Additionally|Finally|Therefore|Instead|Today), ', sentence)
    if match:
        rest = sentence[match.end():]
        options.append(rest[0].upper() + rest[1:])
    return rng.choice(options) if options else None


def order_changed(sentence, rng):
    match = re.match(r'^((?:If|When|Unless|Because|Although|After(?! all)|Before(?! long)|While|Until) [^,;]{8,110}), ([a-z][^;]{15,})\.$', sentence)
    if match:
        second = re.sub(r'^then ', '', match.group(2))
        if re.match(r'(?:to|when|who|which|and|or|suddenly)\b', second) or len(match.group(1).split()) < 4:
            return None
        return second[0].upper() + second[1:] + ' ' + match.group(1)[0].lower() + match.group(1)[1:] + '.'
    match = re.match(r'^(In \d{4}|In (?:' + '|'.join(MONTHS) + r') \d{4}|On (?:' + '|'.join(MONTHS) + r') \d{1,2}(?:, \d{4})?|In (?:the )?[A-Z]\w+(?: [A-Z]\w+)?), ((?:[a-z]|the )[^,;]{15,}|[A-Z][^,;]{15,})\.$', sentence)
    if match:
        return match.group(2)[0].upper() + match.group(2)[1:] + ' ' + match.group(1)[0].lower() + match.group(1)[1:] + '.'
    match = re.match(r'^([A-Z][^,;]{15,90}) (if|unless|because) ([^,;]{10,90})\.$', sentence)
    if match and not re.search(r'\b(?:only|even|just|say|see|ask|know|whether|shortly|soon|long|years?|days?|months?|weeks?|hours?)$', match.group(1)):
        first = match.group(1)
        first = first[0].lower() + first[1:] if re.match(r'(?:The|A|An|You|They|We|It|He|She|This|These|Your|Our|There)\b', first) else first
        return f'{match.group(2)[0].upper()}{match.group(2)[1:]} {match.group(3)}, {first}.'
    return None


def passive(sentence, rng):
    match = re.match(r"^((?:The |A |An )?[A-Z]?[\w'’ -]{2,50}?) (was|were) (\w+ed) by ((?:the |a |an )?[\w'’. -]{3,50})\.$", sentence)
    if match:
        subject, agent = match.group(1), match.group(4)
        subject = subject[0].lower() + subject[1:] if re.match(r'(?:The|A|An|They|These|Many|Most|All|This|That)\b', subject) else subject
        if re.match(r'(?:He|She|It|They|he|she|it|they|who|which)\b', subject) or re.search(r'\b(?:and|in|at|on|from|during|year|who|that|which|was|were|after|before|Gov|\d+)\b', agent) or re.search(r'\b(?:when|was|were)\b', match.group(1)):
            return None
        return f'{agent[0].upper()}{agent[1:]} {match.group(3)} {subject}.'
    return None


SYNONYMS = [
    (r'\bmust\b(?! be| have)', 'need to'), (r'\bmore than (?=\d)', 'over '), (r'\bover (?=\d)', 'more than '), (r'\bat least (\d[\d,.]*|two|three|four|five|six|ten) (\w+)', r'\1 \2 or more'), (r'\bbecause\b(?! of)', 'since'),
    (r'\bin order to\b', 'to'), (r'\bsuch as\b', 'like'), (r'\bdo not\b', "don't"), (r'\bdoes not\b', "doesn't"), (r"\bdon['’]t\b", 'do not'), (r"\bdoesn['’]t\b", 'does not'), (r'\bcannot\b', "can't"), (r"\bcan['’]t\b", 'cannot'),
    (r'\bis not\b', "isn't"), (r'\bare not\b', "aren't"), (r'\bwas not\b', "wasn't"), (r'\bwill not\b', "won't"), (r'\balso ', ''), (r'\bobtain\b', 'get'), (r'\bpurchase\b', 'buy'), (r'\bassist\b', 'help'), (r'\brequire\b', 'need'), (r'\brequires\b', 'needs'),
    (r'\bapproximately\b', 'about'), (r'\bprior to\b', 'before'), (r'\bsubsequent to\b', 'after'), (r'\bcommence\b', 'begin'), (r'\bbegan\b', 'started'), (r'\bstarted\b', 'began'), (r'\blarge\b', 'big'), (r'\bphysician\b', 'doctor'), (r'\bmay be able to\b', 'might be able to'),
    (r'\bperhaps\b', 'maybe'), (r'\bchildren\b', 'kids'), (r'\bautomobile\b', 'car'), (r'\bdied\b', 'passed away'), (r'\bnearly\b', 'almost'), (r'\bthroughout\b', 'all over'), (r'\bnumerous\b', 'many'), (r'\bis located in\b', 'lies in'), (r'\bhelp\b(?= (?:you|us|to))', 'assist'),
    (r'\bmay\b(?! \d)', 'might'), (r'\bknown as\b', 'called'), (r'\boften\b', 'frequently'), (r'\busually\b', 'generally'), (r'\bpeople who\b', 'those who'), (r'\bprovide\b', 'give'), (r'\bprovides\b', 'gives'), (r'\bfor example\b', 'for instance'),
]


def synonym(sentence, rng):
    options = [(old, new) for old, new in SYNONYMS if re.search(old, sentence)]
    if not options:
        return None
    rng.shuffle(options)
    for old, new in options[: rng.choice([1, 1, 2, 3])]:
        sentence = re.sub(old, new, sentence, count=1)
    return sentence


REWORDINGS = {'clause_kept': clause_kept, 'order_changed': order_changed, 'passive': passive, 'number_form': other_form, 'synonym': synonym}
