import { describe, expect, it } from "vitest";
import { parseMarkers } from "../check/markers.ts";
import { ModelError, messageOf } from "../errors.ts";
import { book } from "../profiles/book.ts";
import { spark } from "../profiles/spark.ts";
import { type ChatStep, fakeChatModel } from "../testing/fake-chat-model.ts";
import { samplePassage, sampleQuote } from "../testing/quotes.ts";
import { countTokens } from "../text/cl100k.ts";
import type { DraftSentence, Question, Turn } from "../types.ts";
import { chooseQuotes, type QuoteCandidate } from "./compress.ts";
import { fillSlots } from "./prompt.ts";
import { routeModel } from "./route.ts";
import { fitPrompt, type WriteOutcome, writeDrafts } from "./write.ts";

const question: Question = {
  text: "What rating does tinnitus get?",
  resolved: "What rating does tinnitus get?",
  scope: { domain: "d", tenant: null, access: ["public"] },
  profile: "spark",
  detail: "normal",
  sessionId: null,
  selection: null,
  history: [],
  injectionSignals: [],
};
const QUOTE = "Tinnitus is rated at 10 percent.";

function candidate(text: string, context: readonly string[] = []): QuoteCandidate {
  return { quote: sampleQuote(text), context: context.map((one) => sampleQuote(one)), score: 1, covers: new Set(["tinnitus"]) };
}

/** Draws everything; a sentence counts as shown if it does not say "bad". */
async function write(scripts: readonly (readonly ChatStep[])[] | null, signal = new AbortController().signal) {
  const outcome: WriteOutcome = { writer: "", insufficient: false, usage: { inputTokens: null, outputTokens: null }, warnings: [] };
  const model = fakeChatModel(scripts ?? [], { usage: { inputTokens: 9, outputTokens: 3 } });
  const task = scripts === null ? null : { model, prompt: { system: "s", user: "u" }, quotes: [sampleQuote(QUOTE)] };
  const drafts: DraftSentence[] = [];
  const parts = { task, settings: spark.write, parseMarkers, describeError: messageOf };
  const hasShown = () => drafts.some(({ text }) => !text.includes("bad"));
  for await (const draft of writeDrafts(question, [candidate(QUOTE)], outcome, parts, hasShown, signal)) drafts.push(draft);
  return {
    texts: drafts.map(({ text }) => text),
    outcome,
    calls: model.calls,
    warned: outcome.warnings.map(({ code }) => code),
    open: model.open,
  };
}

describe("writeDrafts", () => {
  it("writes quotes without a model", async () => {
    expect(await write(null)).toMatchObject({ texts: [QUOTE], outcome: { writer: "extractive" }, warned: [] });
  });

  it("writes what the model says, and no quote", async () => {
    const written = await write([["It gets 10 ", "percent [1]."]]);
    expect(written).toMatchObject({
      texts: ["It gets 10 percent."],
      outcome: { writer: "fake-model", usage: { inputTokens: 9 } },
      warned: [],
    });
    expect(written.calls).toEqual([{ prompt: { system: "s", user: "u" }, temperature: 0.3 }]);
  });

  it("writes quotes when the model fails, and says so", async () => {
    const written = await write([[new ModelError("model_failed", "HTTP 500")]]);
    expect(written).toMatchObject({ texts: [QUOTE], outcome: { writer: "extractive" }, warned: ["model_failed"] });
    expect(written.outcome.warnings[0]?.message).toContain("HTTP 500");
    expect(written.calls).toHaveLength(1);
  });

  it("asks once more when the stream broke before the first sentence was whole", async () => {
    const cut = new ModelError("model_cut", "cut");
    expect(await write([["It gets", cut], ["It gets 10 percent [1]."]])).toMatchObject({ texts: ["It gets 10 percent."], warned: [] });
    const twice = await write([["It gets", cut]]);
    expect(twice).toMatchObject({ texts: [QUOTE], warned: ["model_failed"] });
    expect(twice.calls).toHaveLength(2);
  });

  it("keeps what was shown before a cut and goes on with quotes", async () => {
    const written = await write([["It gets 10 percent [1]. And ", new ModelError("model_cut", "cut")]]);
    expect(written).toMatchObject({ texts: ["It gets 10 percent.", QUOTE], outcome: { writer: "fake-model" }, warned: ["model_failed"] });
    expect(written.calls).toHaveLength(1);
  });

  it("writes quotes when nothing that the model wrote was shown", async () => {
    expect(await write([["It is bad [1]."]])).toMatchObject({
      texts: ["It is bad.", QUOTE],
      outcome: { writer: "extractive" },
      warned: ["model_unusable"],
    });
  });

  it("writes nothing when the model says that the quotes do not answer", async () => {
    expect(await write([["INSUFFICIENT"]])).toMatchObject({
      texts: [],
      outcome: { insufficient: true, usage: { inputTokens: 9 } },
      warned: [],
    });
  });

  it("stops when it is cancelled", async () => {
    const controller = new AbortController();
    const writing = write([["It gets 10 percent [1]. And", 60_000]], controller.signal);
    controller.abort(new Error("reader left"));
    await expect(writing).rejects.toThrow("reader left");
  });

  it("leaves the model's stream when the draft is no prose", async () => {
    expect(await write([["<img src=x> It is so [1]. Then it", 60_000]])).toMatchObject({
      texts: [QUOTE],
      warned: ["model_failed"],
      open: 0,
    });
  });
});

