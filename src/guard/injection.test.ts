import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readLinesOf } from "../grading/golden.ts";
import { sharedEncoder } from "../models/embedded-encoder.ts";
import { openInstructionFinder } from "../models/injection.ts";
import { PACKAGE_ROOT } from "../package.ts";
import cases from "./injection.cases.json" with { type: "json" };
import { documentOrders, injectionSignals } from "./injection.ts";

const isInstruction = openInstructionFinder(sharedEncoder);
const readKey = (file: string, key: string) =>
  readLinesOf(join(PACKAGE_ROOT, file), z.looseObject({ [key]: z.string() }), "data_invalid").map((row) => row[key] as string);

describe("injectionSignals", () => {
  it.each(cases.attacks)("%s: %s", (text, signal) => {
    expect(injectionSignals(text as string, isInstruction)).toContain(signal);
  });

  it.each(cases.ordinary)("%s is an ordinary question", (text) => {
    expect(injectionSignals(text, isInstruction)).toEqual([]);
  });

  it("are absent from answerable questions of the veterans domain", () => {
    const questions = readKey("domains/veterans/golden/demo-answerable.jsonl", "question");
    expect(questions.length).toBeGreaterThan(20);
    expect(questions.filter((question) => injectionSignals(question, isInstruction).length > 0)).toEqual([]);
  });

  it("are tested on texts that are not in the training", () => {
    const trained = readKey("lab/train/injection/cases.jsonl", "text");
    expect([...cases.attacks.flat(), ...cases.ordinary].filter((text) => trained.includes(text))).toEqual([]);
  });
});

describe("documentOrders", () => {
  it.each(cases.manuals)("ignores instructions of a manual to its readers: %s", (text) => {
    expect(documentOrders(text)).toEqual([]);
  });

  it.each(cases.orders)("finds instructions to an answering system: %s (%s)", (text, order) => {
    expect(documentOrders(text as string)).toContain(order);
  });
});
