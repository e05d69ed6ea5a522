import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CHECKS_REVISION, FIRST_CHECKS } from "../checks/check.ts";
import type { GateThreshold } from "../evidence/calibration.ts";
import { forStorage } from "../memory/named-documents.ts";
import { VERSION } from "../package.ts";
import { type AnswerRecord, playbackModels } from "../pipeline/assemble.ts";
import type { RecordedSettings } from "../pipeline/context.ts";
import type { Profile } from "../profiles/profile.ts";
import { type Config, embeddedIn } from "../shared/config.ts";
import { RequestError } from "../shared/errors.ts";
import type { Answer, FilterRequest } from "../shared/types.ts";
import type { PastDocument, UnreadFile } from "../store/corpus-log.ts";
import type { StoredRecord } from "../store/interaction.ts";
import { openSqlite } from "../store/sqlite.ts";
import { createStore } from "../store/store.ts";
import type { DomainPack } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { AskOptions, TenantOptions } from "./engine-types.ts";
import type { EngineParts, Opened } from "./open.ts";
import { madeAnswer, mayShowRecord, visibleRecord } from "./proofs.ts";

/** Maximum number of reported differences. */
const PLACES = 20;

/** Extracts the parts of an answer that a user sees. */
function saidBy({ status, sentences, citations }: Pick<Answer, "status" | "sentences" | "citations">) {
  return {
    status,
    sentences: sentences.map(({ text }) => text),
    citations: citations.map(({ original, quote }) => ({ path: original.path, quote })),
  };
}

/** Returns the JSON paths at which two answers differ, excluding measured times. */
function differingPlaces(stored: Answer, again: Answer): string[] {
  // Measured times differ on every run.
  const withoutTimes = ({ timings: _, latencyMs: __, ...rest }: Answer) => rest;
  const [one, other] = [withoutTimes(stored), withoutTimes(again)];
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  const isSameOrder = JSON.stringify(Object.keys(one)) === JSON.stringify(Object.keys(other));
  const places = [...differing(one, other).map(({ place }) => place), ...(isSameOrder ? [] : ["order of keys"])];
  return places.slice(0, PLACES);
}

