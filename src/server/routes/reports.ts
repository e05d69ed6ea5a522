import type { Engine } from "../../engine/engine.ts";
import { toSnakeCase } from "../../text/snake-case.ts";
import { reportsQuerySchema, scopeQuerySchema } from "../../wire/service.ts";
import { callerOf, narrow } from "../access/caller.ts";
import type { Handlers } from "../mount.ts";
import { cursorAt, offsetOf } from "../page.ts";
import { partOf, queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type ReportEngine = Pick<Engine, "reports" | "report">;

/** Diagnostic reports, for reviewers, of their scope. */
export function reportHandlers(engine: ReportEngine): Handlers {
  return {
    reports: async (context) => {
      const { domain, tenant, topic, since, limit, cursor } = queryOf(context, reportsQuerySchema);
      const offset = offsetOf(cursor);
      const { total, topics, reports } = await engine.reports({
        ...narrow(callerOf(context), { domain, tenant }),
        topic: topic === "none" ? null : topic,
        since: since === undefined ? undefined : new Date(since),
        ...{ limit, offset, signal: context.req.raw.signal },
      });
      const items = toSnakeCase(reports);
      return context.json({ total, topics: toSnakeCase(topics), items, next_cursor: cursorAt(offset + limit, total) });
    },
    report: async (context) => {
      const scope = narrow(callerOf(context), queryOf(context, scopeQuerySchema));
      return context.json(toSnakeCase(await engine.report(partOf(context, "id"), scope)));
    },
  };
}
