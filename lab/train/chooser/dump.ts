// Measures the pieces of what retrieval brings up for questions whose answers are marked: node dump.ts --help
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";
import { QUOTE_CHARACTERS } from "../../../src/answer/choose.ts";
import { chanceOf } from "../../../src/models/weights/scorer.ts";
import type { RetrieveParts } from "../../../src/retrieve/retrieve.ts";
import type { Passage, Question, TextRange } from "../../../src/types.ts";
import { measureEvidence, readSufficiencyWeights, SUFFICIENCY_FEATURES } from "../../../src/verify/sufficiency.ts";
import { measurePieces } from "../../../src/write/choose.ts";
import { logit, measurePiece, PIECE_FEATURES } from "../../../src/write/chooser-weights.ts";
import { readingText } from "../../../src/write/read-pieces.ts";
import { createParts } from "../../runs/extract.ts";
import type { Ask } from "../reader/ask.ts";
import { type MadeDocument, makeDocument, rangeIn } from "../reader/documents.ts";
import { readFolderSet } from "../reader/read-folders.ts";
import { readPackSet } from "../reader/read-pack.ts";
import { rewordings } from "../reader/reword.ts";
import { twinsOf } from "../reader/twins.ts";
import { openMeasuring, toFollowUp, toQuestion } from "./evidence.ts";
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
    /** Of the collections the messages alone, instead of the questions. */
    messages: { type: "boolean", default: false },
    /** Questions of a set at most, drawn by hash; of tables, which differ in what their rows are asked by, 1,200. */
    limit: { type: "string", default: "120" },
    help: { type: "boolean", default: false },
  },
});
if (flags.help || (flags.data ?? flags.written) === undefined || flags.out === undefined) {
  process.stderr.write(
    "node dump.ts --data DIR --out rows.jsonl.gz [--sets a,b] [--limit N]\nnode dump.ts --written DIR [--messages] --out written.jsonl.gz\n",
  );
  process.exit(flags.help ? 0 : 2);
}

const unitNames = Object.keys(PIECE_FEATURES);
const gateNames = [...Object.keys(SUFFICIENCY_FEATURES), "together"];
const sufficiency = readSufficiencyWeights();
const { encoder, embed, reranker, findEvidence } = openMeasuring();
const signal = new AbortController().signal;
/** Of so many questions one is asked of an index without the document that answers it. */
const REMOVED = 4;
/** Questions of such a set, whatever `--limit` says. */
const LIMIT_OF: Readonly<Record<string, number>> = { tables: 1_200 };
/** Pieces kept of a question: all that answer, and the best of the others by words. Of a written collection, which nothing else is like, more. */
const KEPT = { set: 24, written: 60 } as const;

const packed = createGzip();
const file = packed.pipe(createWriteStream(flags.out));
const write = (row: object) => packed.write(`${JSON.stringify(row)}\n`);
write({ features: unitNames, gate: gateNames });
if (flags.written !== undefined) await (flags.messages ? dumpMessages(flags.written) : dumpWritten(flags.written));
else for (const name of flags.sets.split(",")) await dumpSet(name, flags.data as string);
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
  const parts = await createParts({ documents: made.map(({ document }) => document) }, encoder, reranker);
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

  /** Where answers stand; of a whole section its beginning. */
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

/** Questions that were written over documents of their own: each collection is an index, and each note. Of every fourth question the document that answers is left out once more. */
async function dumpWritten(folder: string): Promise<void> {
  for (const { name, documents, questions, notes } of readWrittenSets(folder)) {
    const parts = await createParts({ documents }, encoder, reranker);
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
      const alone = await createParts({ documents: [document] }, encoder, reranker);
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

/** What people write who ask on, or tell their case first. A follow-up is read as the product reads it, behind an answer from the document that is nearest to the question before. */
async function dumpMessages(folder: string): Promise<void> {
  for (const { name, documents, messages } of readWrittenSets(folder)) {
    if (messages.length === 0) continue;
    const parts = await createParts({ documents }, encoder, reranker);
    for (const { first, question, kind, gold, answers } of messages) {
      const alone = toQuestion({ question, scope: null });
      const before = first === null ? null : await findEvidence(toQuestion({ question: first, scope: null }), null, parts, signal);
      const asked = first === null ? alone : toFollowUp(first, question, before?.passages[0]?.document.title ?? "");
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
  /** What answers is left out. */
  readonly removed: boolean;
  /** Pieces at most. */
  readonly kept: number;
}

/** Figures of every piece of what retrieval brings up for a question, and of all passages; `null`: it brings up nothing. */
async function measureQuestion(
  question: Question,
  { gold, answers, removed, kept: most }: Marks,
  parts: RetrieveParts,
): Promise<object | null> {
  const isGold = ({ document }: Passage) => gold.has(document.id);
  const found = await findEvidence(question, removed ? isGold : null, parts, signal);
  if (found === null) return null;
  const { passages, view, chances, evidence, words } = found;
  const measured = await measurePieces(question.resolved, evidence, words, {
    ...{ maxCharacters: QUOTE_CHARACTERS, reranker, embed, signal },
  });
  const kept = measured.pieces
    .map((piece) => {
      const { view: seen, relevance: chance } = piece;
      const { document } = seen.evidence.passage;
      const y = Number(!removed && answers(document.id, seen.piece.range));
      return { piece, y, order: seen.own + seen.fromHeading + (chance ?? 0), place: `${document.id} ${seen.piece.range.start}` };
    })
    .sort((a, b) => b.y - a.y || b.order - a.order)
    .slice(0, most);
  const pieces = kept.map(({ piece, y, place }) => ({
    ...{ y, place, x: measurePiece(piece, unitNames).map(round) },
    text: readingText(piece.view),
  }));
  const model = sufficiency.models.vectors;
  const gate = [...measureEvidence(view, gateNames.slice(0, -1)), logit(chanceOf(measureEvidence(view, model.features), model))];
  const answering = passages.flatMap((passage, i) => (isGold(passage) ? [round(chances[i] as number)] : []));
  return { windows: parts.corpus.windows, answering, pieces, gate: gate.map(round) };
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
