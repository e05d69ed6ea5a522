import { setImmediate } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import { ModelError, RequestError } from "../shared/errors.ts";
import type { Answer, Scope, TextRange } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { sha256Hex } from "../text/hash.ts";
import { normalizeQuestion } from "../text/normalise.ts";
import { lineText } from "../writing/lines.ts";
import type { GoldenAnswerable, GoldenUnanswerable } from "./golden.ts";
import { readQuestions } from "./golden-set.ts";
import { countedLines, holdsToken } from "./score-answer.ts";

/** A question with its label: the place of its answer, or the kind of unanswerable question that it is. */
type LabelledQuestion = (GoldenAnswerable & { readonly kind: "answerable" }) | GoldenUnanswerable;
export type LabelledQuestions = ReturnType<typeof readLabelledQuestions>;

/**
 * Loads the labelled questions of a file or folder. A repeated question is loaded once.
 * @throws RequestError `golden_missing`; `golden_invalid`, which names file and line, also for a question that is labelled
 * both as answerable and as unanswerable
 */
export function readLabelledQuestions(path: string) {
  const { answerable, unanswerable } = readQuestions(path);
  const all: LabelledQuestion[] = [...answerable.map((one) => ({ ...one, kind: "answerable" as const })), ...unanswerable];
  const byText = new Map<string, LabelledQuestion>();
  for (const one of all) {
    const key = JSON.stringify([normalizeQuestion(one.question), one.tenant]);
    const before = byText.get(key);
    if (before === undefined) byText.set(key, one);
    else if ((before.kind === "answerable") !== (one.kind === "answerable"))
      throw new RequestError(
        "golden_invalid",
        `${path} contains the same question twice, once labelled as answerable and once as unanswerable (ids ${before.id} and ${one.id}). Correct one of them.`,
      );
  }
  const questions = [...byText.values()];
  // `repeated` is the number of duplicates that were left out.
  return { questions, repeated: all.length - questions.length, sha256: sha256Hex(JSON.stringify(questions)) };
}

/** Result of a labelled question that was asked without a confidence threshold. */
export interface JudgedQuestion {
  readonly id: string;
  readonly kind: LabelledQuestion["kind"];
  /** Page with the answer, or the question's id if no page is labelled. Questions about one page are not independent. */
  readonly cluster: string;
  /** Confidence of the answer, from 0 to 1; `null`: no evidence was found. */
  readonly chance: number | null;
  /** False if the question was refused for another reason than its confidence, such as an injection. */
  readonly answered: boolean;
  readonly wrong: boolean;
}

/** Encoder and confidence model that gave the confidences. They must be the same for all questions. */
export interface JudgedBy {
  readonly encoder: string | null;
  readonly model: "vectors" | "words";
}

export type AskLabelledEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | {
      readonly type: "judged";
      readonly questions: readonly JudgedQuestion[];
      /**
       * Ids of answerable questions that cannot be judged. They have no key values, and none of their gold quotes was found
       * in the documents.
       */
      readonly unjudgeable: readonly string[];
      readonly by: JudgedBy;
    };

export interface AskLabelledOptions {
  readonly scope: Scope;
  readonly profile: string;
  readonly signal: AbortSignal;
}

/**
 * Asks the engine every question without a confidence threshold, and judges the answers.
 * @throws ModelError `encoder_unsteady` if the encoder or the confidence model changed between questions
 */
export async function* askLabelled(
  engine: Pick<Engine, "ask" | "store">,
  questions: readonly LabelledQuestion[],
  { scope, profile, signal }: AskLabelledOptions,
): AsyncGenerator<AskLabelledEvent, void> {
  const places = new Map<string, GoldPlaces>();
  const isAnswerable = (one: LabelledQuestion) => one.kind === "answerable";
  for (const [tenant, own] of Map.groupBy(questions.filter(isAnswerable), (one) => one.tenant ?? scope.tenant))
    for (const [id, found] of await locateGold(own, { ...scope, tenant }, engine.store.documents)) places.set(id, found);
  const judged: JudgedQuestion[] = [];
  const unjudgeable: string[] = [];
  const judges = new Map<string, JudgedBy>();
  for (const [i, labelled] of questions.entries()) {
    // Let the event loop run, so that Ctrl-C works. Without model calls, answering never waits for anything.
    await setImmediate();
    signal.throwIfAborted();
    yield { type: "progress", done: i, total: questions.length, what: labelled.question };
    const gold: GoldPlaces | null = labelled.kind === "answerable" ? (places.get(labelled.id) ?? new Map()) : null;
    const keyValues = labelled.kind === "answerable" ? labelled.key_values : [];
    if (gold !== null && keyValues.length === 0 && [...gold.values()].every((ranges) => ranges.length === 0)) {
      unjudgeable.push(labelled.id);
      continue;
    }
    const asker = { ...scope, tenant: labelled.tenant ?? scope.tenant };
    const { answer, chance, by } = await askOne(engine, labelled.question, { scope: asker, profile, signal });
    if (by !== null) judges.set(JSON.stringify(by), by);
    const isGold = ({ documentId, start, end }: Answer["citations"][number]) =>
      (gold?.get(documentId) ?? []).some((range) => range.start < end && start < range.end);
    // Unanswerable questions have neither key values nor gold places, so every answer to them is wrong.
    const { answered, wrong } = judgeAnswer(answer, keyValues, isGold);
    const page = labelled.kind === "answerable" ? labelled.gold_pages[0] : undefined;
    const cluster = page ?? `question ${labelled.id}`;
    judged.push({ id: labelled.id, kind: labelled.kind, cluster, chance, answered, wrong });
  }
  const [by, other] = judges.values();
  if (other !== undefined) {
    const message =
      "The encoder failed for some questions, so their scores cannot be compared with the others. Check the encoder, and try again.";
    throw new ModelError("encoder_unsteady", message);
  }
  yield { type: "progress", done: questions.length, total: questions.length, what: "" };
  yield { type: "judged", questions: judged, unjudgeable, by: by ?? { encoder: null, model: "words" } };
}

