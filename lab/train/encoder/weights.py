"""Reads and writes the weights file.

  bytes 0-7    "SBENC002"
  bytes 8-11   length of the header, little-endian uint32
  header       JSON in UTF-8, padded with spaces to a multiple of 4
  payload      float32 scale per row (little-endian) | packed rows | vocabulary

A value is `scale * code`. A code is -7 to 7, stored plus 8 in 4 bits, with even positions in the low half of the byte.
The token's weight is the length of its row.
The vocabulary is UTF-8, one token per line; the rows after it belong to hashed characters. `sha256` is the payload's hash.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import numpy as np

MAGIC = b"SBENC002"
LARGEST = 7  # codes are -7 to 7


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns codes and a scale per row; of several clipping values per row, takes the one with the least squared error."""
    table = table.astype(np.float32)
    peak = np.maximum(np.abs(table).max(1), 1e-12)
    best_codes = np.zeros(table.shape, np.int8)
    best_scale, best_error = np.ones(len(table), np.float32), np.full(len(table), np.inf, np.float32)
    for clip in np.linspace(0.5, 1, 11):
        scale = (peak * clip / LARGEST).astype(np.float32)
        codes = np.rint(table / scale[:, None]).clip(-LARGEST, LARGEST)
        error = ((codes * scale[:, None] - table) ** 2).sum(1)
        better = error < best_error
        best_codes[better], best_scale[better], best_error[better] = codes[better], scale[better], error[better]
    return best_codes, best_scale


def restore(codes: np.ndarray, scales: np.ndarray) -> np.ndarray:
    return codes.astype(np.float32) * scales[:, None]


def write(path: Path, table: np.ndarray, vocabulary: list[str], header: dict) -> None:
    codes, scales = quantise(table)
    stored = (codes + 8).astype(np.uint8)
    packed = stored[:, 0::2] | (stored[:, 1::2] << 4)
    payload = scales.astype("<f4").tobytes() + packed.tobytes() + "\n".join(vocabulary).encode()
    header = {**header, "rows": len(table), "dimensions": table.shape[1], "vocabulary": len(vocabulary), "bits": 4}
    header["sha256"] = hashlib.sha256(payload).hexdigest()
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(MAGIC + struct.pack("<I", len(text)) + text + payload)


def read(path: Path) -> tuple[np.ndarray, list[str], dict]:
    raw = path.read_bytes()
    assert raw[:8] == MAGIC, "not an encoder weights file"
    (size,) = struct.unpack("<I", raw[8:12])
    header, payload = json.loads(raw[12 : 12 + size]), raw[12 + size :]
    assert hashlib.sha256(payload).hexdigest() == header["sha256"], "the payload does not match its hash"
    rows, half = header["rows"], header["dimensions"] // 2
    scales = np.frombuffer(payload, "<f4", rows)
    packed = np.frombuffer(payload, np.uint8, rows * half, rows * 4).reshape(rows, half)
    codes = np.stack([packed & 15, packed >> 4], axis=2).reshape(rows, half * 2).astype(np.int8) - 8
    vocabulary = payload[rows * (4 + half) :].decode().split("\n")
    return restore(codes, scales), vocabulary, header
