import { describe, expect, it } from "vitest";
import { createReader } from "../checks/statements.ts";
import { sourcebound } from "../profiles/sourcebound.ts";
import { sampleQuote } from "../testing/quotes.ts";
import { createAnswerBuilder } from "../writing/quotes.ts";
import { checkWhole, flags } from "./write.ts";

async function checksOf(...texts: string[]) {
  const sheet = createAnswerBuilder();
  for (const text of texts) sheet.add(text, [sampleQuote(text)]);
  const written = { sheet, claims: [], writer: "extractive" };
  return checkWhole(
    { question: { resolved: "When is the pool open?" }, written, evidence: [] },
    {
      profile: sourcebound,
      encoder: null,
      calibrations: [],
      check: { support: null, reader: createReader() },
      loadTokenCounter: async () => () => 0,
    },
  );
}

describe("an answer whose quotes are not English", () => {
  it("has a warning with the number of the quote and the language", async () => {
    const said = flags(await checksOf("The pool opens at six.", "Das Schwimmbad ist am Montag und am Dienstag nicht für alle offen."));
    expect(said).toMatchObject([
      { code: "check_tongue", message: expect.stringMatching(/^\[2\] seems to be in another language \(German\)/) },
    ]);
    const japanese = flags(await checksOf("プールは朝六時に開きます。"));
    expect(japanese.map(({ message }) => message)).toEqual([expect.stringContaining("(Chinese or Japanese)")]);
  });

  it("has none for English quotes, numbers and short names", async () => {
    expect(
      flags(await checksOf("The pool opens at six.", "6:00–22:00", "Schwimmbad Nord", "An hors d'oeuvre costs 4 euros at the pool.")),
    ).toEqual([]);
  });
});
