import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../models/chat.ts";
import type { DraftSentence } from "../shared/types.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { sampleQuote } from "../testing/quotes.ts";
import cases from "./draft.cases.json" with { type: "json" };
import { type DraftUsage, MAX_DRAFT_CHARACTERS, readDraft, saysInsufficient } from "./draft.ts";

const quotes = ["Tinnitus is rated at 10 percent.", "File within one year.", "Form 21-526EZ is used."].map((text) => sampleQuote(text));

const cite = (_text: string, n: number) => (quotes[n - 1] === undefined ? null : quotes.slice(n - 1, n));

async function* streamOf(pieces: readonly string[], error?: Error): AsyncGenerator<ChatEvent, void> {
  for (const text of pieces) yield { type: "text", text };
  if (error !== undefined) throw error;
  yield { type: "end", inputTokens: 5, outputTokens: 2 };
}

/** Reads a draft that arrives in these parts. Returns its sentences with citation numbers, and the error that ended it. */
async function readPieces(pieces: readonly string[], error?: Error) {
  const drafts: DraftSentence[] = [];
  const usage: DraftUsage = { inputTokens: null, outputTokens: null };
  try {
    for await (const draft of readDraft(streamOf(pieces, error), { cite }, usage)) drafts.push(draft);
    return { drafts: drafts.map(shown), usage, error: null };
  } catch (thrown) {
    return { drafts: drafts.map(shown), usage, error: (thrown as Error).message };
  }
}

function shown({ text, quotes: cited, missing }: DraftSentence): string {
  return `${text} |${[...cited.map((quote) => quotes.indexOf(quote) + 1), ...missing].join(",")}`;
}

/** Splits the text at every offset of `cuts`. */
function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => text.slice(places[i], end));
}

describe("readDraft", () => {
  it.each(cases.drafts)("finds the sentences of $text", async ({ text, sentences }) => {
    expect((await readPieces([text])).drafts).toEqual(sentences);
    expect((await readPieces(text.split(""))).drafts).toEqual(sentences);
  });

  it("yields the same sentences for any division of the stream", async () => {
    const atom = fc.constantFrom(
      ..."Tinnitus|is|10 percent|one year|. |.\n|? |! |.|[1]| [2]|[1][3]| [Source 2]|¹|【3】| [see|]|(|)| |\n|\n\n|U.S.|No. 5|e.g.|The|A|army|eB|\"|'|5|**|<b>|</b>|<p>|</p>|- |1. |😀|終。|…|:|[[1]]|(2)|<|</s>|<end_of_turn>|[/INST]|† |Monday\t6 pm".split(
        "|",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(atom, { maxLength: 30 }), fc.array(fc.nat(400), { maxLength: 40 }), async (atoms, cuts) => {
        const text = atoms.join("");
        expect(await readPieces(cutAt(text, cuts))).toEqual(await readPieces([text]));
      }),
      { numRuns: 600 },
    );
  });

  it("yields a sentence as soon as the next one begins, after its markers", async () => {
    const seen: number[] = [];
    let given = 0;
    async function* counting(): AsyncGenerator<ChatEvent, void> {
      for (const text of ["It is so.", " ", "[", "1", "]", " [2", "]", " ", "T", "he ", "end."]) {
        given++;
        yield { type: "text", text };
      }
    }
    const usage: DraftUsage = { inputTokens: null, outputTokens: null };
    for await (const draft of readDraft(counting(), { cite }, usage)) {
      seen.push(given);
      if (seen.length === 1) expect(shown(draft)).toBe("It is so. |1,2");
    }
    expect(seen).toEqual([9, 11]);
  });

  it("never yields half a sentence of a broken stream", async () => {
    for (const pieces of [["It is so [1]. And you may get "], ["It is so [1]. And you may get 10 percent."], ["It is so. [1] And you"]]) {
      expect(await readPieces(pieces, new Error("cut"))).toMatchObject({ drafts: ["It is so. |1"], error: "cut" });
    }
    expect((await readPieces(["It is so. [1"], new Error("cut"))).drafts).toEqual([]);
  });

  it.each([
    ["JSON", `{"answer": "Tinnitus is rated at 10 percent [1]."}`],
    ["a script", "<script>alert(1)</script> Tinnitus is rated at 10 percent [1]."],
    ["an image", `Look <img src=x onerror="alert(1)"> here [1]. More.`],
  ])("stops at %s", async (_name, text) => {
    const whole = await readPieces([text]);
    expect(whole).toMatchObject({ error: "the answer consists of markup or data instead of sentences" });
    expect(whole.drafts.filter((draft) => /[1-9]|alert/.test(draft))).toEqual([]);
    expect(await readPieces(text.split(""))).toEqual(whole);
  });

  it("stops at endless text, and keeps the sentences before it", async () => {
    const endless = await readPieces(["It is so [1]. ", "On and on ".repeat(400)]);
    expect(endless).toMatchObject({ drafts: ["It is so. |1"], error: expect.stringContaining("no sentence ends within") });
    const varied = await readPieces(Array.from({ length: 100_000 / 20 }, (_, i) => `It is so again ${i} [1]. `));
    expect(varied.error).toContain(`exceeds ${MAX_DRAFT_CHARACTERS}`);
    expect(varied.drafts.length).toBeGreaterThan(500);
  });

  it("stops a repetitive draft at the third repetition", async () => {
    let given = 0;
    async function* circling(): AsyncGenerator<ChatEvent, void> {
      yield { type: "text", text: "The parcel is insured [1]. " };
      for (; given < 5000; given++) yield { type: "text", text: "It is sent by ship [2]. It takes a month [2]. " };
    }
    const texts = await Array.fromAsync(readDraft(circling(), { cite }, { inputTokens: null, outputTokens: null }), ({ text }) => text);
    expect(texts).toEqual(["The parcel is insured.", "It is sent by ship.", "It takes a month."]);
    expect(given).toBeLessThan(5);
  });

  it.each(cases.forms as [string, string, string[]][])("yields no %s", async (_name, text, sentences) => {
    const whole = await readPieces([text]);
    expect(whole.drafts.slice(text.includes("</think>") ? -1 : 0)).toEqual(sentences);
    expect(whole.error).toBeNull();
    expect((await readPieces(text.split(""))).drafts.slice(text.includes("</think>") ? -1 : 0)).toEqual(sentences);
  });

  it.each([
    ["[x (y <z ", 160],
    ["It is so again [1]. ", 900],
  ])("takes linear time for repeated %j", (piece, times) => expectLinearTime(times, (n) => piece.repeat(n).split(""), readPieces));

  it.each(["INSUFFICIENT", "INSUFFICIENT.", "**INSUFFICIENT** [1]", "INSUFFICIENT: the quotes are about something else."])(
    "interprets %s as: the quotes do not answer",
    async (text) => {
      const drafts: DraftSentence[] = [];
      for await (const draft of readDraft(streamOf([text]), { cite }, { inputTokens: null, outputTokens: null })) drafts.push(draft);
      expect(drafts.map(saysInsufficient)).toEqual([true]);
      expect(saysInsufficient({ text: "Insufficient evidence is a common reason.", quotes: [], missing: [] })).toBe(false);
    },
  );
});
