import { createMemory, type Memory } from "../memory/memory.ts";
import { createReportGrouping, type ReportOverview } from "../memory/recommend.ts";
import { withoutDocuments } from "../memory/report.ts";
import type { AnswerRecord } from "../pipeline/assemble.ts";
import { bindCorrection } from "../pipeline/correct-answer.ts";
import { searchedWithin } from "../pipeline/retrieve.ts";
import { applyFilters } from "../retrieval/retrieve.ts";
import { RequestError } from "../shared/errors.ts";
import type { AppliedFilters, Scope } from "../shared/types.ts";
import type { StoredReport } from "../store/diagnostic-report.ts";
import { daysBefore } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import type { ContextFor } from "./asking.ts";
import { assertNamed, type DomainPack, scopeOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { ProveOptions, ReportOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";

/** Creates the memory of questions. A correction by a reviewer must pass the checks of the profile with which the question was asked. */
export function createBoundMemory(opened: Opened, domains: Domains, contextFor: ContextFor): Memory {
  const { store, config, retention, createId } = opened;
  return createMemory({
    ...{ store, retention, createId },
    privacy: config.privacy,
    sessionTurns: config.session.turns,
    keepsFlagged: config.cache.serve_flagged,
    domain: (name) => domains.pack(name).name,
    async within(asked) {
      const ids = asked.map(({ id }) => id);
      const recorded = await recordedQuestions(ids, store);
      const limits = new Map<string, string>();
      for (const { id, scope } of asked) {
        const { filters = null, selection = null } = recorded.get(id) ?? {};
        const words = await searchedWithin({ filters: await named(filters, scope, store), selection, scope }, store);
        if (words !== null) limits.set(id, words);
      }
      return limits;
    },
    async bind({ id: asked, domain, tenant, access, profile, question }, before, id, text) {
      const pack = domains.pack(domain);
      const recorded = (await recordedQuestions([asked], store)).get(asked);
      // Without the record, the question's filters are unknown, and thus the documents that a correction may quote.
      if (recorded === undefined) {
        const message = `The answer ${asked} cannot be corrected, because it is no longer known which documents its question was limited to. Ask the question again, and correct the new answer.`;
        throw new RequestError("review_stale", message, { id: asked });
      }
      const cited = new Map(before.citations.map(({ n, documentId }) => [n, documentId]));
      const scope = scopeOf(pack, tenant, access);
      // Apply the recorded filters to today's documents.
      const { filters = null, ...rest } = recorded;
      const limited = await applyFilters(filters, scope, store.documents);
      const again = { ...rest, text: question, scope, sessionId: null, injectionSignals: [], ...limited };
      const context = contextFor(pack, domains.profile(pack, profile), { type: "shipped" });
      return bindCorrection({ id, text, question: again, cited }, context);
    },
  });
}

type RecordedQuestion = AnswerRecord["question"];

async function recordedQuestions(ids: readonly string[], { records }: Pick<Store, "records">): Promise<Map<string, RecordedQuestion>> {
  const bodies = await records.bodies(ids);
  return new Map([...bodies].map(([id, body]) => [id, (body as AnswerRecord).question]));
}

/**
 * Describes the filters of a recorded question with the titles of today's documents. If the filters no longer apply,
 * e.g. because a document is deleted or hidden from the user, the description names no document.
 */
async function named(filters: AppliedFilters | null | undefined, scope: Scope, { documents }: Store): Promise<AppliedFilters | null> {
  if (!filters) return null;
  try {
    return (await applyFilters(filters, scope, documents)).filters ?? null;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { ...filters, searchedIn: "a part of the documents that no longer exists" };
  }
}

/** Creates methods that read the unexpired reports of a tenant, as far as the configured access labels permit. */
export function createReportReader({ store, config, now }: Opened, { pack: packNamed }: Domains) {
  const selectionFor = (pack: DomainPack, { tenant, since, access }: ReportOptions) => {
    const kept = daysBefore(now(), config.reports.days);
    return { scope: scopeOf(pack, tenant, access ?? config.access), since: since === undefined || since < kept ? kept : since };
  };
  return {
    /**
     * Returns diagnostic reports of questions that were refused, answered with low confidence or warned about: groups
     * by topic (largest first) and the newest reports. A report is included only if it is of exactly this tenant and the
     * caller has all its access labels.
     * @throws RequestError `unknown_topic`
     */
    async reports(options: ReportOptions = {}): Promise<ReportOverview> {
      const { domain: name, tenant, access, topic, since, limit = DEFAULT_REPORT_LIMIT, offset = 0, signal } = options;
      const pack = packNamed(name);
      const selection = { ...selectionFor(pack, { tenant, since, access }), topic: topicNamed(pack, topic) };
      const grouping = createReportGrouping(pack.topics);
      const read = createReading(selection.scope, store);
      for await (const report of store.reports.each(selection)) {
        signal?.throwIfAborted();
        grouping.add(await read(report));
      }
      const listed = await store.reports.list(selection, { limit, offset });
      return { total: grouping.total, topics: grouping.groups(), reports: await Promise.all(listed.map(read)) };
    },
    /**
     * Returns a report by its own id or the id of its answer, with previews of passages in unchanged documents.
     * @throws RequestError `unknown_report`
     */
    async report(id: string, { domain: name, tenant, access }: ProveOptions = {}): Promise<StoredReport> {
      const pack = packNamed(name);
      const selection = selectionFor(pack, { tenant, access });
      const stored = await store.reports.get(id, selection);
      if (stored === null) {
        const ofTenant = selection.scope.tenant === null ? "" : ` of tenant "${selection.scope.tenant}"`;
        const message = `Report "${id.slice(0, 100)}" was not found in domain "${pack.name}"${ofTenant}, or you may not see it. \`sourcebound reports\` lists the reports.`;
        throw new RequestError("unknown_report", message, { id });
      }
      return withPreviews(await createReading(selection.scope, store)(stored), selection.scope, store);
    },
  };
}

/** Default number of single reports in an overview, below the groups by topic. */
const DEFAULT_REPORT_LIMIT = 10;
/** Maximum characters of a passage preview. */
const PREVIEW_CHARACTERS = 160;

/** Creates a function that removes from reports all documents that the scope may no longer see. Each document is looked up once. */
function createReading(scope: Scope, { documents }: Pick<Store, "documents">): (stored: StoredReport) => Promise<StoredReport> {
  const known = new Map<string, boolean>();
  return async (stored) => {
    const unknown = stored.report.passages.map(({ documentId }) => documentId).filter((id) => !known.has(id));
    const seen = unknown.length === 0 ? new Set() : await documents.visible(scope, [...new Set(unknown)]);
    for (const id of unknown) known.set(id, seen.has(id));
    return { ...stored, report: withoutDocuments(stored.report, (id) => known.get(id) === true) };
  };
}

/** Adds previews of passages whose document version is unchanged. */
async function withPreviews(stored: StoredReport, scope: Scope, store: Store): Promise<StoredReport> {
  const { passages } = stored.report;
  const documents = await store.documents.load(scope, [...new Set(passages.map(({ documentId }) => documentId))]);
  const shown = passages.map((passage) => {
    const document = documents.get(passage.documentId);
    const current = document?.version === passage.documentVersion ? document : null;
    const { start, end } = passage.range;
    return { ...passage, preview: current?.text.slice(start, Math.min(end, start + PREVIEW_CHARACTERS)) ?? null };
  });
  return { ...stored, report: { ...stored.report, passages: shown } };
}

/** @throws RequestError `unknown_topic` with the nearest known name */
function topicNamed({ name, topics }: DomainPack, slug: string | null | undefined): string | null | undefined {
  if (slug === null || slug === undefined) return slug;
  const known = topics.map((topic) => topic.slug);
  return assertNamed("topic", slug, known, name, "The domain pack declares no topics.");
}
