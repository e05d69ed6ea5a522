import { expect, it } from "vitest";
import { tellPieces } from "../answer/choose.ts";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { choosePieces } from "./choose.ts";
import { readChooserWeights } from "./chooser-weights.ts";

const weights = readChooserWeights();
const { signal } = new AbortController();

async function piecesOf(sentences: readonly string[]) {
  const evidence = [fakeEvidence(fakePassage({ pieces: sentences }))];
  const options = { maxCharacters: 500, reranker: null, embed: null, weights, read: null, signal };
  return (await choosePieces("What does a boat cost?", evidence, fakeWords(), options)).pieces;
}

it("tells of a piece its score, what weighs most in it by the scorer that scored it, and how it begins", async () => {
  const [piece] = await piecesOf(["A boat costs four dollars."]);
  if (piece === undefined) throw new Error("no piece");
  const measured = { ...piece.measured, beside: 0.25, wantsList: true };
  const view = { ...piece.view, text: `A boat\n${"costs ".repeat(30)}`, own: 0.5, lacks: 3, fromTitle: 0, fromHeading: 0 };
  const given = { ...piece, measured: { ...measured, view }, view, score: 1.234 };
  // own (0.5 - 0.1) / 0.2 · 3 = 6; lacks 3 · -2 = -6.5 with a fill of -0.25; title 0; whole 0.5 · 0.1.
  const glance = {
    features: ["title", "own", "whole", "lacks", "heading"],
    ...{ fill: [0, 0.1, 0, -0.25, 0], scale: [1, 0.2, 1, 1, 1], linear: [1, 3, 0.1, -2, 0] },
  };
  const read = { features: ["reading", "own"], linear: [4, 1] };
  const scorers = { piece: glance, read };
  const text = `A boat ${"costs ".repeat(30)}`.slice(0, 80);
  expect(tellPieces([{ ...given, reading: null }], scorers)).toBe(`1.23 (not read; lacks -6.50, own 6.00, whole 0.05, title 0.00) ${text}`);
  expect(tellPieces([{ ...given, reading: { cross: 1, cosine: 0.5 } }], scorers)).toBe(
    `1.23 (odds 1.00, cosine 0.50; reading 2.00, own 0.50) ${text}`,
  );
});

it("tells of the first ten, in their order, a line each, and nothing of none", async () => {
  const pieces = await piecesOf(Array.from({ length: 12 }, (_, i) => `The boat of pier ${i} is white.`));
  const lines = tellPieces(pieces, weights).split("\n");
  expect(lines).toHaveLength(10);
  expect(lines.map((line, i) => line.endsWith(pieces[i]?.view.text ?? "?"))).toEqual(lines.map(() => true));
  expect(tellPieces([], weights)).toBe("");
});
