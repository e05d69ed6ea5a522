import type { Kysely, Transaction } from "kysely";
import type { Scope } from "../shared/types.ts";
import type { DiagnosticReport, StoredReport } from "./diagnostic-report.ts";
import { ALL_ROWS, equal } from "./dialect.ts";
import type { Interaction } from "./interaction.ts";
import type { Database } from "./schema.ts";

/** A report to store with its interaction. */
export interface NewReport {
  readonly id: string;
  /** Slug of the main topic. */
  readonly topic: string | null;
  readonly report: DiagnosticReport;
  /** Limits of retention: maximum age in days, and maximum number of reports per domain and tenant. The oldest are deleted. */
  readonly days: number;
  readonly entries: number;
}

export interface ReportSelection {
  /** Selects reports of this domain and tenant. The scope must have all access labels of a report. */
  readonly scope: Scope;
  /** Slug; `null`: reports without a topic; absent: all. */
  readonly topic?: string | null | undefined;
  /** Earliest creation time. */
  readonly since: Date;
}

/** Number of rows per read. */
const PAGE = 500;
/** A text after every ISO time. */
const AFTER_ALL = "a";

/** Returns the time `days` days before `now`, at the earliest the start of 1970. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(Math.max(0, now.getTime() - days * 86_400_000));
}

/** Inserts a report in the transaction of its interaction. Deletes reports beyond the limits of retention. */
export async function insertReport(
  trx: Transaction<Database>,
  { id, domain, tenant, access, profile, confidence }: Interaction,
  report: NewReport,
  now: Date,
): Promise<void> {
  const owner = { domain, tenant: tenant ?? "" };
  const row = {
    ...{ ...owner, id: report.id, interactionId: id, profile, confidence, createdAt: now.toISOString() },
    ...{ access: JSON.stringify([...new Set(access)].sort()), topic: report.topic ?? "", report: JSON.stringify(report.report) },
  };
  await trx.insertInto("reports").values(row).execute();
  await trx.deleteFrom("reports").where("createdAt", "<", daysBefore(now, report.days).toISOString()).execute();
  const newest = trx.selectFrom("reports").select("id").where(equal(owner)).orderBy("createdAt", "desc").orderBy("id", "desc");
  await trx.deleteFrom("reports").where("id", "in", newest.limit(ALL_ROWS).offset(report.entries)).execute();
}

export function createReportStore(db: Kysely<Database>) {
  /**
   * Returns a query for the selected reports that the scope may see. Lists of access labels are compared in this
   * process, because the JSON functions of the databases differ.
   */
  const select = async ({ scope, since, topic }: ReportSelection) => {
    const place = { "reports.domain": scope.domain, "reports.tenant": scope.tenant ?? "" };
    const owned = db.selectFrom("reports").where(equal(place)).where("reports.createdAt", ">=", since.toISOString());
    const lists = (await owned.select("reports.access").distinct().execute()).map(({ access }) => access);
    const covered = lists.filter((access) => (JSON.parse(access) as string[]).every((label) => scope.access.includes(label)));
    const rows = owned
      .where("reports.access", "in", covered.length === 0 ? [""] : covered)
      .$if(topic !== undefined, (query) => query.where("reports.topic", "=", topic ?? ""))
      .innerJoin("interactions", "interactions.id", "reports.interactionId")
      .select(["reports.id", "reports.interactionId", "reports.domain", "reports.tenant", "reports.profile", "reports.topic"])
      .select(["reports.createdAt", "reports.report", "interactions.question"])
      .orderBy("reports.createdAt", "desc")
      .orderBy("reports.id", "desc");
    // An object, because a promise of a query would execute it.
    return { rows };
  };
  return {
    /** Yields the selected reports, newest first, read in pages. */
    async *each(selection: ReportSelection): AsyncGenerator<StoredReport, void> {
      const { rows } = await select(selection);
      for (let last: StoredReport | undefined; ; ) {
        const { createdAt, id } = last ?? { createdAt: AFTER_ALL, id: "" };
        const after = rows.where((eb) => eb(eb.refTuple("reports.createdAt", "reports.id"), "<", eb.tuple(createdAt, id)));
        const page = (await after.limit(PAGE).execute()).map(fromRow);
        yield* page;
        last = page.at(-1);
        if (page.length < PAGE) return;
      }
    },
    /** Returns one page, newest first. */
    async list(
      selection: ReportSelection,
      { limit, offset }: { readonly limit: number; readonly offset: number },
    ): Promise<StoredReport[]> {
      const { rows } = await select(selection);
      return (await rows.limit(limit).offset(offset).execute()).map(fromRow);
    },
    /** Finds a report by its own id or that of its interaction; `null`: none that the scope may see. */
    async get(id: string, selection: Omit<ReportSelection, "topic">): Promise<StoredReport | null> {
      const { rows } = await select(selection);
      const row = await rows.where((eb) => eb.or({ "reports.id": id, "reports.interactionId": id })).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
  };
}

type ReportRow = Omit<StoredReport, "tenant" | "topic" | "report"> & Pick<Database["reports"], "tenant" | "topic" | "report">;

function fromRow({ tenant, topic, report, ...row }: ReportRow): StoredReport {
  return { ...row, tenant: tenant || null, topic: topic || null, report: JSON.parse(report) as DiagnosticReport };
}
