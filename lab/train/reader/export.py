"""Turns a checkpoint of the reader into the file that ships, and says what the rounding of its numbers costs.

    python export.py --state checkpoint.pt --vocabulary vocab.txt --name reader-1 --out ../../../src/models/weights/reader.bin

`--state` is a state dict (.pt, .npz or .safetensors) with the names of HF BertModel under "bert." and head_answer (.weight,
.bias); dimensions are read from it. Written beside the file: NAME.parity.json, 200 cases with
the logits that torch gives on the restored numbers. Needs numpy and torch (and safetensors for that form).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

import weights
from cases import make_cases
from forward import answer_logit, forward


def read_state(path: Path) -> dict[str, np.ndarray]:
    if path.suffix == ".npz":
        return dict(np.load(path))
    if path.suffix == ".safetensors":
        from safetensors.numpy import load_file

        return load_file(path)
    state = torch.load(path, map_location="cpu", weights_only=True)
    state = state.get("state", state)
    return {name: tensor.float().numpy() for name, tensor in state.items()}


def with_random_heads(state: dict[str, np.ndarray], seed: int) -> dict[str, np.ndarray]:
    """For trying the kernel on weights of an encoder that has no heads yet."""
    state = {name if name.startswith("bert.") else f"bert.{name}": values for name, values in state.items()}
    hidden = state["bert.embeddings.word_embeddings.weight"].shape[1]
    draw = np.random.default_rng(seed)
    state["head_answer.weight"] = draw.normal(0, 0.1, (1, hidden)).astype(np.float32)
    state["head_answer.bias"] = draw.normal(0, 0.1, 1).astype(np.float32)
    return state


def logits_of(state: dict[str, np.ndarray], header: dict, cases: list[dict]) -> np.ndarray:
    tensors = {name: torch.from_numpy(np.array(values, np.float32)) for name, values in state.items() if name.startswith(("bert.", "head_answer"))}
    out = []
    with torch.no_grad():
        for case in cases:
            types = [int(place >= case["second"]) for place in range(len(case["ids"]))]
            hidden = forward(tensors, header["layers"], header["heads"], header["epsilon"], case["ids"], types)
            out.append(answer_logit(tensors, hidden))
    return np.array(out)


def print_loss(exact: np.ndarray, rounded: np.ndarray) -> None:
    """How far the rounded numbers move a logit, beside how much logits vary over the cases."""
    moved, chance = np.abs(exact - rounded), np.abs(1 / (1 + np.exp(-exact)) - 1 / (1 + np.exp(-rounded)))
    print(
        f"n={len(exact)}  logit: mean difference {moved.mean():.4f}, largest {moved.max():.4f}, spread {exact.std():.3f}, "
        f"correlation {np.corrcoef(exact, rounded)[0, 1]:.5f}; chance: mean difference {chance.mean():.4f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True, help="vocab.txt, one piece a line")
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--heads", type=int, help="attention heads (hidden / 32)")
    parser.add_argument("--layers", type=int, help="only the first so many layers (all)")
    parser.add_argument("--embedding-bits", type=int, choices=(4, 5, 6, 7, 8), help="(the most that keep the file within 16 MiB)")
    parser.add_argument("--epsilon", type=float, default=1e-12, help="of the layer norms")
    parser.add_argument("--calibration", type=Path, help="JSON object that the program gets with the weights")
    parser.add_argument("--random-heads", type=int, metavar="SEED", help="give a bare encoder random heads, to try the kernel")
    options = parser.parse_args()

    torch.set_num_threads(1)  # sequences are short: two threads that wait for each other on busy cores are many times slower
    state = read_state(options.state)
    if options.random_heads is not None:
        state = with_random_heads(state, options.random_heads)
    pieces = options.vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    hidden = state["bert.embeddings.word_embeddings.weight"].shape[1]
    layers = options.layers or 1 + max(int(name.split(".")[3]) for name in state if name.startswith("bert.encoder.layer."))
    bits = options.embedding_bits or widest_bits(state, layers, pieces)
    header = {
        "format": 1,
        "name": options.name,
        "layers": layers,
        "hidden": hidden,
        "heads": options.heads or hidden // 32,
        "feed_forward": state["bert.encoder.layer.0.intermediate.dense.weight"].shape[0],
        "max_tokens": weights.MAX_TOKENS,
        "epsilon": options.epsilon,
        "embedding_bits": bits,
        "calibration": json.loads(options.calibration.read_text()) if options.calibration else {},
    }
    digest = weights.write(options.out, weights.tensors_of(state, layers, pieces, bits), header)
    print(f"{options.out}: {options.out.stat().st_size / 2**20:.2f} MiB, {layers} layers, embeddings of {bits} bits, sha256 {digest}")

    cases = make_cases(pieces)
    restored = logits_of(weights.restore(*weights.read(options.out)), header, cases)
    print_loss(logits_of(state, header, cases), restored)
    parity = options.out.with_suffix(".parity.json")
    lines = ",\n".join(json.dumps({**case, "answer": round(float(logit), 5)}, separators=(",", ":")) for case, logit in zip(cases, restored))
    parity.write_text(f'{{"weights":"{digest}","cases":[\n{lines}\n]}}\n')
    print(f"{parity}: {len(cases)} cases, {parity.stat().st_size / 1024:.0f} KiB")


def widest_bits(state: dict[str, np.ndarray], layers: int, pieces: list[str]) -> int:
    """The most bits for the embeddings that keep the file within 16 MiB; a file with four is written however large it is."""
    hidden = state["bert.embeddings.word_embeddings.weight"].shape[1]
    feed_forward = state["bert.encoder.layer.0.intermediate.dense.weight"].shape[0]
    kept = sum(map(weights.keeps_piece, pieces))
    matrices = layers * hidden * (4 * hidden + 2 * feed_forward)
    # Scales, biases, positions, vocabulary and header together stay under 800,000 bytes for every size that is meant here.
    return max([4, *(bits for bits in (5, 6, 7, 8) if matrices + kept * hidden * bits // 8 + 800_000 <= 16 * 2**20)])


if __name__ == "__main__":
    main()
