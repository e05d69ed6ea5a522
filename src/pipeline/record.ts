import type { ChatEvent, ChatModel, ChatPrompt } from "../models/chat.ts";
import { ModelError } from "../shared/errors.ts";
import type { Answer, NearDuplicate, Passage, Question, Quote, TextRange } from "../shared/types.ts";
import type { NewRecord } from "../store/interaction.ts";
import { sha256Hex } from "../text/hash.ts";
import type { Outcome } from "./assemble.ts";
import type { Models, RecordedCall, RecordedSettings } from "./context.ts";

/** A passage by its offsets. Its text is in the document. */
export interface RecordedPassage extends TextRange {
  readonly sid: string;
  readonly chunkId: string;
  readonly documentId: string;
  readonly version: string;
  readonly bounds: TextRange | null;
  readonly window: TextRange;
  readonly headingPath: readonly string[];
  readonly twins: readonly NearDuplicate[];
}

export interface RecordedQuote extends TextRange {
  /** Index into `passages`. */
  readonly passage: number;
  readonly header: TextRange | null;
}

export interface RecordedDraft {
  readonly text: string;
  /** Indexes into `quotes`. */
  readonly quotes: readonly number[];
  readonly missing: readonly number[];
  /** Quotes of each other source that share words with the sentence and may be the right ones. */
  readonly others: readonly (readonly number[])[];
  readonly dangling: boolean;
}

/** The inputs of one answer, as references to document versions. */
export interface AnswerRecord {
  readonly format: 1;
  readonly question: Pick<Question, "text" | "resolved" | "profile" | "detail" | "selection" | "history" | "filters">;
  /** Model calls in order; `null`: a model was called without recording. */
  readonly calls: readonly RecordedCall[] | null;
  /** Id of the stored answer that was served; `null`: the answer is new. */
  readonly served: string | null;
  readonly passages: readonly RecordedPassage[];
  readonly quotes: readonly RecordedQuote[];
  /** Quotes offered to the model. */
  readonly offered: readonly number[];
  /** Quotes that an extractive answer is chosen from. */
  readonly candidates: readonly number[];
  readonly drafts: readonly RecordedDraft[];
  /** Passages of the evidence, in order. */
  readonly evidence: readonly number[];
}

/** Inputs of an answer besides its question and documents. */
export interface RecordedInputs extends Pick<AnswerRecord, "calls"> {
  readonly revision: number;
  readonly settings: RecordedSettings;
}

/** Builds the record of a new answer. */
export function recordOf(
  question: Question,
  outcome: Pick<Outcome, "written" | "evidence" | "hit">,
  { revision, settings, calls }: RecordedInputs,
): NewRecord {
  const { text, resolved, profile, detail, selection, history, filters = null } = question;
  const { passages, quotes, passageAt, quoteAt } = createTables();
  const { written, evidence } = outcome;
  const body: AnswerRecord = {
    format: 1,
    question: { text, resolved, profile, detail, selection, history, filters },
    calls,
    served: outcome.hit?.answer.id ?? null,
    offered: written.offered.map(quoteAt),
    candidates: written.candidates.map(quoteAt),
    drafts: written.drafts.map((draft) => ({
      text: draft.text,
      quotes: draft.quotes.map(quoteAt),
      missing: [...draft.missing],
      others: draft.others.map((other) => other.map(quoteAt)),
      dangling: draft.dangling === true,
    })),
    evidence: evidence.map(({ passage }) => passageAt(passage)),
    ...{ passages, quotes },
  };
  return { revision, settings, body };
}

/** Returns tables that store each passage and quote once and give its index. */
function createTables() {
  const passages: RecordedPassage[] = [];
  const quotes: RecordedQuote[] = [];
  const places = new Map<string, number>();
  const enter = <T>(rows: T[], key: string, make: () => T): number => {
    const known = places.get(key);
    if (known !== undefined) return known;
    const at = rows.push(make()) - 1;
    places.set(key, at);
    return at;
  };
  const passageAt = (one: Passage) => enter(passages, one.sid, () => placeOf(one));
  const quoteAt = ({ passage, start, end, header }: Quote) =>
    enter(quotes, `${passage.sid} ${start} ${end}`, () => ({
      ...{ passage: passageAt(passage), start, end },
      header: header === undefined ? null : { start: header.start, end: header.end },
    }));
  return { passages, quotes, passageAt, quoteAt };
}

function placeOf({ sid, chunkId, document, range, bounds, window, headingPath, twins = [] }: Passage): RecordedPassage {
  return {
    ...{ sid, chunkId, documentId: document.id, version: document.version },
    ...{ start: range.start, end: range.end, bounds: bounds ?? null, window, headingPath, twins },
  };
}

/** Returns whether the stored answer equals the shown one. A redacted answer gets no record, because it cannot be checked again. */
export function isStoredAsShown(answer: Answer, stored: Answer): boolean {
  return (["sentences", "claims", "checks"] as const).every(
    (part) => stored[part] === answer[part] || JSON.stringify(stored[part]) === JSON.stringify(answer[part]),
  );
}

/** Wraps models so that every call is recorded. */
export function recordModels(models: Models, calls: RecordedCall[]): Models {
  return models === null ? null : { small: recordModel(models.small, calls), large: recordModel(models.large, calls) };
}

function recordModel(model: ChatModel, calls: RecordedCall[]): ChatModel {
  return {
    id: model.id,
    async *stream(prompt, options) {
      const at = calls.length;
      let call: RecordedCall = {
        ...{ model: model.id, prompt: hashOf(prompt), sent: prompt, text: "" },
        ...{ inputTokens: null, outputTokens: null, failure: null },
      };
      calls.push(call);
      const keep = (more: Partial<RecordedCall>) => {
        call = { ...call, ...more };
        calls[at] = call;
      };
      try {
        for await (const event of model.stream(prompt, options)) {
          if (event.type === "text") keep({ text: call.text + event.text });
          else keep({ inputTokens: event.inputTokens, outputTokens: event.outputTokens });
          yield event;
        }
      } catch (error) {
        if (error instanceof ModelError) keep({ failure: { code: error.code, message: error.message } });
        throw error;
      }
    },
  };
}

/** Returns models that replay recorded calls, each once. An unrecorded prompt fails. */
export function playbackModels(
  named: { readonly small: string; readonly large: string } | null,
  calls: readonly RecordedCall[] | null,
): Models {
  if (named === null) return null;
  const used = new WeakSet<RecordedCall>();
  const play = (id: string): ChatModel => ({
    id,
    async *stream(prompt): AsyncGenerator<ChatEvent, void> {
      const wanted = hashOf(prompt);
      const call = calls?.find((one) => one.prompt === wanted && one.model === id && !used.has(one));
      if (call === undefined) throw new ModelError("model_not_recorded", "The model's output for this prompt was not recorded.");
      used.add(call);
      if (call.text !== "") yield { type: "text", text: call.text };
      if (call.failure !== null) throw new ModelError(call.failure.code, call.failure.message);
      yield { type: "end", inputTokens: call.inputTokens, outputTokens: call.outputTokens };
    },
  });
  return { small: play(named.small), large: play(named.large) };
}

function hashOf({ system, user }: ChatPrompt): string {
  return sha256Hex(JSON.stringify([system, user]));
}
