"""Writes the token ids of the `tokenizers` package, to compare with our own tokenizer.

  python golden_tokens.py tokenizer.json        writes src/cross-encoder/parity/tokens.json

Special tokens in a text count as plain characters, as in the program; with BertTokenizer use `split_special_tokens=True`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer

OURS = Path(__file__).parents[3] / "src" / "cross-encoder" / "parity" / "tokens.json"

TEXTS = [
    "", " ", "\t\r\n", "a", "How do I appeal?", "Don't! (It's 3.5 % of $1,234.56.)", "e-mail: someone@example.org", "https://example.org/a_b?c=d#e",
    "Form 21-526EZ, § 4.25(b)(2)", "2026-11-22T13:10:00Z", "unaffable antidisestablishmentarianism", "CAMELCase snake_case kebab-case",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [unused0]", "##able ## #", "a" * 100, "a" * 101, "x" * 1000, "naïve café résumé Zoë Ångström", "nai\u0308ve cafe\u0301",
    "İstanbul ıssız Straße ẞ ﬁne ﬂow", "ΑΒΓ αβγ ς Σ µg Ω", "привет мир Ёлка", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก",
    "漢字かな交じり文", "한국어 텍스트", "中文字符混 mixed 在一起", "\u3000full\uff0cwidth\u3002ＡＢＣ１２３", "𠀀𪜀 \U0002f800 \uf900", "🙂 🅰️ 👩‍👩‍👧 🇩🇪 1️⃣",
    "zero\u200bwidth\u200d\ufeffjoin", "soft\u00adhyphen", "non\u00a0breaking\u202fspaces\u2009here", "line\u2028para\u2029end", "bell\u0007 null\u0000 esc\u001b[0m",
    "\u0085next\u000bline\u000c", "replacement \ufffd char", "“quoted” ‘single’ «guillemets» …", "dash – em — minus − hyphen‐", "x² + y³ = z½ ≤ ∞ ≠ ±",
    "€5 £6 ¥7 ₿8 ¢9", "™ © ® ° † ‡ • ·", "a\u0300\u0301\u0302\u0303b", "\u0301leading mark", "Z̷͎̈a̶l̸g̵o̴", "\U000e0041tag\U000e007f", "\ue000private\U0010ffff",
    "tab\tseparated\tvalues", "| cell | cell |", "- bullet\n* star\n1. one", "<b>bold</b> &amp; <script>alert('x')</script>", "'; DROP TABLE users; --",
    "%00 %0a ../../etc/passwd", "{{template}} ${var} $(cmd) `tick`", "¿Qué? ¡Sí!", "Œuvre Æsop łódź đ ħ ŋ", "ʻokina ʼapostrophe ˈstress", "Ⅷ ⅷ ① ⓐ",
    "1st 2nd 3rd 10x 5G H2O CO2", "A.B.C. U.S.A. e.g. i.e.", "word" * 40, "á" * 60, "\u1100\u1161\u11a8 가각", "ﷺ ﷽", "ǅ ǆ Ǆ", "\u0345\u0399",
]


def main() -> None:
    tokenizer = Tokenizer.from_file(sys.argv[1])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    lines = (json.dumps({"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids}) for text in TEXTS)
    OURS.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{OURS}: {len(TEXTS)} texts")


if __name__ == "__main__":
    main()
