import { randomBytes } from "node:crypto";
import { OpenSearchConnection } from "../../src/retrieval/opensearch/connection.ts";

/** Addresses of a cluster's nodes, separated by commas. */
const addresses = process.env.OPENSEARCH_FOR_TESTS ?? "";

export const openSearchNodes: readonly string[] = addresses === "" ? [] : addresses.split(",");

/** Reason why OpenSearch is unavailable; `null`: it is available. */
export const whyNoOpenSearch = openSearchNodes.length > 0 ? null : "OPENSEARCH_FOR_TESTS names no node";
if (whyNoOpenSearch !== null) process.stderr.write(`tests on OpenSearch are skipped: ${whyNoOpenSearch}\n`);

/** Returns a connection to the cluster, and a prefix that no other test uses. */
export function connectOpenSearch(nodes: readonly string[] = openSearchNodes) {
  return { connection: new OpenSearchConnection({ nodes, timeoutMs: 10_000 }), prefix: `test-${randomBytes(6).toString("hex")}` };
}

/** Deletes all indexes of a prefix. */
export async function deleteIndexes(connection: OpenSearchConnection, prefix: string): Promise<void> {
  const { z } = await import("zod");
  const path = (index: string) => `/${index}`;
  const found = await connection.find({ method: "GET", path: path(`${prefix}*`), schema: z.record(z.string(), z.unknown()) });
  for (const index of Object.keys(found ?? {})) await connection.find({ method: "DELETE", path: path(index), schema: z.unknown() });
}
