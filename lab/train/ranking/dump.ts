// Writes the features of retrieved candidates for questions with annotated answers: node dump.ts --help
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";
import { openSharedReader } from "../../../src/cross-encoder/create-reader.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { resolveFollowUp } from "../../../src/pipeline/admit.ts";
import { wordsFor } from "../../../src/pipeline/retrieve.ts";
import { QUOTE_CHARACTERS } from "../../../src/pipeline/verify.ts";
import { sourcebound } from "../../../src/profiles/sourcebound.ts";
import type { CandidateView } from "../../../src/ranking/features.ts";
import { FIRST_STAGE_FEATURES, measure, readRankingWeights } from "../../../src/ranking/features.ts";
import { measureCandidates, rankCandidates, readingText } from "../../../src/ranking/rank.ts";
import { type RetrieveParts, retrievePassages } from "../../../src/retrieval/retrieve.ts";
import type { Passage, Question, TextRange } from "../../../src/shared/types.ts";
import { createParts } from "../../runs/extract.ts";
import type { Ask } from "../reader/ask.ts";
import { type MadeDocument, makeDocument, rangeIn } from "../reader/documents.ts";
import { readFolderSet } from "../reader/read-folders.ts";
import { readPackSet } from "../reader/read-pack.ts";
import { rewordings } from "../reader/reword.ts";
import { twinsOf } from "../reader/twins.ts";
import { readTables } from "./tables.ts";
import { readWrittenSets, sharesHalf } from "./written.ts";

const SETS = [
  "policyqa",
  "fairytaleqa",
  "tatqa",
  "medquad",
  "squad2_dev",
  "squadshifts_new_wiki",
  "nq_open_dev",
  "qed",
  "selqa",
  "tables",
] as const;
const FOLDERS = ["policyqa", "fairytaleqa", "tatqa", "medquad"] as const;

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    sets: { type: "string", default: SETS.join(",") },
    /** Folder of written collections, instead of the sets. */
    written: { type: "string" },
    /** Only the messages of the collections, instead of the questions. */
    messages: { type: "boolean", default: false },
    /** Maximum number of questions per set, sampled by hash; 1,200 for tables, whose questions vary more. */
    limit: { type: "string", default: "120" },
    /** Writes the cross-encoder's scores of the candidates selected by the shipped weights, instead of first-stage features. */
    read: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help || (flags.data ?? flags.written) === undefined || flags.out === undefined) {
  process.stderr.write(
    "node dump.ts --data DIR --out rows.jsonl.gz [--sets a,b] [--limit N]\nnode dump.ts --written DIR [--messages] [--read] --out written.jsonl.gz\n",
  );
  process.exit(flags.help ? 0 : 2);
}

const features = Object.keys(FIRST_STAGE_FEATURES);
const encoder = loadEmbeddedEncoder();
const embed = (texts: readonly string[]) => encoder.embedSync(texts);
const ranker = flags.read ? { reader: openSharedReader(), weights: readRankingWeights() } : null;
const signal = new AbortController().signal;
/** Number of passages and retrieval candidates if some are left out, so that enough others remain. */
const DEEP = 24;
const CANDIDATES = 100;
/** Inverse of the share of questions asked without the document that answers. */
const REMOVED = 4;
/** Limits per set that override `--limit`. */
const LIMIT_OF: Readonly<Record<string, number>> = { tables: 1_200 };
/** Candidates kept per question: all that answer and the best others by words; more for written collections. */
const KEPT = { set: 24, written: 60 } as const;

const packed = createGzip();
const file = packed.pipe(createWriteStream(flags.out));
const write = (row: object) => packed.write(`${JSON.stringify(row)}\n`);
write(ranker === null ? { features } : { features, reader: ranker.reader.weights });
if (flags.written !== undefined) await (flags.messages ? dumpMessages(flags.written) : dumpWritten(flags.written));
else for (const name of flags.sets.split(",")) await dumpSet(name, flags.data as string);
await ranker?.reader.close();
packed.end();
await finished(file);

