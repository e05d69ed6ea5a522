import { createRandom, type Random } from "../../../src/grading/metrics.ts";
import { type EndpointRequest, startFakeEndpoint } from "../../../src/testing/fake-endpoint.ts";
import { sha256Hex } from "../../../src/text/hash.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { FAULT_CATEGORIES, type FaultCategory, inject, pick, type WrittenSentence } from "./faults.ts";

/** The parts of the product's prompt that the model uses. */
interface ReadPrompt {
  readonly quotes: readonly string[];
}

interface DraftOptions {
  /** Categories of the draft's faults. */
  readonly faults: ReadonlySet<FaultCategory>;
  /** Host of the documents, for invented URLs. */
  readonly host: string;
  readonly randomOf: (what: string) => Random;
}

/** Sentences per draft, before faults are added. */
const SENTENCES = 4;
const SHORTEST = 25;
const LONGEST = 320;
const LEAD_INS = ["In short, ", "Put simply, ", "According to the documents, ", "Note that ", "As the page says, "];
/** First words that are not names, so that they lose their capital after a lead-in. */
const OPENER = /^(?:The|A|An|You|Your|We|Our|If|When|This|That|These|Those|To|For|In|It|They|There|At|Both|Each|Some|After|Before)\b/;

/** Parses the numbered sources of the grounded prompt, without their titles. */
export function readPrompt(user: string): ReadPrompt {
  const listed = /(?:^|\n)Sources:\n([\s\S]*?)\n\nQuestion: /.exec(user)?.[1] ?? "";
  const numbered = listed.split(/\n(?=\[\d+\] \()/).filter((source) => /^\[\d+\] \(/.test(source));
  const quotes = numbered.map((source) => withoutTitle(source.replace(/^\[\d+\] /, "")).replaceAll(/\n {2}/g, "\n"));
  return { quotes };
}

/** Removes the title from `(A title (with brackets)) text`. */
function withoutTitle(line: string): string {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "(") depth++;
    if (line[at] === ")" && --depth === 0) return line.slice(at + 1).trim();
  }
  return line;
}

/**
 * Writes faithful sentences from the quotes, the best first, each with its correct citation; then adds one fault per requested category,
 * each in a different sentence.
 * @returns an empty list if the quotes have no usable sentence
 */
export function writeDraft({ quotes }: ReadPrompt, { faults, host, randomOf }: DraftOptions): WrittenSentence[] {
  const wording = randomOf("wording");
  const sentences: WrittenSentence[] = quotes
    .flatMap((quote, i) => statementsOf(quote).map((statement) => ({ quote: i + 1, statement })))
    .filter(({ statement }, i, all) => all.findIndex((one) => one.statement === statement) === i)
    .slice(0, SENTENCES)
    .map((from) => ({ text: phrase(from.statement, wording), cites: [from.quote], from, fault: null }));
  if (sentences.length === 0) return [];
  return FAULT_CATEGORIES.filter((category) => faults.has(category)).reduce<WrittenSentence[]>(
    (draft, category) => inject(category, draft, quotes, host, randomOf(category)),
    sentences,
  );
}

/** Renders the draft with citations before the full stop. */
export function draftText(sentences: readonly WrittenSentence[]): string {
  return sentences
    .map(({ text, cites }) => {
      const marks = cites.map((n) => ` [${n}]`).join("");
      return /[.!]$/.test(text) ? `${text.slice(0, -1)}${marks}${text.slice(-1)}` : `${text}${marks}.`;
    })
    .join(" ");
}

/** Matches a table row in the prompt: cells with column names, without a full stop. */
const ROW = /^(?=.*: )[^;]+(?:; [^;]+)+(?<![.!?:;])$/;

function statementsOf(quote: string): string[] {
  return splitSentences(quote)
    .map(({ start, end }) => quote.slice(start, end))
    .map((text) => (ROW.test(text) ? `${text}.` : text))
    .filter((text) => text.length >= SHORTEST && text.length <= LONGEST && /^[\p{Lu}\d]/u.test(text) && /[.!]$/.test(text))
    .filter((text) => splitSentences(`In short, ${text}`).length === 1);
}

