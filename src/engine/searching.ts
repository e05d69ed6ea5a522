import type { ParsedDocument } from "../ingest/parse.ts";
import { admit } from "../pipeline/admit.ts";
import { type PipelineContext, SILENT_LOG } from "../pipeline/context.ts";
import { markedSentences } from "../pipeline/correct-answer.ts";
import { retrieve } from "../pipeline/retrieve.ts";
import { rankFor } from "../pipeline/verify.ts";
import { numberSources, type Sources, verifyAgainst } from "../pipeline/verify-answer.ts";
import { RequestError } from "../shared/errors.ts";
import type { Passage, Question, Scope, StoredDocument, Warning } from "../shared/types.ts";
import type { Store } from "../store/store.ts";
import type { createAsking } from "./asking.ts";
import type { Domains } from "./domains.ts";
import type { CheckOptions, GivenSource, SearchOptions } from "./engine-types.ts";
import type { Indexes } from "./indexes.ts";
import type { Opened } from "./open.ts";

/** Default number of passages of a search. */
export const DEFAULT_SEARCH_LIMIT = 10;
/**
 * Limits for checking an answer without given sources. The question and each of the answer's first `sentences`
 * sentences start one search. `passages` limits one search, `documents` all searches together.
 */
const SEARCHED = { sentences: 8, passages: 4, documents: 20 } as const;

/** Creates the methods for search and for checking external answers. Both reuse the pipeline stages that answer questions. */
export function createSearching(
  { config, store, local }: Pick<Opened, "config" | "store" | "local">,
  domains: Pick<Domains, "pack" | "scope">,
  indexes: Pick<Indexes, "of">,
  pipelineContext: ReturnType<typeof createAsking>["pipelineContext"],
) {
  /**
   * Retrieves passages, best first, by the retrieval stages of an answer; stores nothing. `reading` is the
   * cross-encoder's highest log odds among the passage's candidates, or `null` if not scored.
   */
  const search = async (query: string, options: SearchOptions = {}) => {
    const { limit = DEFAULT_SEARCH_LIMIT, signal = new AbortController().signal } = options;
    const pack = domains.pack(options.domain);
    const scope = domains.scope(options);
    await indexes.of(pack.name).ready();
    const asking = await pipelineContext(pack.name, options.profile ?? config.profile ?? pack.default_profile);
    const { profile } = asking;
    const request = {
      ...{ question: query, scope, profile: profile.name, detail: "normal" as const, sessionId: null, selection: null },
      filters: options.filters ?? null,
    };
    const question = await admit(request, asking, SILENT_LOG);
    await asking.turn();
    const wider = { ...profile, retrieve: { ...profile.retrieve, passages: limit } };
    const { passages, ranker, warnings } = await retrieve(question, { ...asking, profile: wider }, SILENT_LOG, signal);
    const given = passages.slice(0, limit);
    const { read, weights } = options.reading === true ? asking.ranking() : NOT_READ;
    const readings = read === null ? [] : await readEach(question, given, asking, signal);
    return {
      passages: given.map((passage, i) => ({ ...passage, reading: readings[i] ?? null })),
      /** Id of the ranking encoder; `null`: passages are ranked by words only. */
      encoder: ranker,
      /** Name of the cross-encoder; `null`: not requested, or unavailable, which adds a warning. */
      reader: read === null ? null : weights.reader.name,
      warnings: options.reading === true && read === null ? [...warnings, NO_READER] : warnings,
    };
  };
  return {
    search,
    /**
     * Checks an external answer against given texts, named documents, or documents that a search finds.
     * @throws RequestError `answer_empty`, `answer_too_long`, `answer_not_text`, `sources_empty`, `unknown_document`
     */
    async check(question: string, answer: string, { sources, documents, profile, signal, ...asked }: CheckOptions = {}) {
      const pack = domains.pack(asked.domain);
      const scope = domains.scope(asked);
      const nearest = async () =>
        nearestDocuments(question, answer, (text) => search(text, { ...asked, limit: SEARCHED.passages, signal }));
      const given = sources !== undefined ? await readGiven(sources) : await loadSources(documents ?? (await nearest()), scope, store);
      if (given.numbered.every(({ document }) => document === null)) {
        const unreadable = given.numbered.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
        const none = "There are no sources to check the answer against. Send sources, or ingest documents first.";
        const failed = `None of the sources could be read: ${unreadable.slice(0, 500)}. Correct them, or send other sources.`;
        throw new RequestError("sources_empty", unreadable === "" ? none : failed);
      }
      return verifyAgainst(question, answer, given, {
        ...{ profile: profile ?? config.profile ?? pack.default_profile, domain: pack, tenant: scope.tenant, signal },
        support: local.support,
      });
    },
  };
}