async function dumpSet(name: string, data: string): Promise<void> {
  const set = name === "tables" ? readTables(data) : isFolder(name) ? readFolderSet(name, data) : readPackSet(name, data);
  const made = set.documents.map(({ id, title, scope, pieces }) => makeDocument(id, title, scope, pieces));
  const texts = new Map(
    made.flatMap(({ document, places }) =>
      places.map((place) => [place.key, `${document.title}\n${document.text.slice(place.start, place.end)}`] as const),
    ),
  );
  const marked = set.asks.filter(
    ({ known }) =>
      known.some(({ answers, spans, whole }) => answers && (spans.length > 0 || whole === true)) || known.every(({ answers }) => !answers),
  );
  const asks = draw(marked, LIMIT_OF[name] ?? Number(flags.limit));
  const all = [
    ...asks,
    ...draw(rewordings(asks), Math.floor(asks.length / 4)),
    ...draw(
      twinsOf(asks, (key) => texts.get(key) ?? ""),
      Math.floor(asks.length / 5),
    ),
  ];
  const where = new Map(made.flatMap((one) => one.places.map((place) => [place.key, { made: one, place }] as const)));
  const begun = performance.now();
  const parts = await createParts({ documents: made.map(({ document }) => document) }, encoder);
  for (const ask of all.filter(({ known }) => known.every(({ key }) => where.has(key)))) await dumpQuestion(name, ask, parts);
  process.stderr.write(`${name}: ${all.length} questions, ${((performance.now() - begun) / all.length).toFixed(1)} ms each\n`);

  async function dumpQuestion(set: string, ask: Ask, parts: RetrieveParts): Promise<void> {
    const gold = goldOf(ask);
    if (ask.known.some(({ answers }) => answers) && gold.length === 0) return;
    const removed = hash(`removed ${ask.question}`) % REMOVED === 0;
    const { group, split, form } = ask;
    const goldIds = new Set(gold.map(({ made: one }) => one.document.id));
    const answers = (id: string, range: TextRange) =>
      gold.some(({ made: one, range: answer }) => one.document.id === id && sharesHalf(range, answer));
    const measured = await measureQuestion(toQuestion(ask), { gold: goldIds, answers, removed, kept: KEPT.set }, parts);
    if (measured !== null) write({ ...{ set, group, split, form, removed, question: ask.question }, ...measured });
  }

  /** Returns the ranges that answer; for a whole section its beginning. */
  function goldOf(ask: Ask): { made: MadeDocument; range: TextRange }[] {
    return ask.known.flatMap((known) => {
      const place = where.get(known.key);
      if (!known.answers || place === undefined) return [];
      const ranges =
        known.whole === true
          ? [{ start: place.place.start, end: Math.min(place.place.end, place.place.start + 600) }]
          : known.spans.flatMap((span) => rangeIn(place.place, span) ?? []);
      return ranges.map((range) => ({ made: place.made, range }));
    });
  }
}

/**
 * Writes questions on the written collections: each collection is an index, and so is each note. A quarter of the answerable questions is
 * also asked without the document that answers.
 */
async function dumpWritten(folder: string): Promise<void> {
  for (const { name, documents, questions, notes } of readWrittenSets(folder)) {
    const parts = await createParts({ documents }, encoder);
    for (const { question, kind, gold, answers } of questions) {
      const forms = kind === "answerable" && hash(`removed ${question}`) % REMOVED === 0 ? [false, true] : [false];
      for (const removed of forms) {
        const measured = await measureQuestion(
          toQuestion({ question, scope: null }),
          { gold, answers, removed, kept: KEPT.written },
          parts,
        );
        const row = { ...{ set: name, group: name, split: "train", form: removed ? "removed" : kind, removed, question } };
        if (measured !== null) write({ ...row, ...measured });
      }
    }
    for (const { document, question } of notes) {
      const alone = await createParts({ documents: [document] }, encoder);
      const marks = { gold: question.gold, answers: question.answers, removed: false, kept: KEPT.written };
      const measured = await measureQuestion(toQuestion({ question: question.question, scope: null }), marks, alone);
      const row = {
        ...{ set: name, group: name, split: "train", form: `note ${question.kind}`, removed: false, question: question.question },
      };
      if (measured !== null) write({ ...row, ...measured });
    }
    process.stderr.write(`${name}: ${questions.length} questions, ${notes.length} of notes\n`);
  }
}

