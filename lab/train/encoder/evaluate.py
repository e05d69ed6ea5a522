"""Figures of the weights file beside BM25 and the teacher, on held-out and on never-trained sets."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path

import numpy as np

import model
import weights
from datasets import DataRoots
from retrieval import allowed, bm25_scores, document_ranks, fuse, interval, mask, per_query
from retrieval_sets import EVALUATIONS, TRANSFER, RetrievalSet, misspell
from teacher import Teacher
from wordpiece import Wordpiece, fast_tokenizer

METRICS = ("ndcg@10", "hit@5", "recall@10")


def dense(table: np.ndarray, vocabulary: list[str], data: RetrievalSet) -> np.ndarray:
    tokenizer = fast_tokenizer(vocabulary)
    rows = table[: len(vocabulary)]
    q = model.encode(model.count_tokens(tokenizer, data.queries, len(rows)), rows)
    p = model.encode(model.count_tokens(tokenizer, data.passages, len(rows)), rows)
    return (q @ p.T).astype(np.float32)


def systems(data: RetrievalSet, words: np.ndarray, vectors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    permitted = allowed(data)
    out = {"bm25": mask(words, permitted)}
    for name, scores in vectors.items():
        out[name] = mask(scores, permitted)
        for how in ("minmax", "rrf"):
            out[f"bm25+{name} {how}"] = fuse(out["bm25"], out[name], how, permitted)
    return out


def run(options, roots: DataRoots) -> None:
    table, vocabulary, header = weights.read(options.out)
    teacher = None if options.quick else Teacher(options.work, 256)
    report: dict[str, dict] = {"sha256": header["sha256"], "n": {}, "metrics": {}}
    for name, load in {**EVALUATIONS, **TRANSFER}.items():
        if options.only and name not in options.only:
            continue
        data = load(roots)
        report["n"][name] = {"queries": len(data.queries), "documents": len(set(data.documents)), "passages": len(data.passages)}
        measure(name, data, table, vocabulary, teacher, options, report)
        if not options.quick:
            rng = random.Random(name)
            slips = dataclasses.replace(data, queries=[misspell(query, rng) for query in data.queries])
            measure(f"{name}, misspelt", slips, table, vocabulary, teacher, options, report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


def measure(name: str, data: RetrievalSet, table, vocabulary, teacher: Teacher | None, options, report: dict) -> None:
    vectors = {"ours": dense(table, vocabulary, data)}
    if teacher:
        file = name.split(",")[0]
        q, p = teacher.embed(data.queries, f"{file}-q"), teacher.embed(data.passages, f"{file}-p")
        vectors["minilm"] = q.astype(np.float32) @ p.astype(np.float32).T
    metrics, base = report["metrics"], None
    for system, scores in systems(data, bm25_scores(data.passages, data.queries), vectors).items():
        values = per_query(document_ranks(scores, data), data.gold)
        base = base or values
        line = f"{name:28s} {system:20s}"
        for metric in METRICS:
            key = f"{name}.{system}.{metric}"
            metrics[key] = round(float(values[metric].mean()), 4)
            line += f"  {metric} {values[metric].mean():.3f}"
            if not options.quick:
                low, high = interval(values[metric], data.clusters)
                lower, upper = interval(values[metric] - base[metric], data.clusters)
                metrics[f"{key}.interval"] = [round(low, 4), round(high, 4)]
                metrics[f"{key}.minus_bm25"] = [round(lower, 4), round(upper, 4)]
                line += f" [{low:.3f}, {high:.3f}]"
        print(line, flush=True)


PARITY_TEXTS = [
    "", " ", "a", "Hello, world!", "How do I appeal a VA disability decision?", "What is the co-pay for a 30-day supply?",
    "PTSD", "VA Form 21-526EZ", "38 CFR § 4.130, DC 9411", "$1,234.56 per month (2019)", "compnsation for vetrans",
    "café naïve Ångström ŒUVRE", "e\u0301 combining accents", "don't can't won't it's", "tabs\tand\nnew\r\nlines",
    "😀 emoji 👩‍👩‍👧 family", "שלום עולם", "مرحبا بالعالم", "Привет, мир", "Ελληνικά", "日本語のテキスト", "한국어", "x" * 200,
    "a\u0000b\ufffdc\u200bd\u00ade", "ﬁnance ½ ² ™", "UPPER lower MiXeD", "https://www.va.gov/disability/eligibility/ptsd/",
    "\u2018curly\u2019 \u201cquotes\u201d \u2014 dash", "İstanbul ẞ", "the the the the", "!!! ??? ...", "C++ C# node.js",
    "0.9% sodium chloride 5 mg/mL", "\ud7ff\ue000 private", "non\u00a0breaking\u3000space", "I \u2764 NY", "\u09ac\u09be\u0982\u09b2\u09be",
]  # fmt: skip


def write_parity(source: Path, file: Path) -> None:
    """Token ids and the first values of each text's vector, for the test of the other implementation."""
    table, vocabulary, header = weights.read(source)
    pieces = Wordpiece(vocabulary)
    rows = []
    for text in PARITY_TEXTS:
        ids = pieces.encode(text)
        distinct, counts = np.unique(np.array(ids, int), return_counts=True)
        vector = (counts ** header["repeat_power"]) @ table[distinct]
        vector = vector / max(float(np.linalg.norm(vector)), 1e-12)
        rows.append({"text": text, "ids": ids, "vector": [round(float(v), 5) for v in vector[:12]]})
    out = {"sha256": header["sha256"], "rows": rows}
    file.write_text(json.dumps(out, ensure_ascii=True, separators=(",", ":")).replace('{"text"', '\n{"text"') + "\n")
