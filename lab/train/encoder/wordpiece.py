"""The shipped encoder's tokeniser and its vocabulary.

`Wordpiece` is the reference for `src/text/wordpiece.ts`: simple and slow, with the same ids.
Training uses the `tokenizers` package with the same vocabulary.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordPiece as FastWordPiece

# A longer "word" is base64 or noise, which must not outweigh the text around it.
MAX_WORD_UNITS = 64
# Characters outside the vocabulary share these rows by hash, so that every text has a vector.
HASH_ROWS = 64
KEPT_SCRIPTS = {"LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW"}
DROPPED_SCRIPTS = {
    "CJK", "KATAKANA", "HIRAGANA", "KATAKANA-HIRAGANA", "BENGALI", "DEVANAGARI", "HANGUL", "ARMENIAN", "TAMIL", "GEORGIAN",
    "THAI", "TIBETAN", "FULLWIDTH", "SINHALA", "KANNADA", "IDEOGRAPHIC", "MODIFIER", "MYANMAR", "KHMER", "TELUGU", "MALAYALAM",
}  # fmt: skip


def is_kept(piece: str) -> bool:
    if re.fullmatch(r"\[[A-Za-z]+\d*\]", piece):
        return False
    bare = piece[2:] if piece.startswith("##") and len(piece) > 2 else piece
    return all(ord(c) < 128 or unicodedata.name(c, "?").split()[0] not in DROPPED_SCRIPTS for c in bare)


def split_words(text: str) -> list[str]:
    """Applies BERT's uncased normalisation and pre-tokenisation."""
    out: list[str] = []
    word: list[str] = []

    def flush() -> None:
        if word:
            out.append("".join(word))
            word.clear()

    for char in text:
        category = unicodedata.category(char)
        if char in "\t\n\v\f\r\x85" or category in ("Zs", "Zl", "Zp"):
            flush()
        elif char == "\ufffd" or category in ("Cc", "Cf", "Cs", "Co"):
            continue
        elif is_ideograph(ord(char)):
            flush()
            out.append(char)
        else:
            for part in unicodedata.normalize("NFD", char.lower()):
                kind = unicodedata.category(part)
                if kind == "Mn":
                    continue
                if is_punctuation(part, kind):
                    flush()
                    out.append(part)
                else:
                    word.append(part)
    flush()
    return out


def is_punctuation(char: str, category: str) -> bool:
    code = ord(char)
    return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126 or category.startswith("P")


def is_ideograph(code: int) -> bool:
    return 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0x20000 <= code <= 0x2FA1F or 0xF900 <= code <= 0xFAFF


class Wordpiece:
    """Greedy longest match. Ids after the vocabulary are hashed characters."""

    def __init__(self, vocabulary: list[str]):
        self.ids = {piece: i for i, piece in enumerate(vocabulary)}
        self.size = len(vocabulary)

    def encode(self, text: str) -> list[int]:
        out: list[int] = []
        for word in split_words(text):
            units = word.encode("utf-16-le", "ignore")[: MAX_WORD_UNITS * 2]
            word = units.decode("utf-16-le", "ignore")
            start = 0
            while start < len(word):
                for end in range(len(word), start, -1):
                    found = self.ids.get(word[start:end] if start == 0 else "##" + word[start:end])
                    if found is not None:
                        out.append(found)
                        start = end
                        break
                else:
                    out.append(self.size + ((ord(word[start]) * 2654435761) % 2**32) % HASH_ROWS)
                    start += 1
        return out


def fast_tokenizer(vocabulary: list[str]) -> Tokenizer:
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    ids["[UNK]"] = len(vocabulary)
    tokenizer = Tokenizer(FastWordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=MAX_WORD_UNITS))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def build_vocabulary(base: list[str], texts: list[str], rows: int) -> list[str]:
    """Returns the source model's tokens in English and European scripts, then the whole words that save the most tokens."""
    kept = [piece for piece in base if is_kept(piece)]
    tokenizer = fast_tokenizer(kept)
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(re.findall(r"[a-z]{4,24}", text.lower())))
    words = [word for word, count in counts.items() if count >= 3]
    pieces = {word: len(e.ids) for word, e in zip(words, tokenizer.encode_batch_fast(words))}
    known = set(kept)
    ranked = sorted(
        (word for word in words if word not in known and pieces[word] > 1),
        key=lambda word: (-(counts[word] ** 0.75) * (pieces[word] - 1), word),
    )
    return kept + ranked[: rows - len(kept)]
