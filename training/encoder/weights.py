"""Reads and writes the weights file.

    bytes 0-7    "SBENC001"
    bytes 8-11   length of the header, little-endian uint32
    header       JSON in UTF-8, padded with spaces to a multiple of 4
    payload      float32 scale per row (little-endian) | int8 rows | float32 weight per row | vocabulary

A row is `scale * int8`, its token's weight folded in; `weight` is the row's length, kept for late interaction.
The vocabulary is UTF-8, one piece a line. `sha256` in the header is that of the payload.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import numpy as np

MAGIC = b"SBENC001"


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = (np.abs(table).max(1) / 127).astype(np.float32)
    scale = np.maximum(scale, 1e-12)
    return np.rint(table / scale[:, None]).clip(-127, 127).astype(np.int8), scale


def write(path: Path, table: np.ndarray, vocabulary: list[str], header: dict) -> None:
    rows, scales = quantise(table)
    lengths = (np.linalg.norm(rows.astype(np.float32), axis=1) * scales).astype(np.float32)
    payload = scales.tobytes() + rows.tobytes() + lengths.tobytes() + "\n".join(vocabulary).encode()
    header = {**header, "rows": len(table), "dimensions": table.shape[1], "vocabulary": len(vocabulary)}
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
    rows, dimensions = header["rows"], header["dimensions"]
    scales = np.frombuffer(payload, "<f4", rows)
    table = np.frombuffer(payload, np.int8, rows * dimensions, rows * 4).reshape(rows, dimensions)
    vocabulary = payload[rows * (dimensions + 8) :].decode().split("\n")
    return table.astype(np.float32) * scales[:, None], vocabulary, header
