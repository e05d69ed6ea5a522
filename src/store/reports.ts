import type { Kysely, Transaction } from "kysely";
import type { Scope } from "../shared/types.ts";
import type { DiagnosticReport, StoredReport } from "./diagnostic-report.ts";
import { ALL_ROWS } from "./dialect.ts";
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
  await trx
    .insertInto("reports")
    .values({
      ...{ ...owner, id: report.id, interactionId: id, profile, confidence, createdAt: now.toISOString() },
      ...{ access: JSON.stringify([...new Set(access)].sort()), topic: report.topic ?? "", report: JSON.stringify(report.report) },
    })
    .execute();
  await trx.deleteFrom("reports").where("createdAt", "<", daysBefore(now, report.days).toISOString()).execute();
  await trx
    .deleteFrom("reports")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("reports")
        .select("id")
        .where(({ and }) => and(owner))
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(ALL_ROWS)
        .offset(report.entries),
    )
    .execute();
}

export function createReportStore(db: Kysely<Database>) {
  const owned = ({ scope, since }: ReportSelection) =>
    db
      .selectFrom("reports")
      .where("reports.domain", "=", scope.domain)
      .where("reports.tenant", "=", scope.tenant ?? "")
      .where("reports.createdAt", ">=", since.toISOString());
  /**
   * Returns those of the stored lists of access labels that the scope covers. They are compared in this process,
   * because the JSON functions of the databases differ.
   */
  const coveredLists = async (selection: ReportSelection) => {
    const rows = await owned(selection).select("reports.access").distinct().execute();
    return rows.map(({ access }) => access).filter((access) => covers(selection.scope, access));
  };
  const rowsOf = (selection: ReportSelection, lists: readonly string[]) =>
    owned(selection)
      .where("reports.access", "in", lists.length === 0 ? [""] : lists)
      .$if(selection.topic !== undefined, (query) => query.where("reports.topic", "=", selection.topic ?? ""))
      .innerJoin("interactions", "interactions.id", "reports.interactionId")
      .select(["reports.id", "reports.interactionId", "reports.domain", "reports.tenant", "reports.profile", "reports.topic"])
      .select(["reports.createdAt", "reports.report", "interactions.question"])
      .orderBy("reports.createdAt", "desc")
      .orderBy("reports.id", "desc");
  return {
    /** Yields the selected reports, newest first, read in pages. */
    async *each(selection: ReportSelection): AsyncGenerator<StoredReport, void> {
      const lists = await coveredLists(selection);
      let last: StoredReport | undefined;
      do {
        const from = last;
        const rows = await rowsOf(selection, lists)
          .$if(from !== undefined, (q) => {
            const { createdAt, id } = from as StoredReport;
            return q.where((eb) =>
              eb.or([
                eb("reports.createdAt", "<", createdAt),
                eb.and([eb("reports.createdAt", "=", createdAt), eb("reports.id", "<", id)]),
              ]),
            );
          })
          .limit(PAGE)
          .execute();
        const page = rows.map(fromRow);
        yield* page;
        last = page.length < PAGE ? undefined : page.at(-1);
      } while (last !== undefined);
    },
    /** Returns one page, newest first. */
    async list(
      selection: ReportSelection,
      { limit, offset }: { readonly limit: number; readonly offset: number },
    ): Promise<StoredReport[]> {
      const rows = await rowsOf(selection, await coveredLists(selection))
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(fromRow);
    },
    /** Finds a report by its own id or that of its interaction; `null`: none that the scope may see. */
    async get(id: string, selection: Omit<ReportSelection, "topic">): Promise<StoredReport | null> {
      const row = await rowsOf(selection, await coveredLists(selection))
        .where((eb) => eb.or([eb("reports.id", "=", id), eb("reports.interactionId", "=", id)]))
        .executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
  };
}

function covers(scope: Scope, access: string): boolean {
  return (JSON.parse(access) as string[]).every((label) => scope.access.includes(label));
}

type ReportRow = Omit<StoredReport, "tenant" | "topic" | "report"> & Pick<Database["reports"], "tenant" | "topic" | "report">;

function fromRow({ tenant, topic, report, ...row }: ReportRow): StoredReport {
  return { ...row, tenant: tenant || null, topic: topic || null, report: JSON.parse(report) as DiagnosticReport };
}
