import { describe, expect, it } from "vitest";
import type { WriteSettings } from "../profiles/profile.ts";
import { spark } from "../profiles/spark.ts";
import { quoteOf } from "../ranking/candidates.ts";
import type { DraftSentence, Question, Quote } from "../shared/types.ts";
import { type ChatStep, fakeChatModel } from "../testing/fake-chat-model.ts";
import { fakePassage, fakeQuestion } from "../testing/passages.ts";
import { sampleQuote } from "../testing/quotes.ts";
import { countTokens } from "../text/cl100k.ts";
import type { QuoteCandidate } from "./quotes.ts";
import { passageSource, quoteSource } from "./sources.ts";
import { fitPrompt, type Offer, offerQuotes, type Selection, type WriteOutcome, writeDrafts } from "./write-drafts.ts";

const question = fakeQuestion("What rating does tinnitus get?", { profile: "spark" });
const QUOTE = "Tinnitus is rated at 10 percent.";

function candidate(text: string, context: readonly string[] = []): QuoteCandidate {
  return { quote: sampleQuote(text), context: context.map((one) => sampleQuote(one)), score: 1, covers: new Set(["tinnitus"]) };
}

const bind = (_text: string, { citable }: { citable: readonly Quote[] }) => citable;

/**
 * Runs `writeDrafts` with a simple check: a sentence fails if it contains "bad" or refers to a failed sentence. Any other
 * sentence is shown unless it is held.
 */
async function write(
  scripts: readonly (readonly ChatStep[])[] | null,
  {
    settings = spark.write,
    signal = new AbortController().signal,
    quotes = [QUOTE],
    selection = { type: "chosen", quotes: [] },
  }: { settings?: WriteSettings; signal?: AbortSignal; quotes?: readonly string[]; selection?: Selection } = {},
) {
  let asked = 0;
  const outcome: WriteOutcome = { writer: "", insufficient: false, calls: [], warnings: [] };
  const model = fakeChatModel(scripts ?? [], { usage: { inputTokens: 9, outputTokens: 3 } });
  const offered = quotes.map((text) => candidate(text));
  const sources = offered.map(({ quote }) => quoteSource(quote));
  const selects = () => {
    asked++;
    return Promise.resolve(selection);
  };
  const task = scripts === null ? null : { model, prompt: { system: "s", user: "u" }, sources, bind, select: selects };
  const record = { shown: [] as DraftSentence[], faults: [] as string[] };
  const parts = { task, selected: null, settings };
  for await (const draft of writeDrafts(question, offered, outcome, parts, record, signal)) {
    if (draft.text.includes("bad") || draft.dangling) {
      record.faults.push(draft.text);
    } else if (!draft.held) record.shown.push(draft);
  }
  return {
    texts: record.shown.map(({ text }) => text),
    faults: record.faults,
    outcome,
    calls: model.calls,
    warned: outcome.warnings.map(({ code }) => code),
    open: model.open,
    asked,
  };
}
const select = { ...spark.write, onFault: "select" as const };

describe("writeDrafts with quotes after a fault", () => {
  it("replaces a failed sentence by a quote after the others, unless the answer already cites it", async () => {
    const other = "File within one year about tinnitus.";
    const written = await write([["It gets 10 percent [1]. It is bad [2]. Done is well [1]."]], { quotes: [QUOTE, other] });
    expect(written).toMatchObject({
      texts: ["It gets 10 percent.", "Done is well.", other],
      faults: ["It is bad."],
      warned: ["model_faulty"],
    });
    expect(written.outcome.warnings[0]?.message).toBe(
      "A sentence of the model failed the checks and is omitted; the following text is quoted from the sources.",
    );
    const cited = await write([["It gets 10 percent [1]. It is bad [1]."]]);
    expect(cited).toMatchObject({ texts: ["It gets 10 percent."], warned: ["model_faulty"] });
    expect(cited.outcome.warnings[0]?.message).toBe("A sentence of the model failed the checks and is omitted.");
    expect(cited.calls).toHaveLength(1);
  });

  it("removes sentences that depend on a failed one, directly or indirectly", async () => {
    const written = await write([
      ["All good [1]. A bad one [1]. Otherwise it is rated. This percent is more. Tinnitus pays [1]. It is monthly [1]."],
    ]);
    expect(written).toMatchObject({
      texts: ["All good.", "Tinnitus pays.", "It is monthly."],
      faults: ["A bad one.", "Otherwise it is rated.", "This percent is more."],
    });
  });
});

