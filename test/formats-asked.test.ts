import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Library, openLibrary } from "./support/engine.ts";

/** Documents by path, and the questions to each with a part of the quote that answers it. */
const CASES: readonly { readonly path: string; readonly source: string | Uint8Array; readonly asked: Readonly<Record<string, string>> }[] = [
  {
    path: "feeding.csv",
    source: "sep=;\r\nAnimal;Food per day;Keeper\r\nOtter;1.2 kg of fish;Marek\r\nTapir;9 kg of leaves;Ines\r\nLynx;2 kg of meat;Jo\r\n",
    asked: { "How much food does the tapir get per day?": "Tapir | 9 kg of leaves" },
  },
  {
    path: "instruments.csv",
    source:
      "Report,,\nQuarter 2,,\nInstrument,Deposit,Loan period\nCello,200 pounds,12 weeks\nOboe,120 pounds,8 weeks\nHarp,400 pounds,20 weeks\n",
    asked: { "What is the deposit for the oboe?": "Oboe | 120 pounds" },
  },
];

describe("a question to a document of each format", () => {
  let library: Library;
  // Ingested once: no test changes the store.
  beforeAll(async () => {
    library = await openLibrary({ documents: Object.fromEntries(CASES.map(({ path, source }) => [path, source])) });
  });
  afterAll(() => library.close());

  const asked = CASES.flatMap(({ path, asked }) => Object.entries(asked).map(([question, quote]) => [path, question, quote] as const));
  it.each(asked)("%s: %s", async (_, question, quote) => {
    const { status, citations } = await library.ask(question);
    expect(status).toBe("ok");
    expect(citations.map((citation) => citation.quote).join("\n")).toContain(quote);
  });
});
