import { checkAnswer } from "../check/check.ts";
import { parseMarkers } from "../check/markers.ts";
import { RequestError } from "../errors.ts";
import { redactAnswered } from "../remember/redact.ts";
import { resolveFilters } from "../retrieve/filters.ts";
import type { Answer, Claim, Question, StoredDocument } from "../types.ts";
import { createAnswerSheet } from "../write/sheet.ts";
import { MAX_ANSWER_CHARACTERS, markedSentences } from "./answer-sentences.ts";
import { bindSentence } from "./bind-sentence.ts";
import { checking, passesAgain } from "./checking.ts";
import type { AnswerParts } from "./parts.ts";

/** What a reviewer wrote in place of an answer. */
export interface Correction {
  readonly id: string;
  readonly question: Question;
  /** Sentences that each end in `[n]`; lines such as `[1]: decision-reviews.md` at the end say which documents are meant. */
  readonly text: string;
  /** Documents that a number means where no line says so: those of the answer that is corrected. */
  readonly cited: ReadonlyMap<number, string>;
}

/** Why a sentence of a correction cannot be served. */
export interface UnboundSentence {
  readonly sentence: number;
  readonly text: string;
  readonly reason: string;
}

/** Sentences of a correction: an answer, not a treatise. */
const MAX_SENTENCES = 40;
/** `[1]: decision-reviews.md`, or `[1]: "Decision reviews"`. */
const DEFINITION = /^[ \t]*\[(\d{1,3})\]:[ \t]*"?(.+?)"?[ \t]*$/;

/**
 * Binds a reviewer's answer: every sentence cites documents that exist, the quotes that bear it are located in them, and every check of the
 * product passes, so that it will pass again on every hit. Nothing is served on a reviewer's word alone.
 * @throws RequestError `answer_empty`, `answer_too_long`, `answer_unbound` with every sentence that cannot be bound and why,
 * `answer_ambiguous`, `unknown_document`
 */
export async function bindCorrection({ id, question, text, cited }: Correction, parts: AnswerParts): Promise<Answer> {
  const { body, names } = readDefinitions(text);
  if (!/[\p{L}\p{N}]/u.test(body))
    throw new RequestError("answer_empty", "The correction holds no word: write the answer, each sentence with [n].");
  if (text.length > MAX_ANSWER_CHARACTERS) {
    const message = `The correction has ${text.length} characters; at most ${MAX_ANSWER_CHARACTERS} are read.`;
    throw new RequestError("answer_too_long", message, { characters: text.length, limit: MAX_ANSWER_CHARACTERS });
  }
  const documents = await citedDocuments(names, cited, question, parts);
  const sheet = createAnswerSheet();
  const claims: Claim[] = [];
  const checks: Answer["checks"][number][] = [];
  const faults: UnboundSentence[] = [];
  const written = markedSentences(body).map(({ start, end }) => parseMarkers(body.slice(start, end)));
  const sentences = written.filter((one) => /[\p{L}\p{N}]/u.test(one.text));
  if (sentences.length > MAX_SENTENCES) {
    throw new RequestError("answer_too_long", `The correction has ${sentences.length} sentences; at most ${MAX_SENTENCES} are taken.`);
  }
  for (const [i, sentence] of sentences.entries()) {
    const bound = await bindSentence(sentence.text, sentence.numbers, documents, question, parts);
    if ("reason" in bound) {
      faults.push({ sentence: i + 1, text: sentence.text, reason: bound.reason });
      continue;
    }
    const shown = sheet.add(sentence.text, bound.quotes);
    const { citations } = shown.sentence;
    claims.push({ sentence: shown.index, text: sentence.text, status: bound.status, citations, reason: bound.why });
    checks.push(...bound.results.map((result) => ({ ...result, sentence: shown.index })));
  }
  if (faults.length > 0) throw unbound(faults);
  const whole = checkAnswer(sheet.sentences, claims, parts.profile.check);
  const answer = toAnswer(id, question, sheet, claims, [...checks, ...whole]);
  await assertServable(answer, question, parts);
  return answer;
}

