"""Expected token ids and vectors, for the parity test of the TypeScript implementation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import weights
from wordpiece import Wordpiece

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
    """Writes the token ids and the first values of each text's vector, for the parity test of the TypeScript implementation."""
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
