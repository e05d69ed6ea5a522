import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FillingTurn } from "../retrieval/domain-index.ts";
import type { OpenSearchEngine } from "../retrieval/opensearch/opensearch-engine.ts";
import type { SearchConfig } from "../shared/config/search.ts";
import { ConfigError, messageOf } from "../shared/errors.ts";
import type { Store } from "../store/store.ts";

/** Milliseconds of silence of the writing process after which another process may fill the index. */
const LEASE_MS = 15_000;

interface ClusterParts {
  readonly store: Pick<Store, "documents" | "leases">;
  /** Id of the store, recorded in each index. */
  readonly storeId: string;
  readonly createId: () => string;
}

/** An OpenSearch cluster with an index per domain. */
export interface SearchCluster {
  /** @param rebuild true to build a new index while the current one serves */
  engine(domain: string, rebuild: boolean): OpenSearchEngine;
  /** Returns a function that lets this process fill the domain's engine when it is its turn. */
  filling(domain: string): FillingTurn;
  close(): Promise<void>;
}

/**
 * Opens the configured cluster. It is first asked when a domain is used.
 * @throws ConfigError `config_invalid` when the certificate cannot be read
 */
export async function openSearchCluster(search: SearchConfig, { store, storeId, createId }: ClusterParts): Promise<SearchCluster> {
  // Loaded only if configured.
  const { OpenSearchConnection } = await import("../retrieval/opensearch/connection.ts");
  const { OpenSearchEngine } = await import("../retrieval/opensearch/opensearch-engine.ts");
  const { url, username, password, aws, ca, prefix, shards, timeout_ms: timeoutMs } = search;
  const connection = new OpenSearchConnection({
    ...{ nodes: [url].flat(), timeoutMs },
    basic: username === undefined ? undefined : { username, password },
    aws: aws === undefined ? undefined : { region: aws.region, keys: keysOf(aws) },
    ca: ca === undefined ? undefined : readCertificate(ca),
  });
  return {
    engine: (domain, rebuild) =>
      new OpenSearchEngine({
        ...{ connection, prefix, domain, store: storeId, shards, createId, rebuild },
        isCurrent: async (scope, ids) => {
          const versions = await store.documents.versions(scope, ids);
          return (id, version) => versions.get(id) === version;
        },
      }),
    filling(domain) {
      const name = `search index of ${domain}`;
      const holder = randomUUID();
      return async (work) => {
        if (!(await store.leases.take(name, holder, LEASE_MS))) return false;
        const renewing = setInterval(() => void store.leases.take(name, holder, LEASE_MS).catch(() => undefined), LEASE_MS / 3);
        try {
          await work();
          return true;
        } finally {
          clearInterval(renewing);
          await store.leases.release(name, holder).catch(() => undefined);
        }
      };
    },
    close: () => connection.close(),
  };
}

function keysOf({ access_key_id, secret_access_key, session_token }: NonNullable<SearchConfig["aws"]>) {
  if (access_key_id === undefined) return undefined;
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError("config_invalid", `search.ca: ${path} cannot be read (${messageOf(cause)}).`, { path }, { cause });
  }
}