async function askOne(engine: Pick<Engine, "ask">, question: string, { scope, profile, signal }: AskLabelledOptions) {
  const facts: Record<string, string | number | boolean | null> = {};
  let answer: Answer | null = null;
  for await (const event of engine.ask(question, { domain: scope.domain, tenant: scope.tenant, profile, measuring: true, signal })) {
    if (event.type === "retrieve-end" || event.type === "decide-end" || event.type === "parts-end") Object.assign(facts, event.facts);
    if (event.type === "answer") answer = event.answer;
  }
  if (answer === null) throw new Error("a question ended without an answer");
  const { chance, weights, encoder } = facts;
  const model: JudgedBy["model"] | null = weights === "vectors" || weights === "words" ? weights : null;
  const by: JudgedBy | null = model === null ? null : { encoder: typeof encoder === "string" ? encoder : null, model };
  return { answer, chance: typeof chance === "number" ? chance : null, by };
}

/**
 * Judges an answer (docs/evaluate.md). A shown answer is wrong if a key value of the question is missing in its
 * `countedLines`. If the question has no key values, it is wrong if no citation overlaps a gold quote.
 * @param overlapsGold returns whether a citation overlaps a gold quote
 */
export function judgeAnswer(
  answer: Answer,
  keyValues: readonly string[],
  overlapsGold: (citation: Answer["citations"][number]) => boolean,
) {
  const answered = answer.status === "ok";
  const text = countedLines(answer, keyValues).map(lineText).join("\n");
  /** Whether the answer contains all key values; `null`: the question has none. */
  const keyValuesHeld = keyValues.length === 0 ? null : keyValues.every((value) => holdsToken(text, value));
  const goldQuoted = answer.citations.some(overlapsGold);
  return { answered, text, keyValuesHeld, goldQuoted, wrong: answered && (keyValuesHeld === null ? !goldQuoted : !keyValuesHeld) };
}

/** Ranges of gold quotes, by document id. */
type GoldPlaces = ReadonlyMap<string, readonly TextRange[]>;

/**
 * Locates the gold quotes of each question in the ingested documents. Ignores markup, white space and punctuation. The
 * quotes come from the original files, and normalisation changes such characters.
 * @throws RequestError `golden_pages_missing` if no page of a question is ingested, so that no answer could be right
 */
export async function locateGold(
  golden: readonly Pick<GoldenAnswerable, "id" | "gold_pages" | "gold_quotes">[],
  scope: Scope,
  documents: Pick<DocumentStore, "outlines" | "load">,
): Promise<ReadonlyMap<string, GoldPlaces>> {
  const paths = (await documents.outlines(scope)).map(({ id, path }) => ({ id, path }));
  const pages = new Map([...new Set(golden.flatMap(({ gold_pages }) => gold_pages))].map((page) => [page, documentOf(page, paths)]));
  const lost = golden.filter(({ gold_pages }) => gold_pages.length > 0 && gold_pages.every((page) => pages.get(page) === null));
  const [example] = lost;
  if (example !== undefined) {
    const message = `${lost.length} of ${golden.length} answerable questions name gold pages that are not among the ${paths.length} documents (for example, question ${example.id} names ${example.gold_pages[0]}). Ingest the documents for which the questions were written, with the same paths (--root).`;
    throw new RequestError("golden_pages_missing", message, { questions: lost.map(({ id }) => id) });
  }
  const ids = [...new Set([...pages.values()].flatMap((id) => id ?? []))];
  const texts = new Map([...(await documents.load(scope, ids))].map(([id, { text }]) => [id, lettersOf(text)]));
  return new Map(
    golden.map(({ id, gold_pages, gold_quotes }) => {
      const held = gold_pages.flatMap((page) => pages.get(page) ?? []);
      const places = new Map(held.map((one) => [one, gold_quotes.flatMap((quote) => findLetters(quote, texts.get(one) as Letters))]));
      return [id, places];
    }),
  );
}

/**
 * Finds the document of a page: the one with the same path, or else the only one whose path ends with the page's path.
 * The page's path may also end with the path of the document.
 */
function documentOf(page: string, documents: readonly { readonly id: string; readonly path: string }[]): string | null {
  const exact = documents.find(({ path }) => path === page);
  if (exact !== undefined) return exact.id;
  const alike = documents.filter(({ path }) => path.endsWith(`/${page}`) || page.endsWith(`/${path}`));
  return alike.length === 1 ? (alike[0]?.id ?? null) : null;
}

type Letters = ReturnType<typeof lettersOf>;

/** Returns the letters and digits of a text in lower case, each with its offset. */
function lettersOf(text: string) {
  const at: number[] = [];
  let letters = "";
  for (const match of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const lower = match[0].toLowerCase();
    letters += lower;
    for (let i = 0; i < lower.length; i++) at.push(match.index);
  }
  return { text: letters, at };
}

function findLetters(quote: string, { text, at }: Letters): TextRange[] {
  // Remove link addresses and tags, which normalised text does not contain.
  const { text: wanted } = lettersOf(quote.replaceAll(/\]\([^)]*\)/g, "]").replaceAll(/<[^>]*>/g, ""));
  const start = wanted === "" ? -1 : text.indexOf(wanted);
  return start < 0 ? [] : [{ start: at[start] as number, end: (at[start + wanted.length - 1] as number) + 1 }];
}
