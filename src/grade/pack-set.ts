import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadDomain } from "../engine/domain.ts";
import { RequestError } from "../errors.ts";
import { type GoldenSet, readGoldenSet } from "./golden-set.ts";

/**
 * The golden set that a domain pack brings, over the pack's own documents.
 * @param domainsDir packs of one's own
 * @throws RequestError `golden_missing` when it brings none
 */
export function packSet(name: string, domainsDir: string | undefined): GoldenSet {
  const pack = loadDomain(name, domainsDir);
  if (pack.golden === null || !existsSync(join(pack.folder, pack.golden)))
    throw new RequestError("golden_missing", `The pack "${name}" brings no golden set: give --corpus and --golden.`, { domain: name });
  const set = readGoldenSet({ name, corpus: pack.folder, golden: join(pack.folder, pack.golden) });
  const tenants = Object.entries(pack.tenants).flatMap(([tenant, { documents }]) =>
    documents === null ? [] : [[tenant, join(pack.folder, documents)] as const],
  );
  return { ...set, documents: join(pack.folder, pack.documents.path), tenants: Object.fromEntries(tenants) };
}
