"""Writes and reads the cross-encoder's weights file; `src/cross-encoder/weights.ts` reads the same format.

  bytes 0-7     "SBREAD01"
  bytes 8-39    SHA-256 of everything after it
  bytes 40-43   length of the header, little-endian uint32
  header        JSON in UTF-8, padded with spaces so that the payload starts at a multiple of 16
  payload       tensors, each at a multiple of 16; the header lists them: {name: {"type", "shape", "at"}}

Types of tensors, all little-endian: "f32", "i8", "u16", "u8", and "bits": rows of codes of `embedding_bits` bits each, a code
stored plus 2^(bits-1), the first code in the lowest bits, every row starting at a byte.
A matrix `m` is two tensors: `m.codes` (i8 or bits, -127 to 127) and `m.scales` (f32, one per row): value = code * scale of its
row.
Tensors (H hidden, F feed-forward, V tokens, R kept rows, P positions):

  vocabulary             u8: V tokens, one per line; a token's line is its id
  rows                   u16 [V]: the row of each id among the kept ones; a dropped token has the row of [UNK]
  words.*  positions.*   [R, H] bits, [P, H] i8
  types                  f32 [1, H]: segment embedding of the first text; the second one is not used
  answer.weights .bias   f32 [1, H], [1]: from the normalised mean state to the log odds that the second text answers the first
  claim.weights .bias    f32 [3, H], [3]: to logits of supported, contradicted, not enough information
  same.weights .bias     f32 [1, H], [1]: to the log odds that both questions ask the same
  embedding_norm.gain .bias            f32 [H]
  layer.N.attention.*                  [3H, H] i8, rows of query, key and value in this order, and .bias f32 [3H]
  layer.N.output.* .up.* .down.*       [H, H], [F, H], [H, F], each with .bias
  layer.N.attention_norm.gain .bias, layer.N.output_norm.gain .bias
"""

from __future__ import annotations

import hashlib
import json
import struct
import unicodedata
from pathlib import Path

import numpy as np

MAGIC = b"SBREAD01"
SPECIAL_PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
#: Clipping values of rows with few bits, as shares of the row's peak.
CLIPS = np.linspace(0.4, 1, 25)
#: Sequences are truncated to this length, so that later positions are not used.
MAX_TOKENS = 256
#: Linear heads on a pair's vector, with their number of outputs.
HEADS = {"answer": 1, "claim": 3, "same": 1}


def keeps_piece(piece: str) -> bool:
    """Tests whether a token is kept. Dropped: [unusedN], and tokens with a letter or mark that is neither Latin nor Greek."""
    if piece in SPECIAL_PIECES:
        return True
    if piece.startswith("[unused"):
        return False
    for char in piece:
        western = ord(char) < 0x250 or unicodedata.name(char, "").startswith(("LATIN", "GREEK", "MODIFIER LETTER"))
        if unicodedata.category(char)[0] in "LM" and not western:
            return False
    return True


