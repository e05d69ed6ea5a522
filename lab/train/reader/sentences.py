"""Splits a text into sentences, as offsets. Approximate, for generated data only; the labels of lists use the product's splitter."""
import re

STOP = re.compile(r'(?<=[.!?])["”’)\]]*\s+(?=["“(\[]?[A-Z0-9])|\n+')
NOT_LAST = re.compile(r'(?:\b(?:Dr|Mr|Mrs|Ms|St|Prof|Gen|Col|Lt|Sen|Rep|Jr|Sr|No|vs|etc|Inc|Co|Corp|Ltd|cf|e\.g|i\.e|U\.S|U\.K|a\.m|p\.m|approx|[A-Z]))\.$')


def sentences(text):
    ranges, start = [], 0
    for match in STOP.finditer(text):
        if '\n' not in match.group(0) and NOT_LAST.search(text[max(0, start, match.start() - 12): match.start()]):
            continue
        if text[start: match.start()].strip():
            ranges.append((start, match.start()))
        start = match.end()
    if text[start:].strip():
        ranges.append((start, len(text.rstrip())))
    return ranges


def is_statement(sentence):
    words = sentence.split()
    return (6 <= len(words) <= 42 and sentence[0].isupper() and sentence[-1] == '.' and '|' not in sentence and '\n' not in sentence and not re.search(r'[?{}<>]|http|\.\.\.', sentence)
            and sentence.count('"') % 2 == 0 and sentence.count('(') == sentence.count(')')
            and re.search(r"\b(?:is|are|was|were|be|been|can|could|will|would|should|must|may|might|has|have|had|does|do|did|\w+ed|\w+es|\w+s|made|took|gave|went|came|became|began|won|led)\b", sentence) is not None)