function readDefinitions(text: string): { body: string; names: Map<number, string> } {
  const names = new Map<number, string>();
  const lines = text.split(/\r?\n/).filter((line) => {
    const found = DEFINITION.exec(line);
    if (found?.[1] !== undefined && found[2] !== undefined) names.set(Number(found[1]), found[2]);
    return found === null;
  });
  return { body: lines.join("\n").trim(), names };
}

/** The documents that numbers mean, as far as the asker may see them: nobody gets an answer from what they may not open. */
async function citedDocuments(
  names: ReadonlyMap<number, string>,
  cited: ReadonlyMap<number, string>,
  { scope }: Question,
  { store }: AnswerParts,
): Promise<Map<number, StoredDocument>> {
  const ids = new Map(cited);
  const outlines = names.size === 0 ? [] : await store.documents.outlines(scope);
  for (const [n, name] of names) {
    const none = { document: name, chapter: null, section: null, pages: null };
    const [first, ...others] = [...resolveFilters(none, outlines).area.keys()];
    if (first === undefined) throw new RequestError("unknown_document", "There is no document in this domain yet: ingest some.");
    if (others.length > 0) {
      throw new RequestError("answer_ambiguous", `[${n}] "${name}" is the name of ${others.length + 1} documents: give the path instead.`);
    }
    ids.set(n, first);
  }
  const loaded = await store.documents.load(scope, [...new Set(ids.values())]);
  return new Map([...ids].flatMap(([n, id]) => (loaded.has(id) ? [[n, loaded.get(id) as StoredDocument] as const] : [])));
}

function toAnswer(
  id: string,
  question: Question,
  { sentences, citations }: Pick<Answer, "sentences" | "citations">,
  claims: readonly Claim[],
  checks: Answer["checks"],
): Answer {
  return {
    id,
    status: "ok",
    question: question.text,
    domain: question.scope.domain,
    profile: question.profile,
    sentences,
    confidence: null,
    confidenceCalibrated: false,
    claims,
    citations,
    seeAlso: null,
    evidence: [],
    conflicts: [],
    checks,
    warnings: [],
    refusal: null,
    cacheMode: "curated",
    tokenUsage: { compression: 0, verification: 0, answer: 0, total: 0 },
    costUsd: 0,
    calls: [],
    timings: {},
    latencyMs: 0,
    model: "reviewer",
    sessionId: null,
  };
}

/** What will be asked of it on every hit is asked now. */
async function assertServable(answer: Answer, question: Question, parts: AnswerParts): Promise<void> {
  const faults: UnboundSentence[] = answer.sentences.flatMap(({ text }, i) =>
    redactAnswered(text, answer) === text ? [] : [{ sentence: i + 1, text, reason: "holds personal data that no source publishes" }],
  );
  const found = answer.checks.find(({ verdict }) => verdict !== "pass");
  if (found !== undefined) faults.push({ sentence: 0, text: "the answer as a whole", reason: `${found.name}: ${found.reason}` });
  if (faults.length === 0 && !(await passesAgain(answer, checking(question, parts)))) {
    faults.push({
      sentence: 0,
      text: "the answer as a whole",
      reason: "its sentences do not pass the checks with the quotes that were located",
    });
  }
  if (faults.length > 0) throw unbound(faults);
}

function unbound(faults: readonly UnboundSentence[]): RequestError {
  const listed = faults.map(({ sentence, text, reason }) => (sentence === 0 ? `${text}: ${reason}` : `${sentence}. "${text}": ${reason}`));
  const message = `The correction is not taken, because not every sentence is bound to a source. ${listed.join(" | ")}`;
  return new RequestError("answer_unbound", message, { sentences: faults });
}
