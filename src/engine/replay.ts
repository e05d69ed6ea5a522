import type { AnswerRecord, RecordedSettings } from "../answer/record.ts";
import { CHECKS_REVISION, FIRST_CHECKS } from "../check/revision.ts";
import { RequestError } from "../errors.ts";
import { VERSION } from "../package.ts";
import { forStorage } from "../remember/redact.ts";
import type { PastDocument } from "../store/corpus-log.ts";
import type { StoredRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { Answer, FilterRequest } from "../types.ts";
import { madeAnswer, mayShowRecord, visibleRecord } from "./proofs.ts";
import { differingPlaces, saidBy, sameSaid, settingChanges } from "./replay-compare.ts";
import type { Cause, DocumentChange, Replayed, ReplayedNow, Replayer, ReplayOptions } from "./replay-types.ts";
import { openScratch, type Scratch, type ScratchCorpus, type ScratchHost, type ScratchSettings } from "./scratch.ts";

export interface ReplayerParts extends ScratchHost {
  readonly store: Pick<Store, "records" | "corpusLog" | "documents">;
  readonly scope: (options: ReplayOptions) => Parameters<typeof visibleRecord>[1];
  /** Today's settings of a domain and profile. */
  readonly settings: (domain: string, profile: string) => Promise<ScratchSettings & { readonly recorded: RecordedSettings }>;
}

/** Edits that are tried one by one, those of documents that the answer found first: each costs an index. */
const EDITS_TRIED = 20;

export function createReplayer(parts: ReplayerParts): Replayer {
  const { store, scope } = parts;
  const replay = async (id: string, options: ReplayOptions = {}): Promise<Replayed> => {
    const asker = scope(options);
    const asked = await visibleRecord(id, asker, store.records);
    const made = await madeAnswer(asked, store.records);
    const corpus = await corpusOf(made, parts);
    if (!(await mayShowRecord(made, asker, store.documents)))
      throw impossible("a document on which it rests was deleted since, or is not open to you any more");
    const scratch = await openScratch(parts, corpus, settingsOf(made));
    try {
      return describeReplay(asked, made, await askAgain(made, scratch, options.signal));
    } finally {
      await scratch.close();
    }
  };
  return {
    replay,
    async replayNow(id, options = {}) {
      const replayed = await replay(id, options);
      const made = await madeAnswer(await visibleRecord(id, scope(options), store.records), store.records);
      return { ...replayed, ...(await compareWithNow(made, parts, options.signal)) };
    },
  };
}

/** Documents as the revision of an answer held them. @throws RequestError `replay_impossible` */
async function corpusOf(
  { domain, revision }: Pick<StoredRecord, "domain" | "revision">,
  { store }: Pick<ReplayerParts, "store">,
): Promise<ScratchCorpus> {
  const held = await store.corpusLog.heldAt(domain, revision);
  const documents = await store.corpusLog.past(domain, new Map(held.map(({ id, version }) => [id, version])));
  if (documents.length < held.length) {
    const gone = held.length - documents.length;
    throw impossible(`${gone} of the ${held.length} documents that were searched were deleted since, and their texts with them`);
  }
  return { documents, unreadable: await store.corpusLog.unreadable(domain), revision };
}

/** @throws RequestError `replay_impossible` */
function settingsOf({ settings, body, answer }: Pick<StoredRecord, "settings" | "body" | "answer">): ScratchSettings {
  const { software, checks = FIRST_CHECKS, pack, profile, threshold } = settings as RecordedSettings;
  if (software !== VERSION)
    throw impossible(`it was made by version ${software}, and this is ${VERSION}: run that version on this data folder`);
  if (checks !== CHECKS_REVISION)
    throw impossible(
      `it went through other checks (number ${checks}, here ${CHECKS_REVISION}): run the program of then on this data folder`,
    );
  const { calls = null } = body as AnswerRecord;
  if (calls === null) throw impossible("a model judged its passages, and what it said is not recorded");
  if ((JSON.parse(answer) as Answer).web !== undefined) throw impossible("pages of the web were asked, and they are not recorded");
  return {
    pack: { ...(pack as ScratchSettings["pack"]), folder: "" },
    profile: profile as ScratchSettings["profile"],
    threshold: threshold as ScratchSettings["threshold"],
  };
}

function impossible(why: string): RequestError {
  return new RequestError("replay_impossible", `This answer cannot be made again: ${why}.`);
}

/** Asks a recorded question again as it was asked. Returns the answer as it would be stored. */
async function askAgain(record: StoredRecord, { engine, played }: Scratch, signal: AbortSignal | undefined): Promise<Answer> {
  const { question, calls } = record.body as AnswerRecord;
  Object.assign(played, { at: record.createdAt, id: record.id, calls });
  const options = {
    ...{ domain: record.domain, tenant: record.tenant, access: record.access, profile: question.profile, detail: question.detail },
    ...{ selection: question.selection, filters: filtersOf(question), history: question.history, signal },
  };
  for await (const event of engine.ask(question.text, options))
    if (event.type === "answer") return JSON.parse(JSON.stringify(forStorage(event.answer, question.text))) as Answer;
  throw new Error("the path of the question ended without an answer");
}

function filtersOf({ filters }: AnswerRecord["question"]): FilterRequest | null {
  if (filters === null || filters === undefined) return null;
  const { document, chapter, section, pages } = filters;
  return {
    ...{ document: document ?? undefined, chapter: chapter ?? undefined, section: section ?? undefined },
    page: pages === null ? undefined : `${pages.first}-${pages.last}`,
  };
}

function describeReplay(asked: StoredRecord, made: StoredRecord, again: Answer): Replayed {
  const stored = JSON.parse(made.answer) as Answer;
  const differs = differingPlaces(stored, again);
  const { question } = asked.body as AnswerRecord;
  const servedFrom = asked.id === made.id ? null : made.id;
  return { id: asked.id, question: question.text, identical: differs.length === 0, differs, servedFrom, was: saidBy(stored) };
}

/** What today's documents and settings would make of it, and which of them does. */
async function compareWithNow(
  made: StoredRecord,
  parts: ReplayerParts,
  signal: AbortSignal | undefined,
): Promise<Pick<ReplayedNow, "now" | "changed" | "causes">> {
  const { question } = made.body as AnswerRecord;
  const revision = await parts.store.documents.revision(made.domain);
  const [before, after] = [await corpusOf(made, parts), await corpusOf({ ...made, revision }, parts)];
  const old = settingsOf(made);
  const { recorded, ...today } = await parts.settings(made.domain, question.profile);
  const was = saidBy(JSON.parse(made.answer) as Answer);
  const ask = async (corpus: ScratchCorpus, settings: ScratchSettings) => {
    const scratch = await openScratch(parts, corpus, settings);
    try {
      return saidBy(await askAgain(made, scratch, signal));
    } finally {
      await scratch.close();
    }
  };
  const now = await ask(after, today);
  if (sameSaid(was, now)) return { now, changed: false, causes: [] };
  const causes: Cause[] = [];
  const changes = settingChanges(made.settings as RecordedSettings, recorded);
  if (changes.length > 0 && !sameSaid(was, await ask(before, today))) causes.push({ type: "settings", settings: changes });
  const edits = changesBetween(before.documents, after.documents);
  if (edits.length > 0 && !sameSaid(was, await ask(after, old))) {
    const alone: Cause[] = [];
    for (const edit of likeliest(edits, made).slice(0, EDITS_TRIED))
      if (!sameSaid(was, await ask({ ...before, documents: withEdit(before.documents, after.documents, edit) }, old)))
        alone.push({ type: "edit", path: edit.path, change: edit.change });
    causes.push(...(alone.length > 0 ? alone : [{ type: "edits" as const, paths: edits.map(({ path }) => path) }]));
  }
  return { now, changed: true, causes: causes.length > 0 ? causes : [{ type: "both" }] };
}

/** Edits of documents that the answer found come first. */
function likeliest(edits: readonly DocumentChange[], { body }: Pick<StoredRecord, "body">): DocumentChange[] {
  const found = new Set((body as AnswerRecord).passages.map(({ documentId }) => documentId));
  return [...edits].sort((a, b) => Number(found.has(b.id)) - Number(found.has(a.id)));
}

function withEdit(before: readonly PastDocument[], after: readonly PastDocument[], { id }: DocumentChange): PastDocument[] {
  const edited = after.filter(({ document }) => document.id === id);
  return [...before.filter(({ document }) => document.id !== id), ...edited];
}

function changesBetween(before: readonly PastDocument[], after: readonly PastDocument[]): DocumentChange[] {
  const old = new Map(before.map((one) => [one.document.id, one.document]));
  const young = new Map(after.map((one) => [one.document.id, one.document]));
  const gone = [...old.values()].filter(({ id }) => !young.has(id)).map(({ id, path }) => ({ id, path, change: "deleted" as const }));
  const put = [...young.values()].flatMap(({ id, path, version }): DocumentChange[] => {
    const known = old.get(id);
    return known === undefined ? [{ id, path, change: "added" }] : known.version === version ? [] : [{ id, path, change: "changed" }];
  });
  return [...gone, ...put].sort((a, b) => (a.path < b.path ? -1 : 1));
}
