import { scaleFor } from "../models/calibration/calibration.ts";
import type { SwitchState } from "../retrieval/encoder-switch.ts";
import { assertCanRetrieve, type Retrieved, retrievePassages } from "../retrieval/retrieve.ts";
import { questionWords, type Understood } from "../retrieval/understand.ts";
import type { Question, Scope, Warning } from "../shared/types.ts";
import type { Store } from "../store/store.ts";
import type { PipelineContext, StageLog } from "./context.ts";

/** @throws UnavailableError if the profile needs an encoder and none is configured */
export function assertCanRun({ profile, encoder }: Pick<PipelineContext, "profile" | "encoder">): void {
  assertCanRetrieve(profile.name, profile.needs.includes("encoder"), encoder);
}

export async function retrieve(question: Question, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { profile, corpus } = context;
  const found = await retrievePassages(question, profile.retrieve, context, signal);
  const { passages, ranker, denseFailure, embedding, reranker, rerankFailure } = found;
  const understood = await corpus.understand(question, profile.retrieve.query);
  logUnderstood(understood, log);
  log.fact("passages", passages.length);
  log.fact("ranking", ranker !== null ? (profile.retrieve.bm25 ? "hybrid" : "dense") : "bm25");
  log.fact("encoder", ranker?.id ?? null);
  log.fact("reranker", reranker);
  if (corpus.switching !== null) noticeSwitch(corpus.switching, log);
  if (rerankFailure !== null)
    log.notice("rerank_failed", `The passages could not be reranked, so they keep the order of the search: ${rerankFailure}`);
  if (found.denseFailedIn === "index")
    log.notice("index_full", `The vector index is full, so some texts are found by words only: ${denseFailure}`);
  else if (denseFailure !== null)
    log.notice("dense_failed", `The search by vectors failed, so passages were ranked by words only: ${denseFailure}`);
  /** Converts between cosines of the encoder for which the profile's thresholds were chosen and cosines of the encoder that ranked. */
  const scale = scaleFor(profile.thresholdsOf, ranker, context.calibrations);
  const warnings: readonly Warning[] = [...readAs(question, understood), ...retrievalWarnings(found), ...behind(corpus.mayLag)];
  // `embedding`: token cost of the question's vector at an endpoint; `ranker`: id of the encoder that ranked, `null`: BM25 alone.
  return { passages, embedding, ranker: ranker?.id ?? null, scale, warnings };
}
export type Found = Awaited<ReturnType<typeof retrieve>>;

/** Start of the warning after a failed dense retrieval, by what failed. Error details are in the trace only. */
const DENSE_FAILED = {
  store: "Document vectors could not be read from or written to the data folder (the disk may be full)",
  encoder: "The encoder failed or could not be reached",
} as const;

const INDEX_FULL: Warning = {
  code: "index_full",
  message: "The vector index of this server is full, so the newest documents are found by words only. Ask your administrator.",
};

/** Returns a warning if a shared search engine lacks recent changes. */
function behind(mayLag: boolean): Warning[] {
  const message = "The newest changes of the documents are still being indexed, so this answer may lack them. Ask again in a moment.";
  return mayLag ? [{ code: "index_behind", message }] : [];
}

function retrievalWarnings({ denseFailedIn }: Retrieved): Warning[] {
  if (denseFailedIn === null) return [];
  if (denseFailedIn === "index") return [INDEX_FULL];
  return [{ code: "dense_failed", message: `${DENSE_FAILED[denseFailedIn]}; passages were ranked by words only.` }];
}

function noticeSwitch({ from, to, done, total, failure }: SwitchState, log: StageLog): void {
  const serves = from === null ? "ranking uses words only" : `ranking uses ${from}`;
  if (failure === null) log.notice("encoder_switch", `${serves} until the vectors of ${to} are computed (${done} of ${total})`);
  else log.notice("encoder_switch_failed", `${serves}; computing the vectors of ${to} failed and will be retried: ${failure}`);
}

/** Logs how the question was interpreted: type, corrections, synonyms and codes. */
function logUnderstood({ type, repairs, equivalents, codes }: Understood, log: StageLog): void {
  log.fact("question_type", type);
  log.fact("repaired", repairs.map(({ written, read }) => `${written}→${read}`).join(", ") || null);
  log.fact("also_searched", [...new Set(equivalents.map(({ to }) => to))].join(", ") || null);
  log.fact("codes", codes.join(", ") || null);
}

/** Returns a warning for each corrected word. It says how to search for the original spelling. */
function readAs({ text }: Question, { repairs }: Understood): Warning[] {
  return repairs.map(({ written, read }) => ({
    code: "read_as",
    message: `No document contains "${written}", so it was read as "${read}". To search for the original spelling, put it in quotation marks.`,
    askInstead: text.replaceAll(/[\p{L}]+/gu, (word) => (word.toLowerCase() === written ? `"${word}"` : word)),
  }));
}

/** Returns the words of a question, with their statistics in the documents that the asker may see. */
export async function wordsFor(question: Question, { corpus, profile }: Pick<PipelineContext, "corpus" | "profile">) {
  const { query } = profile.retrieve;
  const { text, resolved, scope } = question;
  const understood = await corpus.understand(question, query);
  const own = text === resolved ? understood : await corpus.understand({ resolved: text, scope }, query);
  return questionWords(understood, own, await corpus.wordsIn(scope, [text, resolved, understood.text, own.text]));
}

/** Describes how filters and selection limit the search; `null` if they do not. */
export async function searchedWithin(
  { filters, selection, scope }: Pick<Question, "filters" | "selection" | "scope">,
  { documents }: Pick<Store, "documents">,
): Promise<string | null> {
  const selected = selection === null ? null : (await documents.load(scope, [selection.documentId])).get(selection.documentId);
  const places = [
    ...(filters ? [filters.searchedIn] : []),
    ...(selection === null ? [] : [selected ? `the selected text of "${selected.title}"` : "the selected text"]),
  ];
  return places.length === 0 ? null : places.join(", ");
}

/** Warns that documents may be missing, because an ingest is incomplete. */
export async function unfinishedWarnings(scope: Scope, { store }: PipelineContext): Promise<Warning[]> {
  const files = (await store.unfinished.list(scope)).reduce((sum, n) => sum + n, 0);
  if (files === 0) return [];
  const message = `Documents may be missing: the ingest of ${files === 1 ? "one file" : `${files} files`} is not complete. If it was interrupted, run \`sourcebound ingest\` again to continue it.`;
  return [{ code: "ingest_unfinished", message }];
}
