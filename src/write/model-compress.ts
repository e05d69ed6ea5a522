import { z } from "zod";
import { messageOf } from "../errors.ts";
import type { ChatModel } from "../models/chat.ts";
import { readJson } from "../models/read-json.ts";
import type { Evidence, ModelCall, Passage } from "../types.ts";
import { type CompleteQuote, quotesOf } from "./compress.ts";
import { MAX_DRAFT_CHARACTERS } from "./draft.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { compressPrompt } from "./prompt.ts";

export interface PickedQuotes {
  readonly quotes: readonly CompleteQuote[];
  /** Texts that stand in no passage as they were given: altered, and left out. */
  readonly dropped: number;
  /** Why nothing could be picked; `null` when the model did its work. */
  readonly failure: string | null;
}

/** What of a passage a pick can become: characters of one quote as in answers, lists by their items. */
const PIECES = { maxCharacters: 1200, maxPieces: 120, wholeLists: false };

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
    const reply = replySchema.safeParse(readJson(text));
    if (!reply.success) return failed("the reply is not the JSON that was asked for");
    return takeVerbatim(reply.data.quotes, passages);
  } catch (error) {
    signal.throwIfAborted();
    return failed(messageOf(error));
  }
}

function failed(failure: string): PickedQuotes {
  return { quotes: [], dropped: 0, failure };
}

function takeVerbatim(picked: z.infer<typeof replySchema>["quotes"], passages: readonly Passage[]): PickedQuotes {
  const pieces = new Map(passages.map((passage) => [passage, piecesOf(passage, PIECES)]));
  const chosen = new Map<Piece, CompleteQuote>();
  let dropped = 0;
  for (const { source, text } of picked) {
    const passage = passages[source - 1];
    const sought = text.trim();
    const at = passage === undefined || sought === "" ? -1 : passage.text.indexOf(sought);
    if (passage === undefined || at < 0) {
      dropped++;
      continue;
    }
    const start = passage.range.start + at;
    for (const piece of pieces.get(passage) ?? []) {
      const overlaps = piece.range.start < start + sought.length && piece.range.end > start;
      if (overlaps && !chosen.has(piece)) chosen.set(piece, quotesOf(passage, piece));
    }
  }
  return { quotes: [...chosen.values()], dropped, failure: null };
}
