import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../package.ts";
import { createReader } from "../reader/create-reader.ts";
import { unlikeForms } from "./named-things.ts";

const reader = createReader({ threads: 0 });
afterAll(() => reader.close());
const signal = new AbortController().signal;
const ask = (word: string, ...held: string[]) => unlikeForms(new Map([[word, held]]), (texts) => reader.read(texts), signal);

describe("unlikeForms", () => {
  it.each([
    ["probation", "probate"],
    ["communion", "commune"],
    ["contention", "content"],
    ["university", "universe"],
  ])("tells %s from %s", async (word, held) => expect(await ask(word, held)).toEqual([word]));

  it.each([
    ["allergies", "allergy"],
    ["employer", "employ"],
    ["teacher", "teach"],
    ["regional", "region"],
    ["mechanical", "mechanism"],
    ["usual", "usually"],
  ])("takes %s as a form of %s", async (word, held) => expect(await ask(word, held)).toEqual([]));

  it("tells at least 79 of 101 pairs that are two words, and takes at most 6 of 98 forms for another word", async () => {
    const rows = readFileSync(join(PACKAGE_ROOT, "lab/sets/own/word-forms.tsv"), "utf8").trim().split("\n");
    const told: Record<string, number> = { one: 0, two: 0 };
    for (const [word = "", held = "", kind = ""] of rows.map((row) => row.split("\t")))
      told[kind] = (told[kind] ?? 0) + (await ask(word, held)).length;
    expect(told).toEqual({ one: expect.toSatisfy((count: number) => count <= 6), two: expect.toSatisfy((count: number) => count >= 79) });
  });

  it("asks for one form that is alike, not for all", async () => expect(await ask("universities", "universe", "university")).toEqual([]));

  it("says nothing where nothing is read", async () => {
    expect(await unlikeForms(new Map([["probation", ["probate"]]]), null, signal)).toEqual([]);
    expect(await unlikeForms(new Map([["probation", ["probate"]]]), async () => null, signal)).toEqual([]);
    expect(await unlikeForms(new Map(), () => Promise.reject(new Error("read")), signal)).toEqual([]);
  });
});
