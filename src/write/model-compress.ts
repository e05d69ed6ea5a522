import { z } from "zod";
import { messageOf } from "../errors.ts";
import type { ChatModel } from "../models/chat.ts";
import type { Evidence, ModelCall, Passage, Quote, TextRange, Unit } from "../types.ts";
import { MAX_DRAFT_CHARACTERS } from "./draft.ts";
import { compressPrompt } from "./prompt.ts";

/** A quote with those that it cannot be understood without, and those that limit it. */
export interface PickedQuote {
  readonly quote: Quote;
  readonly context: readonly Quote[];
  readonly conditions: readonly Quote[];
}

export interface PickedQuotes {
  readonly quotes: readonly PickedQuote[];
  /** Texts that stand in no passage as they were given: altered, and left out. */
  readonly dropped: number;
  /** Why nothing could be picked; `null` when the model did its work. */
  readonly failure: string | null;
}

const replySchema = z.object({ quotes: z.array(z.object({ source: z.int(), text: z.string() })).max(50) });

/**
 * Compression by a model (`spark` source, 1.2.3): it picks, and only what stands in its passage byte for byte is taken. A pick inside a sentence takes the
 * whole sentence, with the exceptions right behind it, so that no condition is lost; a table's row brings its header.
 * @param calls takes the call, whatever becomes of it
 */
export async function compressByModel(
  question: string,
  evidence: readonly Evidence[],
  model: ChatModel,
  calls: ModelCall[],
  signal: AbortSignal,
): Promise<PickedQuotes> {
  const passages = evidence.map(({ passage }) => passage);
  const call = { stage: "compress" as const, model: model.id, inputTokens: null as number | null, outputTokens: null as number | null };
  calls.push(call);
  try {
    let text = "";
    for await (const event of model.stream(compressPrompt(question, passages), { temperature: 0, signal })) {
      if (event.type === "end") Object.assign(call, { inputTokens: event.inputTokens, outputTokens: event.outputTokens });
      else text += event.text;
      if (text.length > MAX_DRAFT_CHARACTERS) return failed(`the reply is longer than ${MAX_DRAFT_CHARACTERS} characters`);
    }
    const reply = replySchema.safeParse(parseJson(text));
    if (!reply.success) return failed("the reply is not the JSON that was asked for");
    return takeVerbatim(reply.data.quotes, passages);
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(messageOf(error));
  }
}

function failed(failure: string): PickedQuotes {
  return { quotes: [], dropped: 0, failure };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^```(?:json)?\s*|\s*```$/g, ""));
  } catch {
    return null;
  }
}

function takeVerbatim(picked: z.infer<typeof replySchema>["quotes"], passages: readonly Passage[]): PickedQuotes {
  const quotes: PickedQuote[] = [];
  let dropped = 0;
  for (const { source, text } of picked) {
    const passage = passages[source - 1];
    const sought = text.trim();
    const at = passage === undefined || sought === "" ? -1 : passage.text.indexOf(sought);
    const whole = passage === undefined || at < 0 ? null : wholeUnits(passage, { start: at, end: at + sought.length });
    if (whole === null) dropped++;
    else if (!quotes.some(({ quote }) => quote.passage === whole.quote.passage && quote.start === whole.quote.start)) quotes.push(whole);
  }
  return { quotes, dropped, failure: null };
}

/** Opens a sentence that limits the one before it. */
const LIMITS =
  /^\W*(?:however|but|unless|except|exceptions?|only if|only when|provided that|this (?:does not|only)|these (?:do not|only)|otherwise)\b/i;
/** Limiting sentences that are taken at most. */
const MAX_CONDITIONS = 2;

/** @param range inside the passage's text */
function wholeUnits(passage: Passage, { start, end }: TextRange): PickedQuote | null {
  const { units, range } = passage;
  const first = units.findIndex((unit) => unit.end > range.start + start);
  const last = units.findLastIndex((unit) => unit.start < range.start + end);
  if (first < 0 || last < first) return null;
  const conditions: Quote[] = [];
  for (let i = last + 1; conditions.length < MAX_CONDITIONS; i++) {
    const unit = units[i];
    if (unit === undefined || unit.type === "heading") break;
    const next = quoteOf(passage, unit);
    if (!LIMITS.test(next.text)) break;
    conditions.push(next);
  }
  const opening = units[first] as Unit;
  const header = opening.type === "table-row" ? passage.document.blocks[passage.document.blocks[opening.block]?.header ?? -1] : undefined;
  const isApart = header !== undefined && header.start >= range.start && header.end <= opening.start;
  return {
    quote: quoteOf(passage, { start: opening.start, end: (units[last] as Unit).end }),
    context: isApart ? [quoteOf(passage, header)] : [],
    conditions,
  };
}

function quoteOf(passage: Passage, { start, end }: TextRange): Quote {
  return { passage, start, end, text: passage.text.slice(start - passage.range.start, end - passage.range.start) };
}