describe("fitPrompt", () => {
  const budgeted = (candidates: readonly QuoteCandidate[], over: Partial<Question> = {}, settings = spark.write) =>
    fitPrompt({ ...question, ...over }, candidates, settings, countTokens);

  it("takes at most 6 quotes of at most 120 tokens, verbatim, best first", () => {
    const short = Array.from({ length: 9 }, (_, i) => `Tinnitus rule ${i} gives 10 percent.`);
    const fitted = budgeted([candidate("very long ".repeat(120)), ...short.map((text) => candidate(text))]);
    expect(fitted?.quotes.map(({ text }) => text)).toEqual(short.slice(0, 6));
    for (const [i, text] of short.slice(0, 6).entries()) expect(fitted?.prompt.user).toContain(`[${i + 1}] (Page) ${text}\n`);
  });

  it("takes a quote with those that it needs, or not at all", () => {
    const row = candidate("Tinnitus | 10", ["Condition | Percent"]);
    expect(budgeted([row])?.quotes.map(({ text }) => text)).toEqual(["Condition | Percent", "Tinnitus | 10"]);
    expect(budgeted([candidate("Tinnitus | 10", ["header ".repeat(130)]), candidate(QUOTE)])?.quotes.map(({ text }) => text)).toEqual([
      QUOTE,
    ]);
    const five = Array.from({ length: 5 }, (_, i) => candidate(`Quote ${i}.`));
    expect(budgeted([...five, row])?.quotes).toHaveLength(5);
  });

  it("keeps to the budget: the oldest turns go first, then the last quotes", () => {
    const turn = (n: number): Turn => ({ question: `Turn ${n}?`, answer: "so it is ".repeat(150) });
    const history = [1, 2, 3, 4, 5].map(turn);
    const quotes = Array.from({ length: 6 }, (_, i) => candidate(`Quote ${i}: ${"word ".repeat(100)}.`));
    const size = (fitted: ReturnType<typeof budgeted>) => countTokens(fitted?.prompt.system ?? "") + countTokens(fitted?.prompt.user ?? "");
    const fitted = budgeted(quotes, { history });
    expect(fitted?.quotes).toHaveLength(6);
    expect(fitted?.prompt.user).toContain("Turn 5?");
    expect(fitted?.prompt.user).not.toContain("Turn 1?");
    expect(size(fitted)).toBeLessThanOrEqual(2200);
    const tight = budgeted(quotes, { history }, { ...spark.write, promptTokens: 700 });
    expect(tight?.prompt.user).not.toContain("Turn 5?");
    expect(tight?.quotes.length).toBeGreaterThan(0);
    expect(size(tight)).toBeLessThanOrEqual(700);
    expect(budgeted(quotes, {}, book.write)?.quotes).toHaveLength(5);
  });

  it("is null when there is nothing to ask about", () => {
    expect(budgeted([])).toBeNull();
    expect(budgeted([candidate("very long ".repeat(120))])).toBeNull();
    expect(budgeted([candidate(QUOTE)], {}, { ...spark.write, promptTokens: 50 })).toBeNull();
  });

  it("leaves braces and dollar signs of a question as they are", () => {
    const text = "What is {{quotes}} and $1 and $& here?";
    expect(budgeted([candidate(QUOTE)], { text })?.prompt.user).toContain(`Question: ${text}`);
    expect(fillSlots("{{a}} {{b}} {{c}}", { a: "{{b}}", b: "$&" })).toBe("{{b}} $& {{c}}");
  });
});

describe("chooseQuotes", () => {
  const words = { tokens: (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [], idf: () => 1 };
  const questionWords = { ...words, questionTokens: words.tokens };
  const choose = async (text: string, dense: number | null) => {
    const passage = samplePassage(text, { scores: { dense, bm25: null, fused: 1, cross: null, rerank: null } });
    const evidence = { passage, verdict: "verified" as const, relevance: 1, consistency: null, agreement: null, score: 1, reason: "" };
    const chosen = await chooseQuotes("monthly money", [evidence], questionWords, { limit: 5, maxCharacters: 500 });
    return chosen.map(({ quote }) => quote.text);
  };

  it("takes the window that a vector found when no word is shared, but not what words alone found", async () => {
    expect(await choose("A pension is paid regularly.", 0.8)).toEqual(["A pension is paid regularly."]);
    expect(await choose("A pension is paid regularly.", null)).toEqual([]);
  });
});

describe("routeModel", () => {
  const route = { complexTerms: 1, passages: 5, meanSimilarity: 0.55 };
  it.each([
    [0, 5, 0.55, "small"],
    [1, 1, 0.9, "large"],
    [0, 6, 0.9, "large"],
    [0, 5, 0.54, "large"],
    [0, 5, null, "small"],
  ] as const)("with %d complex terms, %d passages, mean %d is %s", (complexTerms, passages, meanSimilarity, size) => {
    expect(routeModel(route, { complexTerms, passages, meanSimilarity })).toBe(size);
    expect(routeModel(null, { complexTerms, passages, meanSimilarity })).toBe("small");
  });
});
