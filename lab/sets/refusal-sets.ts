import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { admitQuestion } from "../../src/answer/admit.ts";
import { readLines } from "../../src/grade/golden.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import type { Lexicon } from "../../src/retrieve/lexicon.ts";
import { type RetrieveParts, retrievePassages } from "../../src/retrieve/retrieve.ts";
import { type QuestionWords, questionWords } from "../../src/retrieve/understand.ts";
import type { Passage, Question, Scope, StoredDocument, Turn } from "../../src/types.ts";
import { type EvidenceView, viewEvidence } from "../../src/verify/sufficiency-view.ts";
import { toDocument } from "./extract-sets.ts";

/** A question that the documents answer or do not, as people marked it. */
export interface RefusalQuestion {
  readonly id: string;
  readonly text: string;
  readonly history: readonly Turn[];
  /** Only documents of this scope are searched; `null`: all of the set. */
  readonly scope: string | null;
  readonly answerable: boolean;
  /** Documents that answer it, as people marked them; none of an unanswerable one. */
  readonly gold: ReadonlySet<string>;
  /** Questions about one source stand or fall together. */
  readonly cluster: string;
  /** Its own documents, and how many of the nearest others stand beside them; absent: the whole set is searched. */
  readonly beside?: { readonly own: ReadonlySet<string>; readonly others: number };
}

export interface RefusalSet {
  readonly name: string;
  readonly documents: readonly StoredDocument[];
  readonly questions: readonly RefusalQuestion[];
}

export const REFUSAL_SETS = ["clapnq", "mtrag"] as const;
export type RefusalSetName = (typeof REFUSAL_SETS)[number];

/** Passages of other tasks that a task of mtrag stands beside: in its reference setting it has none that mislead. */
const MTRAG_DISTRACTORS = 5;

/** @returns `null` when the set's folder is not there */
export function readRefusalSet(name: RefusalSetName, data: string): RefusalSet | null {
  const folder = join(data, name);
  if (!existsSync(folder)) return null;
  return name === "clapnq" ? clapNq(folder) : mtRag(folder);
}

/** Every passage, also those that do not answer their question, in one pool. */
function clapNq(folder: string): RefusalSet {
  const rows = readLines(
    folder,
    "clapnq",
    z.object({ id: z.string(), question: z.string(), answerable: z.boolean(), title: z.string(), passage: z.string() }),
  );
  return {
    name: "clapnq",
    documents: rows.map(({ id, title, passage }) => toDocument({ id, title, scope: null, path: "passage.txt", text: passage })),
    questions: rows.map(({ id, question, answerable, title }) => ({
      id,
      text: question,
      history: [],
      scope: null,
      answerable,
      gold: new Set(answerable ? [id] : []),
      cluster: title,
    })),
  };
}

const mtragSchema = z.object({
  task_id: z.string(),
  conversation_id: z.string(),
  contexts: z.array(z.object({ document_id: z.string(), text: z.string(), title: z.string().nullish() })),
  input: z.array(z.object({ speaker: z.string(), text: z.string() })),
  answerability: z.array(z.string()),
  Collection: z.string(),
});

/** Tasks that are wholly answerable or not at all; partial and underspecified ones are neither. A passage is searched within its collection. */
function mtRag(folder: string): RefusalSet {
  const rows = readLines(folder, "mtrag_un", mtragSchema);
  const documents = new Map<string, StoredDocument>();
  for (const { contexts, Collection } of rows)
    for (const { document_id, text, title } of contexts)
      if (!documents.has(document_id) && text.trim() !== "")
        documents.set(document_id, toDocument({ id: document_id, title: title ?? "", scope: Collection, path: "passage.txt", text }));
  const questions = rows.flatMap(({ task_id, conversation_id, contexts, input, answerability, Collection }): RefusalQuestion[] => {
    const kind = answerability[0];
    const last = input.at(-1)?.text.trim() ?? "";
    if ((kind !== "ANSWERABLE" && kind !== "UNANSWERABLE") || last === "") return [];
    const own = new Set(contexts.map(({ document_id }) => document_id));
    return [
      {
        id: task_id,
        text: last,
        history: turnsOf(input.slice(0, -1)),
        scope: Collection,
        answerable: kind === "ANSWERABLE",
        gold: kind === "ANSWERABLE" ? own : new Set(),
        cluster: conversation_id,
        beside: { own, others: MTRAG_DISTRACTORS },
      },
    ];
  });
  return { name: "mtrag", documents: [...documents.values()], questions };
}

function turnsOf(input: readonly { readonly speaker: string; readonly text: string }[]): Turn[] {
  const turns: Turn[] = [];
  for (let i = 0; i + 1 < input.length; i += 2) {
    const [asked, answered] = [input[i], input[i + 1]];
    if (asked !== undefined && answered !== undefined) turns.push({ question: asked.text, answer: answered.text });
  }
  return turns.slice(-sourcebound.sessionTurns);
}

/** Questions of these sets are long; what the product would not admit is cut. */
const MAX_CHARACTERS = 500;

/** The question as the product admits it. */
export function admitted({ text, history, scope }: Pick<RefusalQuestion, "text" | "history" | "scope">): Question {
  return admittedIn(text, history, { domain: "set", tenant: scope, access: ["public"] });
}

export function admittedIn(text: string, history: readonly Turn[], scope: Scope): Question {
  const question = text.replaceAll(/[\p{Cc}\u200B\u2028-\u202E\u2060-\u2069\uFEFF]/gu, " ").slice(0, MAX_CHARACTERS);
  const request = { question, scope, profile: "sourcebound", detail: "normal" as const, sessionId: null, selection: null };
  return admitQuestion(request, history, { maxCharacters: MAX_CHARACTERS });
}

/** How deep a task's own passages are looked for among all others. */
const BESIDE_DEPTH = 60;

/** A question with its evidence, read twice: as it was resolved, and without what the conversation added. */
export interface Gathered {
  readonly question: Question;
  readonly passages: readonly Passage[];
  readonly resolved: EvidenceView;
  readonly own: EvidenceView;
  readonly words: QuestionWords;
}

/** Passages as the default profile retrieves them, and what the gate sees of them. */
export async function gatherEvidence(
  question: Question,
  parts: RetrieveParts,
  lexicon: Lexicon,
  signal: AbortSignal,
  beside?: RefusalQuestion["beside"],
): Promise<Gathered> {
  const { retrieve } = sourcebound;
  const deep = { ...retrieve, candidates: BESIDE_DEPTH, passages: BESIDE_DEPTH };
  const { passages: found } = await retrievePassages(question, beside === undefined ? retrieve : deep, parts, signal);
  const passages = beside === undefined ? found : keepBeside(found, beside).slice(0, retrieve.passages);
  const understood = parts.corpus.understand(question, retrieve.query);
  const alone = parts.corpus.understand({ resolved: question.text, scope: question.scope }, retrieve.query);
  const words = questionWords(understood, alone, parts.corpus.wordsIn(question.scope));
  const signals = question.injectionSignals.length;
  const resolved = viewEvidence(words.asked, passages, words, lexicon, signals);
  const own = question.text === question.resolved ? resolved : viewEvidence(words.own, passages, words, lexicon, signals);
  return { question, passages, resolved, own, words };
}

function keepBeside(found: readonly Passage[], { own, others }: NonNullable<RefusalQuestion["beside"]>): Passage[] {
  let left = others;
  return found.filter(({ document: { id } }) => own.has(id) || left-- > 0);
}