def round_at_random(matrix: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Returns 8-bit codes and one scale per row, with stochastic rounding (Gupta et al. 2015). Fine-tuning changes most weights by
    less than half a code; rounding to the nearest code would undo it, while stochastic rounding keeps it in the mean.
    """
    matrix = matrix.astype(np.float32)
    scales = (np.maximum(np.abs(matrix).max(1), 1e-12) / 127).astype(np.float32)
    return np.floor(matrix / scales[:, None] + draw.random(matrix.shape)).clip(-127, 127).astype(np.int8), scales


def quantise_rows(matrix: np.ndarray, bits: int, clips: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Returns codes and one scale per row; of the given clipping values, takes the one with the least squared error."""
    largest = 2 ** (bits - 1) - 1
    matrix = matrix.astype(np.float32)
    peak = np.maximum(np.abs(matrix).max(1), 1e-12)
    clips = clips if clips is not None else np.ones(1)
    codes, scales = np.zeros(matrix.shape, np.int8), np.ones(len(matrix), np.float32)
    least = np.full(len(matrix), np.inf, np.float32)
    for clip in clips:
        scale = (peak * clip / largest).astype(np.float32)
        candidate = np.rint(matrix / scale[:, None]).clip(-largest, largest)
        error = ((candidate * scale[:, None] - matrix) ** 2).sum(1)
        better = error < least
        codes[better], scales[better], least[better] = candidate[better], scale[better], error[better]
    return codes, scales


def rounded_words(words: np.ndarray, pieces: list[str], bits: int) -> np.ndarray:
    """Returns the quantised word embeddings. Training on these, held fixed, makes their quantisation free."""
    rounded = np.empty(words.shape, np.float32)
    kept = [id for id, piece in enumerate(pieces) if keeps_piece(piece)]
    codes, scales = quantise_rows(words[kept], bits, CLIPS)
    restored = codes * scales[:, None]
    rounded[:] = restored[kept.index(pieces.index("[UNK]"))]
    rounded[kept] = restored
    return rounded


def pack_bits(codes: np.ndarray, bits: int) -> np.ndarray:
    stored = (codes.astype(np.int16) + 2 ** (bits - 1)).astype(np.uint8)
    planes = (stored[:, :, None] >> np.arange(bits, dtype=np.uint8)) & 1
    return np.packbits(planes.reshape(len(codes), -1), axis=1, bitorder="little")


def unpack_bits(packed: np.ndarray, width: int, bits: int) -> np.ndarray:
    planes = np.unpackbits(packed, axis=1, bitorder="little")[:, : width * bits].reshape(len(packed), width, bits)
    return ((planes.astype(np.int16) << np.arange(bits)).sum(2) - 2 ** (bits - 1)).astype(np.int8)


def tensors_of(state: dict[str, np.ndarray], layers: int, pieces: list[str], bits: int) -> dict[str, tuple[str, np.ndarray]]:
    """Returns the file's tensors from a state dict with the names of HF BertModel under "bert."."""
    out: dict[str, tuple[str, np.ndarray]] = {}

    draw = np.random.default_rng(1)

    def matrix(name: str, values: np.ndarray, matrix_bits: int = 8, clips: np.ndarray | None = None) -> None:
        codes, scales = round_at_random(values, draw) if matrix_bits == 8 else quantise_rows(values, matrix_bits, clips)
        out[f"{name}.codes"] = ("i8", codes) if matrix_bits == 8 else ("bits", pack_bits(codes, matrix_bits))
        out[f"{name}.scales"] = ("f32", scales)

    def floats(name: str, values: np.ndarray) -> None:
        out[name] = ("f32", values)

    kept = [id for id, piece in enumerate(pieces) if keeps_piece(piece)]
    row_of = {id: row for row, id in enumerate(kept)}
    unknown = row_of[pieces.index("[UNK]")]
    out["vocabulary"] = ("u8", np.frombuffer("\n".join(pieces).encode(), np.uint8))
    out["rows"] = ("u16", np.array([row_of.get(id, unknown) for id in range(len(pieces))], np.uint16))
    embeddings = "bert.embeddings."
    words = state[embeddings + "word_embeddings.weight"][kept]
    matrix("words", words, bits, CLIPS)
    matrix("positions", state[embeddings + "position_embeddings.weight"][:MAX_TOKENS])
    floats("types", state[embeddings + "token_type_embeddings.weight"][:1])
    for head in HEADS:
        floats(f"{head}.weights", state[f"{head}.weight"])
        floats(f"{head}.bias", state[f"{head}.bias"])
    floats("embedding_norm.gain", state[embeddings + "LayerNorm.weight"])
    floats("embedding_norm.bias", state[embeddings + "LayerNorm.bias"])
    for layer in range(layers):
        theirs, ours = f"bert.encoder.layer.{layer}.", f"layer.{layer}."
        parts = [f"{theirs}attention.self.{part}" for part in ("query", "key", "value")]
        matrix(ours + "attention", np.concatenate([state[part + ".weight"] for part in parts]))
        floats(ours + "attention.bias", np.concatenate([state[part + ".bias"] for part in parts]))
        for name, part in (("output", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense")):
            matrix(ours + name, state[f"{theirs}{part}.weight"])
            floats(f"{ours}{name}.bias", state[f"{theirs}{part}.bias"])
        for name, part in (("attention_norm", "attention.output.LayerNorm"), ("output_norm", "output.LayerNorm")):
            floats(f"{ours}{name}.gain", state[f"{theirs}{part}.weight"])
            floats(f"{ours}{name}.bias", state[f"{theirs}{part}.bias"])
    return out


NUMPY_TYPES = {"f32": "<f4", "i8": "i1", "u16": "<u2", "u8": "u1", "bits": "u1"}


def write(path: Path, tensors: dict[str, tuple[str, np.ndarray]], header: dict) -> str:
    """Writes the file and returns its hash. The same tensors and header give the same bytes."""
    table, payload = {}, bytearray()
    for name, (kind, values) in tensors.items():
        payload += b"\0" * (-len(payload) % 16)
        table[name] = {"type": kind, "shape": list(values.shape), "at": len(payload)}
        payload += np.ascontiguousarray(values).astype(NUMPY_TYPES[kind]).tobytes()
    text = json.dumps({**header, "tensors": table}, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-(44 + len(text)) % 16)
    hashed = struct.pack("<I", len(text)) + text + bytes(payload)
    digest = hashlib.sha256(hashed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(MAGIC + digest.digest() + hashed)
    return digest.hexdigest()


def read(path: Path) -> tuple[dict[str, np.ndarray], dict]:
    """Returns the stored tensors and the header."""
    raw = path.read_bytes()
    assert raw[:8] == MAGIC, "not a reader's weights file"
    assert hashlib.sha256(raw[40:]).digest() == raw[8:40], "the content does not match its hash"
    (size,) = struct.unpack("<I", raw[40:44])
    header, payload = json.loads(raw[44 : 44 + size]), raw[44 + size :]
    tensors = {}
    for name, entry in header["tensors"].items():
        count = int(np.prod(entry["shape"]))
        tensors[name] = np.frombuffer(payload, NUMPY_TYPES[entry["type"]], count, entry["at"]).reshape(entry["shape"])
    return tensors, header


def restore(tensors: dict[str, np.ndarray], header: dict) -> dict[str, np.ndarray]:
    """Returns the dequantised state dict; a dropped token has the embedding of [UNK]."""
    hidden, bits = header["hidden"], header["embedding_bits"]

    def matrix(name: str) -> np.ndarray:
        codes = tensors[f"{name}.codes"]
        if name == "words" and bits < 8:
            codes = unpack_bits(codes, hidden, bits)
        return codes.astype(np.float32) * tensors[f"{name}.scales"][:, None]

    state = {
        "bert.embeddings.word_embeddings.weight": matrix("words")[tensors["rows"]],
        "bert.embeddings.position_embeddings.weight": matrix("positions"),
        "bert.embeddings.token_type_embeddings.weight": tensors["types"],
        **{f"{head}.weight": tensors[f"{head}.weights"] for head in HEADS},
        **{f"{head}.bias": tensors[f"{head}.bias"] for head in HEADS},
        "bert.embeddings.LayerNorm.weight": tensors["embedding_norm.gain"],
        "bert.embeddings.LayerNorm.bias": tensors["embedding_norm.bias"],
    }
    for layer in range(header["layers"]):
        theirs, ours = f"bert.encoder.layer.{layer}.", f"layer.{layer}."
        attention, bias = np.split(matrix(ours + "attention"), 3), np.split(tensors[ours + "attention.bias"], 3)
        for part, part_weight, part_bias in zip(("query", "key", "value"), attention, bias):
            state[f"{theirs}attention.self.{part}.weight"], state[f"{theirs}attention.self.{part}.bias"] = part_weight, part_bias
        for name, part in (("output", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense")):
            state[f"{theirs}{part}.weight"], state[f"{theirs}{part}.bias"] = matrix(ours + name), tensors[f"{ours}{name}.bias"]
        for name, part in (("attention_norm", "attention.output.LayerNorm"), ("output_norm", "output.LayerNorm")):
            state[f"{theirs}{part}.weight"] = tensors[f"{ours}{name}.gain"]
            state[f"{theirs}{part}.bias"] = tensors[f"{ours}{name}.bias"]
    return state