describe("writeDrafts with selected quotes after a fault", () => {
  const draft = [["It is good [1]. A bad one [1]. Tinnitus pays monthly [1]."]];
  const chosen = (...texts: readonly string[]): Selection => ({ type: "chosen", quotes: texts.map((text) => candidate(text)) });

  it("shows the selected quotes in place of the rest of the draft, and says so", async () => {
    const written = await write(draft, { settings: select, selection: chosen(QUOTE) });
    expect(written).toMatchObject({ texts: ["It is good.", QUOTE], asked: 1, warned: ["model_faulty"], outcome: { writer: "fake-model" } });
    const alone = await write([["A bad one [1]."]], { settings: select, selection: chosen(QUOTE) });
    expect(alone).toMatchObject({ texts: [QUOTE], warned: ["model_unusable"], outcome: { writer: "extractive" } });
  });

  it("selects nothing after a draft without a fault", async () => {
    expect((await write([["It is good [1]."]], { settings: select, selection: chosen(QUOTE) })).asked).toBe(0);
    expect((await write([[""]], { settings: select, selection: chosen(QUOTE) })).asked).toBe(0);
  });

  it("keeps sentences after a fault when no quote is selected, or only what is said already", async () => {
    expect(await write(draft, { settings: select })).toMatchObject({
      texts: ["It is good.", "Tinnitus pays monthly."],
      warned: ["model_faulty"],
    });
    const said = await write([[`${QUOTE.slice(0, -1)} [1]. A bad one [1]. Tinnitus pays monthly [1].`]], {
      settings: select,
      selection: chosen(QUOTE),
    });
    expect(said.texts).toEqual([QUOTE, "Tinnitus pays monthly."]);
  });

  it("continues with quotes selected by rules when the selection fails", async () => {
    const selection: Selection = { type: "failed", model: "fake-model", reason: "HTTP 500" };
    const failed = await write([["It is good [1]. A bad one [1]."]], { settings: select, selection });
    expect(failed).toMatchObject({ texts: ["It is good.", QUOTE], warned: ["model_failed"] });
    expect(failed.outcome.warnings[0]?.message).toContain("HTTP 500");
  });
});

describe("writeDrafts with the habits of small models", () => {
  const parcel = { settings: select, quotes: ["A parcel of two kilograms costs 7 euros."] };

  it("ignores courtesies, announcements, questions and repeated rules", async () => {
    const written = await write(
      [
        [
          "Sure! I'm happy to help. The answer is: [1] What rating does tinnitus get?\nLeave out what does not answer ",
          "the question. It costs 7 euros [1]. Have a nice day!",
        ],
      ],
      parcel,
    );
    expect(written).toMatchObject({ texts: ["It costs 7 euros."], faults: [], warned: [] });
    expect(written.calls).toHaveLength(1);
  });

  it("shows the answer after a reasoning block without its opening tag", async () => {
    const written = await write([["Hm, a bad parcel [1]. Or not.</think>It costs 7 euros [1]."]], parcel);
    expect(written).toMatchObject({ texts: ["It costs 7 euros."], warned: [] });
    expect(written.calls).toHaveLength(1);
  });
});

describe("fitPrompt", () => {
  const SPARK = { type: "quotes", most: 6, tokens: 120 } as const;
  const budgeted = (
    candidates: Parameters<typeof offerQuotes>[0],
    over: Partial<Question> = {},
    budgetTokens = spark.write.promptTokens,
  ) => {
    const fitted = fitPrompt({ ...question, ...over }, [offerQuotes(candidates, SPARK, countTokens)], { budgetTokens, countTokens });
    return fitted === null ? null : { ...fitted, quotes: fitted.sources.flatMap(({ stretches }) => stretches) };
  };

  it("includes a quote with those that it needs, or not at all", () => {
    const row = candidate("Tinnitus | 10", ["Condition | Percent"]);
    expect(budgeted([row])?.quotes.map(({ text }) => text)).toEqual(["Condition | Percent", "Tinnitus | 10"]);
    expect(budgeted([candidate("Tinnitus | 10", ["header ".repeat(130)]), candidate(QUOTE)])?.quotes.map(({ text }) => text)).toEqual([
      QUOTE,
    ]);
    const read = { ...row, quote: { ...row.quote, header: { start: 0, end: 19, text: "Condition | Percent" } } };
    const headed = budgeted([read]);
    expect(headed?.quotes.map(({ text }) => text)).toEqual(["Tinnitus | 10"]);
    expect(headed?.prompt.user).toContain("Condition: Tinnitus; Percent: 10");
    const limited = { ...candidate(QUOTE), conditions: [sampleQuote("Unless it is in one ear.")] };
    expect(budgeted([limited])?.quotes.map(({ text }) => text)).toEqual([QUOTE, "Unless it is in one ear."]);
    expect(budgeted([{ ...limited, conditions: [sampleQuote("unless ".repeat(130))] }])).toBeNull();
    const five = Array.from({ length: 5 }, (_, i) => candidate(`Quote ${i}.`));
    expect(budgeted([...five, row])?.quotes).toHaveLength(5);
  });

  it("is null without quotes", () => {
    expect(budgeted([])).toBeNull();
    expect(budgeted([candidate("very long ".repeat(120))])).toBeNull();
    expect(budgeted([candidate(QUOTE)], {}, 50)).toBeNull();
  });

  it("shortens all sources before it omits one", () => {
    const passages = [1, 2, 3].map((n) =>
      fakePassage({ document: `d${n}`, segments: [`Fact ${n}.`, ...Array.from({ length: 30 }, (_, i) => `Filler ${n} ${i} of no use.`)] }),
    );
    const whole: Offer = passages.map((passage) => [passageSource(passage)]);
    const short: Offer = passages.map((passage) => [quoteSource(quoteOf(passage, { start: 0, end: 7 }))]);
    const at = (budgetTokens: number) => fitPrompt(question, [whole, short], { budgetTokens, countTokens });
    expect(at(3000)?.prompt.user).toContain("Filler 3 29");
    const cut = at(600);
    expect(cut?.sources).toHaveLength(3);
    expect(cut?.prompt.user).not.toContain("Filler");
    const tightest = countTokens(cut?.prompt.system ?? "") + countTokens(cut?.prompt.user ?? "") - 1;
    expect(at(tightest)?.sources).toHaveLength(2);
    expect(at(50)).toBeNull();
  });
});