/** Rewrites that keep the meaning exactly. */
const REWORDINGS: readonly (readonly [RegExp, string])[] = [
  [/\b(you|they|we)['’]ll\b/gi, "$1 will"],
  [/\b(you|they|we)['’]re\b/gi, "$1 are"],
  [/\b(do|does|did|is|are|was|were|should|must)n['’]t\b/gi, "$1 not"],
  [/\bcan['’]t\b/gi, "cannot"],
  [/\bneed to\b/gi, "have to"],
  [/(?<=\d)%/g, " percent"],
];
/** Shares of sentences that are copied verbatim and rephrased; the rest gets a lead-in. */
const COPIED = 0.4;
const REWORDED = 0.25;

function phrase(copied: string, random: Random): string {
  const how = random();
  if (how < COPIED) return copied;
  const statement = how > COPIED + REWORDED ? copied : reword(copied);
  if (statement !== copied || !OPENER.test(copied)) return statement;
  return `${pick(LEAD_INS, random)}${copied.charAt(0).toLowerCase()}${copied.slice(1)}`;
}

function reword(statement: string): string {
  return REWORDINGS.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), statement);
}

/** Share of drafts with a fault, by category. */
export type FaultRates = Readonly<Record<FaultCategory, number>>;

/** A model behind HTTP that writes from the given quotes and makes faults at known rates. */
export interface ScriptedModel {
  /** Base address of the endpoint. */
  readonly url: string;
  /** Clears the drafts; the same key gives the same faults for any quotes. */
  begin(key: string): void;
  /** Drafts since `begin`: the ground truth. */
  readonly drafts: readonly (readonly WrittenSentence[])[];
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  readonly rates: FaultRates;
  readonly seed: number;
  /** Host of the documents, for invented URLs. */
  readonly host: string;
  /** Counts tokens for usage figures; without it every call reports the same usage. */
  readonly countTokens?: (text: string) => number;
}

/** Characters per piece of the stream. */
const PIECE = 24;

/** Starts the model on a free local port. It depends only on the prompt, and refuses only if there is no sentence to copy. */
export async function startScriptedModel({ rates, seed, host, countTokens }: ScriptedModelOptions): Promise<ScriptedModel> {
  let drafts: (readonly WrittenSentence[])[] = [];
  let key = "";
  const write = (request: EndpointRequest) => {
    const randomOf = (what: string) => createRandom(Number.parseInt(sha256Hex(`${seed} ${key} ${drafts.length} ${what}`).slice(0, 8), 16));
    const faults = new Set(FAULT_CATEGORIES.filter((category) => randomOf(`${category}?`)() < rates[category]));
    return writeDraft(readPrompt(userMessage(request.body)), { faults, host, randomOf });
  };
  const written = (request: EndpointRequest) => {
    const draft = write(request);
    drafts.push(draft);
    return draft.length === 0 ? "INSUFFICIENT" : draftText(draft);
  };
  const endpoint = await startFakeEndpoint({
    chat: (request) => {
      const text = isSelection(request) ? "1" : written(request);
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, "g")) ?? [];
      if (countTokens === undefined) return { type: "stream", pieces };
      const usage = { prompt_tokens: countTokens(JSON.stringify(request.body.messages)), completion_tokens: countTokens(text) };
      return { type: "stream", pieces, usage };
    },
  });
  return {
    url: endpoint.url,
    get drafts() {
      return drafts;
    },
    begin(next) {
      key = next;
      drafts = [];
    },
    close: endpoint.close,
  };
}

/** Returns whether the prompt asks for numbers of quotes. The model then selects the first one. */
function isSelection({ body }: EndpointRequest): boolean {
  return userMessage(body).startsWith("Passages:");
}

function userMessage({ messages }: Record<string, unknown>): string {
  const last = Array.isArray(messages) ? messages.at(-1) : null;
  return typeof last?.content === "string" ? last.content : "";
}
