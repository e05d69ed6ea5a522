import { describe, expect, it } from "vitest";
import { libraryForAll } from "./support/engine.ts";

const lockRows = Array.from({ length: 14 }, (_, i) => `Lock ${String.fromCharCode(65 + i)},Grand,${80 + i},1.${i}`);

const library = libraryForAll({
  documents: {
    "bakers.csv":
      "Baker,Quarter,Oven kg,Loaves,Opens\nAbel,Docks,40,310,5:30\nBrandt,Docks,90,520,4:45\nCole,Hill,65,40,6:00\nDunn,Docks,70,260,5:15\n" +
      "Eder,Docks,85,610,5:00\nFalk,Docks,30,190,6:30\nGrau,Hill,55,410,5:45\n",
    "locks.csv": `Lock,Canal,Width cm,Rise m\n${lockRows.join("\n")}\n`,
    "press.md": `# Letterpress manual, version 4

The press of version 4 prints 900 sheets an hour.

| Fault | Meaning | What to do |
| --- | --- | --- |
| R-07 | Roller dry | Ink the roller |
| R-19 | Feed jammed | Open the feed board |
`,
  },
});

/** Returns the sentences of the answer; none for a refusal. */
const told = async (question: string) => (await library.ask(question)).sentences.map(({ text }) => text);

describe("rows that match a question equally", () => {
  it("are all listed, whatever the length of the answer", async () => {
    const rows = await told("Which bakers are in the Docks quarter?");
    expect(rows.map((row) => row.split(" | ")[0]).sort()).toEqual(["Abel", "Brandt", "Dunn", "Eder", "Falk"]);
  });

  it("lead to a refusal with their count if there are too many", async () => {
    const { status, warnings } = await library.ask("Which locks are on the Grand canal?");
    expect(status).toBe("insufficient_context");
    expect(warnings).toContainEqual({ code: "rows_alike", message: expect.stringContaining("14 rows") });
    const decided = (await library.events("Which locks are on the Grand canal?")).find(({ type }) => type === "decide-end");
    expect(decided).toMatchObject({ facts: { answer: false } });
  });

  it("do not lengthen the answer about one of them", async () => {
    expect(await told("What is the width of Lock C?")).toEqual(["Lock C | Grand | 82 | 1.2"]);
  });
});

describe("a number in the question", () => {
  it("identifies the thing, and the answer about another one is rejected", async () => {
    expect(await told("How many sheets an hour does the press of version 4 print?")).toEqual([expect.stringContaining("900")]);
    const { sentences, warnings } = await library.ask("How many sheets an hour does the press of version 2 print?");
    expect(sentences).toEqual([]);
    expect(warnings).toContainEqual({ code: "not_named", message: expect.stringMatching(/version 4, not about version 2/) });
  });
});

describe("a code", () => {
  it.each(["What does fault R19 mean?", "What does r-19 mean?", "What does R 19 mean?"])(
    "is found in any spelling: %s",
    async (question) => {
      expect(await told(question)).toEqual([expect.stringMatching(/^R-19/)]);
    },
  );

  it("in no document is reported as missing", async () => {
    const { refusal } = await library.ask("What does fault R-88 mean?");
    expect(refusal?.nearest[0]?.missing).toContain("R-88");
  });
});
