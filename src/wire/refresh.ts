import { z } from "zod";
import type { RefreshResult } from "../engine/service-types.ts";

export const refreshRequestSchema = z
  .strictObject({ domain: z.string().min(1).optional().describe("Body of knowledge; the server's default domain when absent.") })
  .describe("POST /v1/admin/refresh; the body may be absent");

export type RefreshRequest = z.output<typeof refreshRequestSchema>;

export const refreshResponseSchema = z
  .object({
    status: z.enum(["ok", "partly"]).describe("`partly`: a source or a file could not be read; what was known of the source stays."),
    domain: z.string(),
    sources: z
      .array(
        z.object({
          source: z.string(),
          tenant: z.string().nullable(),
          counts: z
            .object({
              total: z.int(),
              added: z.int(),
              changed: z.int(),
              unchanged: z.int(),
              renamed: z.int(),
              deleted: z.int(),
              failed: z.int(),
            })
            .nullable()
            .describe("Files; `null` when the source could not be read."),
          failure: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      )
      .describe("Every folder that was ingested, read again as it was then."),
    documents: z.int(),
    windows: z.int().describe("Indexed units."),
    revision: z.int(),
    cache_before: z.int().describe("Stored answers of the domain."),
    cache_after: z.int(),
    latency_ms: z.number(),
  })
  .describe("Response of POST /v1/admin/refresh");

export function refreshToWire({ sources, cache, ms, ...result }: RefreshResult): z.infer<typeof refreshResponseSchema> {
  return {
    ...result,
    sources: sources.map(({ counts, ...source }) => {
      if (counts === null) return { ...source, counts };
      const { done: _, bytes: __, ...files } = counts;
      return { ...source, counts: files };
    }),
    cache_before: cache.before,
    cache_after: cache.after,
    latency_ms: ms,
  };
}