export type SearchResult = Awaited<ReturnType<ReturnType<typeof createSearching>["search"]>>;
export type FoundPassage = SearchResult["passages"][number];

const NOT_READ = { read: null, weights: null };
const NO_READER: Warning = {
  code: "reader_missing",
  message:
    "The passages have no `reading` score, because the cross-encoder is not available on this server. The server log gives the reason.",
};

/** Returns, for each passage, the cross-encoder's highest log odds among its candidates; `null`: not scored. */
async function readEach(question: Question, passages: readonly Passage[], context: PipelineContext, signal: AbortSignal) {
  const readings: (number | null)[] = [];
  for (const passage of passages) {
    await context.turn();
    const { candidates } = await rankFor(question, [{ passage }], context, signal);
    const read = candidates.flatMap(({ cross }) => cross ?? []);
    readings.push(read.length === 0 ? null : Math.max(...read));
  }
  return readings;
}

async function readGiven(sources: readonly GivenSource[]): Promise<Sources> {
  const { readDocuments } = await import("../ingest/parse.ts");
  return numberSources(
    sources.map(({ name, text }) => {
      const path = /\.[a-z0-9]{1,8}$/i.test(name) ? name : `${name}.md`;
      return { path: name, read: () => readDocuments({ path, bytes: new TextEncoder().encode(text) }) };
    }),
  );
}

/** Returns ids of the documents that searches for the question and the answer's first sentences find, best first. */
async function nearestDocuments(question: string, answer: string, search: (text: string) => Promise<SearchResult>): Promise<string[]> {
  const sentences = markedSentences(answer).map(({ start, end }) => answer.slice(start, end).replaceAll(/\[\d+\]/g, ""));
  const found = new Set<string>();
  for (const text of [question, ...sentences.slice(0, SEARCHED.sentences)]) {
    try {
      for (const { document } of (await search(text)).passages) found.add(document.id);
    } catch (error) {
      // A sentence may be invalid as a question, for instance too long. Skip it.
      if (!(error instanceof RequestError) || text === question) throw error;
    }
  }
  return [...found].slice(0, SEARCHED.documents);
}

/** @throws RequestError `unknown_document`, also if the scope may not see it */
async function loadSources(ids: readonly string[], scope: Scope, { documents }: Pick<Store, "documents">): Promise<Sources> {
  const loaded = await documents.load(scope, [...new Set(ids)]);
  return {
    numbered: ids.map((id) => {
      const document = loaded.get(id);
      if (document !== undefined) return { path: document.path, document: parsedOf(document), reason: "" };
      const message = `There is no document "${id.slice(0, 100)}". GET /v1/documents lists the documents.`;
      throw new RequestError("unknown_document", message, { id });
    }),
    unnumbered: [],
  };
}

function parsedOf(document: StoredDocument): ParsedDocument {
  const { title, description, url, asOf, authority, topic, subtopic, type, pages = null } = document;
  const reading = document.reading ?? { format: "text", unit: "utf16" as const, encoding: "utf-8", places: null, notices: [] };
  return { ...document, metadata: { title, description, url, asOf, authority, topic, subtopic, type }, pages, reading };
}