/** Returns the JSON paths at which two values differ, with both values. */
function differing(before: unknown, after: unknown, place = ""): { place: string; before: unknown; after: unknown }[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isTree = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  if (!isTree(before) || !isTree(after)) return [{ place, before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differing(before[key], after[key], place === "" ? key : `${place}.${key}`));
}

/** Returns the settings that changed, with their paths and both values. */
function settingChanges(before: RecordedSettings, after: RecordedSettings) {
  const [one, other] = [before, after].map(({ software, checks, encoder, pack, profile, threshold }) =>
    JSON.parse(JSON.stringify({ software, checks, encoder, pack, profile, threshold })),
  );
  return differing(one, other).map(({ place, before, after }) => ({ setting: place, before: shown(before), after: shown(after) }));
}

/** Maximum characters of a displayed value. */
const SHOWN = 120;

function shown(value: unknown): string {
  const text = value === undefined ? "(none)" : JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

/** Functions of the engine that a replay needs. */
interface Replaying {
  /** Returns today's settings of a domain and profile. */
  readonly settings: (domain: string, profile: string) => ScratchSettings & { readonly recorded: RecordedSettings };
  /** Opens an engine that repeats a question. */
  readonly open: (config: Config, parts: EngineParts) => Promise<Repeating>;
}

export interface Repeating {
  answer(question: string, options: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

/** Maximum number of document changes to try one by one; each needs a new index. Changes of documents of the answer are tried first. */
const EDITS_TRIED = 20;

/** A cause of the difference between the recorded answer and today's. */
type Cause =
  /** The change of this document alone changes the answer. */
  | ({ readonly type: "edit" } & Pick<DocumentChange, "path" | "change">)
  /** All document changes together change the answer; none of those tried alone does. */
  | { readonly type: "edits"; readonly paths: readonly string[] }
  /** Today's settings change the answer, even on the old documents. */
  | { readonly type: "settings"; readonly settings: ReturnType<typeof settingChanges> }
  /** Only today's documents and settings together change the answer. */
  | { readonly type: "both" };

export function createReplayer({ store, config, encoder, models }: Opened, { scope }: Domains, { settings, open }: Replaying) {
  /** Loads the documents as they were when the answer was made. @throws RequestError `replay_impossible` */
  const corpusOf = async ({ domain, revision }: Pick<StoredRecord, "domain" | "revision">): Promise<ScratchCorpus> => {
    const held = await store.corpusLog.heldAt(domain, revision);
    const documents = await store.corpusLog.past(domain, new Map(held.map(({ id, version }) => [id, version])));
    if (documents.length < held.length) {
      const goneCount = held.length - documents.length;
      throw impossible(`the texts of ${goneCount} of the ${held.length} documents that were searched have been deleted`);
    }
    return { documents, unreadable: await store.corpusLog.unreadable(domain), revision };
  };
  /**
   * Repeats a recorded question on a temporary engine over the given documents, with the recorded model output, time and id.
   * @returns the answer in its stored form
   */
  const askAgain = async (
    { domain, tenant, access, createdAt, id, body }: StoredRecord,
    corpus: ScratchCorpus,
    { pack, profile, threshold }: ScratchSettings,
    signal: AbortSignal | undefined,
  ): Promise<Answer> => {
    const { question, calls } = body as AnswerRecord;
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-replay-"));
    try {
      await fill(join(folder, "sourcebound.db"), pack.name, corpus);
      // Leave out `write` and `write_from`, whose effect the recorded profile includes, and web search, which a replay never uses.
      const { web_search: _web, write: _mode, write_from: _from, ...rest } = embeddedIn(config, folder);
      const quiet = { ...rest, cache: { ...config.cache, enabled: false }, reports: { ...config.reports, enabled: false } };
      const engine = await open(quiet, {
        ...{ encoder, packs: [pack], profiles: [profile], threshold },
        models: playbackModels(models === null ? null : { small: models.small.id, large: models.large.id }, calls),
        now: () => new Date(createdAt),
        createId: () => id,
        warn: () => undefined,
      });
      try {
        const { text, detail, selection, history } = question;
        const request = { profile: question.profile, detail, selection, filters: filtersOf(question), turns: history };
        const answer = await engine.answer(text, { domain, tenant, access, ...request, signal });
        return JSON.parse(JSON.stringify(forStorage(answer, text))) as Answer;
      } finally {
        await engine.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  /** Repeats the question with today's documents and settings. If the answer differs, finds the changes that caused the difference. */
  const compareWithNow = async (made: StoredRecord, signal: AbortSignal | undefined) => {
    const { question } = made.body as AnswerRecord;
    const revision = await store.documents.revision(made.domain);
    const [before, after] = [await corpusOf(made), await corpusOf({ ...made, revision })];
    const old = settingsOf(made);
    const { recorded, ...today } = settings(made.domain, question.profile);
    const was = saidBy(JSON.parse(made.answer) as Answer);
    const ask = async (corpus: ScratchCorpus, given: ScratchSettings) => saidBy(await askAgain(made, corpus, given, signal));
    const now = await ask(after, today);
    const causes: Cause[] = [];
    if (isDeepStrictEqual(was, now)) return { now, changed: false, causes };
    const changes = settingChanges(made.settings as RecordedSettings, recorded);
    if (changes.length > 0 && !isDeepStrictEqual(was, await ask(before, today))) causes.push({ type: "settings", settings: changes });
    const edits = changesBetween(before.documents, after.documents);
    if (edits.length > 0 && !isDeepStrictEqual(was, await ask(after, old))) {
      // Changes of documents with a passage of the answer come first.
      const found = new Set((made.body as AnswerRecord).passages.map(({ documentId }) => documentId));
      const likeliest = edits.toSorted((a, b) => Number(found.has(b.id)) - Number(found.has(a.id)));
      const alone: Cause[] = [];
      for (const { id, path, change } of likeliest.slice(0, EDITS_TRIED)) {
        const edited = after.documents.filter(({ document }) => document.id === id);
        const documents = [...before.documents.filter(({ document }) => document.id !== id), ...edited];
        if (!isDeepStrictEqual(was, await ask({ ...before, documents }, old))) alone.push({ type: "edit", path, change });
      }
      causes.push(...(alone.length > 0 ? alone : [{ type: "edits" as const, paths: edits.map(({ path }) => path) }]));
    }
    return { now, changed: true, causes: causes.length > 0 ? causes : [{ type: "both" as const }] };
  };
  const recordOf = async (id: string, options: TenantOptions) => {
    const asker = scope(options);
    const asked = await visibleRecord(id, asker, store.records);
    return { asker, asked, made: await madeAnswer(asked, store.records) };
  };
  /**
   * Reproduces a stored answer from its recorded documents, settings and model output. `identical` is true if the
   * answers are equal byte for byte, except measured times. `differs` lists the JSON paths that differ. `servedFrom` is
   * the id of the original answer if this one came from the cache.
   * @throws RequestError `unknown_answer`, `replay_impossible` with the reason
   */
  const replay = async (id: string, options: TenantOptions = {}) => {
    const { asker, asked, made } = await recordOf(id, options);
    const corpus = await corpusOf(made);
    if (!(await mayShowRecord(made, asker, store.documents)))
      throw impossible("a document that it depends on was deleted or is not accessible to you");
    const again = await askAgain(made, corpus, settingsOf(made), options.signal);
    const stored = JSON.parse(made.answer) as Answer;
    const differs = differingPlaces(stored, again);
    const { question } = asked.body as AnswerRecord;
    const servedFrom = asked.id === made.id ? null : made.id;
    return { id: asked.id, question: question.text, identical: differs.length === 0, differs, servedFrom, was: saidBy(stored) };
  };
  return {
    replay,
    /** Reproduces an answer, then repeats it with today's documents and settings, and reports the causes of a difference. */
    async replayNow(id: string, options: TenantOptions = {}) {
      const replayed = await replay(id, options);
      const { made } = await recordOf(id, options);
      return { ...replayed, ...(await compareWithNow(made, options.signal)) };
    },
  };
}

/** @throws RequestError `replay_impossible` */
function settingsOf({ settings, body, answer }: Pick<StoredRecord, "settings" | "body" | "answer">): ScratchSettings {
  const { software, checks = FIRST_CHECKS, pack, profile, threshold } = settings as RecordedSettings;
  const run = (version: string) => `Run ${version} on this data folder`;
  if (software !== VERSION)
    throw impossible(`version ${software} of Sourcebound gave it, but this is version ${VERSION}. ${run(`version ${software}`)}`);
  if (checks !== CHECKS_REVISION) {
    const reason = `it was checked by revision ${checks} of the checks, but this program has revision ${CHECKS_REVISION}`;
    throw impossible(`${reason}. ${run("the version of Sourcebound that gave the answer")}`);
  }
  const { calls = null } = body as AnswerRecord;
  if (calls === null) throw impossible("a language model judged its passages, and the replies of the model were not recorded");
  if ((JSON.parse(answer) as Answer).web !== undefined) throw impossible("web pages were used, and they are not recorded");
  return { pack: { ...(pack as DomainPack), folder: "" }, profile: profile as Profile, threshold: threshold as GateThreshold };
}

function impossible(reason: string): RequestError {
  return new RequestError("replay_impossible", `This answer cannot be reproduced: ${reason}.`);
}

function filtersOf({ filters }: AnswerRecord["question"]): FilterRequest | null {
  if (filters === null || filters === undefined) return null;
  const { document, chapter, section, pages } = filters;
  return {
    ...{ document: document ?? undefined, chapter: chapter ?? undefined, section: section ?? undefined },
    page: pages === null ? undefined : `${pages.first}-${pages.last}`,
  };
}

function changesBetween(before: readonly PastDocument[], after: readonly PastDocument[]): DocumentChange[] {
  const old = new Map(before.map(({ document }) => [document.id, document]));
  const young = new Map(after.map(({ document }) => [document.id, document]));
  return [...new Map([...old, ...young]).values()]
    .filter(({ id }) => old.get(id)?.version !== young.get(id)?.version)
    .map(({ id, path }): DocumentChange => ({ id, path, change: !old.has(id) ? "added" : young.has(id) ? "changed" : "deleted" }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export interface DocumentChange {
  readonly id: string;
  readonly path: string;
  readonly change: "added" | "changed" | "deleted";
}

/** The inputs of an answer besides documents. */
interface ScratchSettings {
  readonly pack: DomainPack;
  readonly profile: Profile;
  readonly threshold: GateThreshold;
}

/** The documents of a temporary engine. */
interface ScratchCorpus {
  readonly documents: readonly PastDocument[];
  readonly unreadable: readonly UnreadFile[];
  readonly revision: number;
}

/** Fills a new database with documents, file by file, as if they had been ingested. */
async function fill(path: string, domain: string, { documents, unreadable, revision }: ScratchCorpus): Promise<void> {
  const db = await openSqlite(path);
  try {
    const { documents: store } = createStore(db, { now: () => new Date(0), clock: () => 0 });
    const files = Map.groupBy(documents, ({ file, document }) => JSON.stringify([document.tenant, document.source, file]));
    for (const held of files.values()) {
      const [{ file, document }] = held as [PastDocument];
      const { tenant, source, originalHash, access } = document;
      const content = { originalHash, settings: "", access, documents: held.map((one) => one.document), failure: null };
      await store.putFile({ domain, tenant, source, path: file }, content);
    }
    for (const { tenant, source, path, access, reason } of unreadable) {
      const content = { originalHash: "", settings: "", access, documents: [], failure: reason };
      await store.putFile({ domain, tenant, source, path }, content);
    }
    await db.updateTable("revisions").set({ revision }).where("domain", "=", domain).execute();
  } finally {
    await db.destroy();
  }
}
