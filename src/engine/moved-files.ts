import { join, sep } from "node:path";
import type { BackupLine } from "../store/backup.ts";
import type { Database } from "../store/schema.ts";
import { folderOf, labelOf } from "./upload-folders.ts";
import { workSchema } from "./work.ts";

/**
 * What a data folder holds as files and PostgreSQL in tables: uploads, pages of the web and what was handed over in `originals`, the key of proofs in `meta`.
 * Names are paths below the data folder, with `/`.
 */
export const PROOF_KEY_FILE = "proof-key.pem";
const PROOF_KEY_FACT = "fact:proof-key";

type Row = Extract<BackupLine, { table: string }>;
type OriginalPlace = Pick<Database["originals"], "domain" | "tenant" | "label" | "path">;

/** The row that holds a file in PostgreSQL; `null`: a part of a file that a killed process left. */
export function rowOfFile(
  name: string,
  bytes: Uint8Array,
): { table: "meta"; row: Database["meta"] } | { table: "originals"; row: Database["originals"] } | null {
  if (name === PROOF_KEY_FILE) return { table: "meta", row: { key: PROOF_KEY_FACT, value: Buffer.from(bytes).toString("utf8") } };
  const place = placeOf(name);
  return place === null ? null : { table: "originals", row: { ...place, bytes, updatedAt: new Date(0).toISOString() } };
}

function placeOf(name: string): OriginalPlace | null {
  const [kind, domain = "", tenant = "", folder = "", ...rest] = name.split("/");
  const label = kind === "uploads" ? labelOf(folder) : `${kind} ${folder}`;
  const path = rest.join("/");
  if (domain.startsWith(".") || folder.startsWith(".") || label === null || path === "") return null;
  return { domain, tenant: tenant === "_" ? "" : tenant, label, path };
}

/** Labels under which pages of the web and what was handed over lie in PostgreSQL. */
const SOURCE_LABEL = /^(web|input) ([0-9a-f]{16})$/;

/** The file that a data folder has in place of a row; `null`: it keeps the row. */
export function fileOfRow({ table, row }: Row): { readonly name: string; readonly bytes: Buffer } | null {
  if (table === "meta" && row.key === PROOF_KEY_FACT) return { name: PROOF_KEY_FILE, bytes: Buffer.from(String(row.value), "utf8") };
  if (table !== "originals") return null;
  const [domain, tenant, label, path] = [row.domain, row.tenant, row.label, row.path].map(String) as [string, string, string, string];
  const [, kind, source] = SOURCE_LABEL.exec(label) ?? [];
  const folder =
    kind === undefined
      ? folderOf("uploads", { domain, tenant: tenant || null, label })
      : join(kind, domain, tenant || "_", source as string);
  const bytes = typeof row.bytes === "object" && row.bytes !== null ? Buffer.from(row.bytes.base64, "base64") : Buffer.alloc(0);
  return { name: `${folder.split(sep).join("/")}/${path}`, bytes };
}

/** A job that reads uploads out of PostgreSQL would find none in a file's place and take all of them out; a folder is looked through at every start. */
export function isJobOfUploads({ table, row }: Row): boolean {
  return table === "jobs" && workSchema.safeParse(JSON.parse(String(row.work))).data?.type === "uploads";
}