/** Writes follow-ups and questions with a story. The previous answer is assumed to come from the nearest document. */
async function dumpMessages(folder: string): Promise<void> {
  for (const { name, documents, messages } of readWrittenSets(folder)) {
    if (messages.length === 0) continue;
    const parts = await createParts({ documents }, encoder);
    for (const { first, question, kind, gold, answers } of messages) {
      const alone = toQuestion({ question, scope: null });
      const before = first === null ? [] : await findPassages(toQuestion({ question: first, scope: null }), null, parts);
      const asked = first === null ? alone : toFollowUp(first, question, before[0]?.document.title ?? "");
      const forms = gold.size > 0 && hash(`removed ${asked.resolved}`) % REMOVED === 0 ? [false, true] : [false];
      for (const removed of forms) {
        const measured = await measureQuestion(asked, { gold, answers, removed, kept: KEPT.written }, parts);
        const row = { ...{ set: name, group: name, split: "train", form: removed ? "removed" : kind, removed, question: asked.resolved } };
        if (measured !== null) write({ ...row, ...measured });
      }
    }
    process.stderr.write(`${name}: ${messages.length} messages\n`);
  }
}

interface Marks {
  /** Documents that answer. */
  readonly gold: ReadonlySet<string>;
  answers(document: string, range: TextRange): boolean;
  /** Whether the documents that answer are left out. */
  readonly removed: boolean;
  /** Maximum number of candidates. */
  readonly kept: number;
}

/** Measures the retrieved candidates of a question by the first stage or the cross-encoder; `null`: nothing retrieved. */
async function measureQuestion(
  question: Question,
  { gold, answers, removed, kept: most }: Marks,
  parts: RetrieveParts,
): Promise<object | null> {
  const isGold = ({ document }: Passage) => gold.has(document.id);
  const passages = await findPassages(question, removed ? isGold : null, parts);
  if (passages.length === 0) return null;
  const words = await wordsFor(question, { corpus: parts.corpus, profile: sourcebound });
  const evidence = passages.map((passage) => ({ passage }));
  const labelled = ({ evidence: { passage }, candidate }: CandidateView) => ({
    y: Number(!removed && answers(passage.document.id, candidate.range)),
    place: `${passage.document.id} ${candidate.range.start}`,
  });
  const options = { maxCharacters: QUOTE_CHARACTERS, embed, signal };
  if (ranker !== null) {
    const { weights, reader } = ranker;
    const { candidates } = await rankCandidates(question.resolved, evidence, words, { ...options, weights, read: reader.read });
    const scored = candidates.filter(({ cross }) => cross !== null);
    return { pieces: scored.map(({ view, cross, first }) => ({ ...labelled(view), passage: view.evidence.passage.sid, cross, first })) };
  }
  const { candidates } = measureCandidates(question.resolved, evidence, words, options);
  const kept = candidates
    .map((piece) => ({ piece, ...labelled(piece.view), order: piece.view.own + piece.view.fromHeading + piece.cosine.headed }))
    .sort((a, b) => b.y - a.y || b.order - a.order)
    .slice(0, most);
  return {
    pieces: kept.map(({ piece, y, place }) => ({
      ...{ y, place, x: measure(piece, features, FIRST_STAGE_FEATURES).map(round) },
      text: readingText(piece.view),
    })),
  };
}

/** Retrieves passages for a question. @param leftOut selects passages to drop */
async function findPassages(
  question: Question,
  leftOut: ((passage: Passage) => boolean) | null,
  parts: RetrieveParts,
): Promise<readonly Passage[]> {
  const { passages: usual } = sourcebound.retrieve;
  const settings = leftOut === null ? sourcebound.retrieve : { ...sourcebound.retrieve, passages: DEEP, candidates: CANDIDATES };
  const { passages } = await retrievePassages(question, settings, parts, signal);
  return leftOut === null ? passages : passages.filter((passage) => !leftOut(passage)).slice(0, usual);
}

/** Creates a question with the default profile over public documents. */
function toQuestion({ question, scope }: { readonly question: string; readonly scope: string | null }): Question {
  return {
    ...{ text: question, resolved: question, scope: { domain: "set", tenant: scope, access: ["public"] }, profile: "sourcebound" },
    ...{ detail: "normal" as const, sessionId: null, selection: null, history: [], injectionSignals: [] },
  };
}

/** Creates a follow-up to a question that was answered from a document with this title. */
function toFollowUp(first: string, question: string, title: string): Question {
  const history = [{ question: first, answer: "", titles: [title] }];
  return { ...toQuestion({ question, scope: null }), resolved: resolveFollowUp(question, history).text, history };
}

function round(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(4));
}

function hash(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0);
}

function draw<T extends Ask>(asks: readonly T[], limit: number): T[] {
  return [...asks].sort((a, b) => hash(`draw ${a.question}`) - hash(`draw ${b.question}`)).slice(0, limit);
}

function isFolder(name: string): name is (typeof FOLDERS)[number] {
  return (FOLDERS as readonly string[]).includes(name);
}
