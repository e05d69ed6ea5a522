"""The sets that the encoder is measured on: held-out parts of trained sets, and sets that no training saw."""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from datasets import SOURCES, is_held_out, read_jsonl, windows


@dataclass
class RetrievalSet:
    """Passages are grouped into documents (a page, an answer); a query names the documents that answer it."""

    name: str
    passages: list[str]
    documents: list[str]
    queries: list[str]
    gold: list[frozenset[str]]
    scope: list[str] | None = None  # per passage
    query_scope: list[str] | None = None  # per query: only passages of this scope are candidates
    clusters: list[str] = field(default_factory=list)  # per query, for the bootstrap


def misspell(text: str, rng: random.Random, rate: float | None = None) -> str:
    """One slip (a letter lost, added, changed or swapped) in each of `rate` of the longer words, or in just one of them."""
    words = text.split()
    long = [i for i, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    chosen = [i for i in long if rng.random() < rate] if rate is not None else rng.sample(long, min(1, len(long)))
    for i in chosen:
        word, letter = words[i], chr(97 + rng.randrange(26))
        k = rng.randrange(1, len(word) - 1)
        words[i] = rng.choice(
            [
                word[:k] + word[k + 1 :],
                word[:k] + letter + word[k:],
                word[:k] + letter + word[k + 1 :],
                word[:k] + word[k + 1] + word[k] + word[k + 2 :],
            ]
        )
    return " ".join(words)


def eval_policyqa(data: Path) -> RetrievalSet:
    source = SOURCES["policyqa"]
    out = RetrievalSet("policyqa", [], [], [], [], [], [])
    for row in read_jsonl(data / "policyqa/passages_dev.jsonl"):
        if is_held_out(source, row["site"]):
            out.passages.append(row["text"])
            out.documents.append(row["passage_id"])
            out.scope.append(row["site"])
    asked: dict[tuple[str, str], set[str]] = {}
    for row in read_jsonl(data / "policyqa/questions_dev.jsonl"):
        if is_held_out(source, row["site"]):
            asked.setdefault((row["site"], row["question"]), set()).add(row["passage_id"])
    for (site, question), gold in asked.items():
        out.queries.append(question)
        out.query_scope.append(site)
        out.gold.append(frozenset(gold))
        out.clusters.append(site)
    return out


def eval_medquad(data: Path) -> RetrievalSet:
    source = SOURCES["medquad"]
    out = RetrievalSet("medquad", [], [], [], [])
    gold: dict[str, set[str]] = {}
    cluster: dict[str, str] = {}
    for row in read_jsonl(data / "medquad/medquad.jsonl"):
        if not is_held_out(source, row["focus"].lower()):
            continue
        document = f"{row['collection']}/{row['id']}"
        for window in windows(row["answer"]):
            out.passages.append(window)
            out.documents.append(document)
        question = re.sub(r"\s+", " ", row["question"]).strip()
        gold.setdefault(question, set()).add(document)
        cluster[question] = row["focus"].lower()
    for question in sorted(gold, key=lambda text: hashlib.sha256(text.encode()).hexdigest())[:1000]:
        out.queries.append(question)
        out.gold.append(frozenset(gold[question]))
        out.clusters.append(cluster[question])
    return out


def eval_covid_qa(data: Path) -> RetrievalSet:
    out = RetrievalSet("covid-qa", [], [], [], [])
    spans: dict[int, list[tuple[int, int, str]]] = {}
    for row in read_jsonl(data / "covid-qa/docs.jsonl"):
        text, position = row["text"], 0
        for number, window in enumerate(windows(text)):
            words = window.split()
            begin = text.index(words[0], position)
            end = begin
            for word in words:
                end = text.index(word, end) + len(word)
            position = end
            name = f"{row['document_id']}#{number}"
            out.passages.append(window)
            out.documents.append(name)
            spans.setdefault(row["document_id"], []).append((begin, end, name))
    for row in read_jsonl(data / "covid-qa/questions.jsonl"):
        if not row["offset_ok"]:
            continue
        begin, end = row["answer_start"], row["answer_start"] + len(row["answer"])
        gold = frozenset(name for a, b, name in spans[row["document_id"]] if a < end and begin < b)
        if gold:
            out.queries.append(row["question"])
            out.gold.append(gold)
            out.clusters.append(str(row["document_id"]))
    return out


def eval_fairytaleqa(data: Path, within_story: bool) -> RetrievalSet:
    source = SOURCES["fairytaleqa"]
    name = "fairytaleqa-story" if within_story else "fairytaleqa-all"
    out = RetrievalSet(name, [], [], [], [], [] if within_story else None, [] if within_story else None)
    for row in read_jsonl(data / "fairytaleqa/sections.jsonl"):
        if within_story and not is_held_out(source, row["story"]):
            continue
        for window in windows(row["text"], 200):
            out.passages.append(window)
            out.documents.append(f"{row['story']}#{row['section']}")
            if within_story:
                out.scope.append(row["story"])
    for row in read_jsonl(data / "fairytaleqa/questions.jsonl"):
        if is_held_out(source, row["story"]):
            out.queries.append(row["question"])
            out.gold.append(frozenset(f"{row['story']}#{number}" for number in row["sections"]))
            out.clusters.append(row["story"])
            if within_story:
                out.query_scope.append(row["story"])
    return out


def eval_clapnq(data: Path) -> RetrievalSet:
    out = RetrievalSet("clapnq", [], [], [], [])
    for row in read_jsonl(data / "clapnq/clapnq_dev.jsonl"):
        for window in windows(f"{row['title']}. {row['passage']}"):
            out.passages.append(window)
            out.documents.append(row["id"])
        if row["answerable"]:
            out.queries.append(row["question"])
            out.gold.append(frozenset([row["id"]]))
            out.clusters.append(row["title"])
    return out


def pooled(name: str, rows: list[tuple[str, str, str]]) -> RetrievalSet:
    """Rows of (question, document id, document text) as one collection."""
    out = RetrievalSet(name, [], [], [], [])
    texts = {document: text for _, document, text in rows}
    for document, text in texts.items():
        for window in windows(text):
            out.passages.append(window)
            out.documents.append(document)
    asked: dict[str, set[str]] = {}
    for question, document, _ in rows:
        asked.setdefault(question, set()).add(document)
    for question, gold in asked.items():
        out.queries.append(question)
        out.gold.append(frozenset(gold))
        out.clusters.append(min(gold))
    return out


def eval_halueval(data: Path) -> RetrievalSet:
    rows = read_jsonl(data / "halueval/qa.jsonl")
    return pooled("halueval", [(row["question"], str(row["id"]), row["knowledge"]) for row in rows])


def eval_ragtruth(data: Path) -> RetrievalSet:
    rows = [row for row in read_jsonl(data / "ragtruth/ragtruth.jsonl") if row["task"] == "qa"]
    return pooled("ragtruth", [(row["question"], row["source_id"], re.sub(r"passage \d+:", " ", row["context"])) for row in rows])


def eval_wice(data: Path) -> RetrievalSet:
    rows = read_jsonl(data / "wice/claim_dev.jsonl")
    texts = [(row["claim"], " ".join(row["evidence"])[:6000]) for row in rows]
    return pooled("wice", [(claim, hashlib.sha256(text.encode()).hexdigest()[:16], text) for claim, text in texts])


EVALUATIONS: dict[str, Callable[[Path], RetrievalSet]] = {
    "policyqa": eval_policyqa,
    "medquad": eval_medquad,
    "covid-qa": eval_covid_qa,
    "fairytaleqa-story": lambda data: eval_fairytaleqa(data, True),
    "fairytaleqa-all": lambda data: eval_fairytaleqa(data, False),
    "clapnq": eval_clapnq,
}

# Never trained on either; settings were chosen by these and by the held-out parts, not by the sets above.
TRANSFER: dict[str, Callable[[Path], RetrievalSet]] = {"halueval": eval_halueval, "ragtruth": eval_ragtruth, "wice": eval_wice}
