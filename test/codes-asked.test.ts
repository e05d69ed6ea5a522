import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Library, openLibrary } from "./support/engine.ts";

/** Two heaters whose pages say the same of other models, and rules in which a unit looks like a code. */
const documents = {
  "k-100.md": "# Heater K-100\n\nThe heater K-100 weighs 5 kg and needs a socket of its own.\n",
  "k-200.md": "# Heater K-200\n\nIt weighs 9 kg. It is fixed to the wall.\n",
  "rooms.md":
    "# Heating rooms\n\nA radiator in a room of 20 square metres needs 1,200 watts.\n\nA carbon dioxide sensor must be tested every year.\n",
  "b12.md": "# Room B12\n\nThe door of room B12 is painted green every second year.\n",
  "prices.md": "# Prices\n\n| Work | Unit | Price |\n| --- | --- | --- |\n| Floor insulation | m2 | 18.00 |\n| Wall paint | m2 | 4.50 |\n",
};

describe("a sign that looks like a code", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary({ documents, settings: { answer_from: 0.5 } });
  });
  afterAll(() => library.close());
  const texts = async (question: string) => (await library.ask(question)).sentences.map(({ text }) => text).join(" ");

  it("is the only one that its answer speaks of", async () => {
    expect(await texts("How much does the heater K-200 weigh?")).toContain("9 kg");
    expect(await texts("How much does the heater K-200 weigh?")).not.toContain("K-100");
  });

  it("does not lend the chance of what lacks it to what holds it", async () => {
    const answer = await library.ask("How many watts does a radiator of 20 square metres in B12 need?");
    expect(answer.sentences.map(({ text }) => text).join(" ")).not.toContain("painted");
    expect(answer.refusal).not.toBeNull();
  });

  it("is a unit behind a number: what answers is not left out for what holds the unit", async () => {
    expect(await texts("How many watts does a radiator need in a room of 20 m2?")).toContain("1,200 watts");
  });

  it("is said where no document holds it, and nothing is answered from what is near", async () => {
    const answer = await library.ask("How often must the CO2 sensor be tested?");
    expect(answer.refusal?.reason).toBe("evidence_too_weak");
    expect(answer.warnings.map(({ code, message }) => [code, message.includes('"CO2"')])).toEqual([["not_named", true]]);
  });
});

describe("a name that a source spells with marks, or a day that it has in short", () => {
  const warned = async (library: Library, question: string) => {
    const { refusal, warnings } = await library.ask(question);
    return [refusal?.reason ?? null, ...warnings.map(({ message }) => message)];
  };

  it("is said to be named nowhere only where it is, and once", async () => {
    const library = await openLibrary({
      documents: {
        "cafe.md": "# Café Münster\n\nThe Café Münster opens at 9 am and closes at 6 pm.\n",
        "inn.md": "# Inns\n\nThe inn at the bridge opens at noon.\n",
        "bins.md": "# Bins\n\nThe green bin is emptied on Tue and Fri at 9 am.\n",
      },
      settings: { answer_from: 0.05 },
    });
    try {
      expect(await warned(library, "When does the Cafe Munster open?")).toEqual([null]);
      expect(await warned(library, "When does the cafe munster open?")).toEqual([null]);
      expect(await warned(library, "At what time is the green bin emptied on Tuesday?")).toEqual([null]);
      const told = (await warned(library, "When does the inn Zwiebel at the bridge open?")).join("\n");
      expect(told.match(/zwiebel/gi)).toHaveLength(1);
    } finally {
      await library.close();
    }
  });
});
