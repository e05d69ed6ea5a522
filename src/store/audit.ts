import type { Kysely, Transaction } from "kysely";
import { sha256Hex } from "../text/hash.ts";
import { takeTurn, transact } from "./dialect.ts";
import type { Database } from "./schema.ts";
export const AUDIT_ACTIONS = ["approve", "flag", "correct", "demote", "feedback", "forget", "purge", "create_key", "revoke_key"] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** A review or administration action, as recorded in the audit log. Contains no words of questions or answers. */
export interface AuditAct {
  readonly actor: string;
  readonly action: AuditAction;
  /** Id of the interaction or key that the action concerns, or a kind of data. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type AuditRow = ReturnType<typeof toRow>;

export interface AuditPage {
  readonly limit: number;
  readonly subject?: string | undefined;
  /** Only rows with a lower `seq` are listed, newest first. Absent: all rows. */
  readonly before?: number | undefined;
}

/** Value of `previous` in the first row of the hash chain. */
export const AUDIT_GENESIS = sha256Hex("sourcebound audit");

const ROWS_PER_READ = 1_000;

export function createAuditStore(db: Kysely<Database>, now: () => Date) {
  return {
    append: (act: AuditAct): Promise<void> => transact(db, (trx) => appendAudit(trx, act, now().toISOString())),
    async list({ limit, subject, before }: AuditPage): Promise<AuditRow[]> {
      let query = db.selectFrom("audit_log").selectAll().orderBy("seq", "desc").limit(limit);
      if (before !== undefined) query = query.where("seq", "<", before);
      if (subject !== undefined) query = query.where("subject", "=", subject);
      return (await query.execute()).map(toRow);
    },
    verify: () => verifyAudit(db),
  };
}

/** Appends a row to the hash chain, in the transaction of the action that it records. */
export async function appendAudit(trx: Transaction<Database>, act: AuditAct, at: string): Promise<void> {
  await takeTurn(trx, "audit");
  const last = await trx.selectFrom("audit_log").select(["seq", "hash"]).orderBy("seq", "desc").limit(1).executeTakeFirst();
  const row = { ...act, seq: (last?.seq ?? 0) + 1, at, details: JSON.stringify(act.details), previous: last?.hash ?? AUDIT_GENESIS };
  const hashed = { ...row, hash: hashOf(row) };
  await trx.insertInto("audit_log").values(hashed).execute();
}

function hashOf({ seq, at, actor, action, subject, details, previous }: Omit<Database["audit_log"], "hash">): string {
  return sha256Hex(JSON.stringify([previous, seq, at, actor, action, subject, details]));
}

/**
 * Verifies the hash chain. It begins at the first row ever written or, after a purge, at the row that the purge
 * recorded.
 * @returns `intact: false` if a row was changed, removed or inserted; `brokenAt` is the `seq` of the first wrong row.
 * `head` is the hash of the last row: compare it with an earlier copy to prove that no row was cut off the end
 */
async function verifyAudit(db: Kysely<Database>) {
  let rows = 0;
  let head = AUDIT_GENESIS;
  let start: { readonly seq: number; readonly previous: string } | null = null;
  const anchors = new Set<string>([`1 ${AUDIT_GENESIS}`]);
  for (let after = -1; ; ) {
    const part = await db.selectFrom("audit_log").selectAll().where("seq", ">", after).orderBy("seq").limit(ROWS_PER_READ).execute();
    for (const row of part) {
      const follows = start === null || (row.previous === head && row.seq === after + 1);
      if (!follows || hashOf(row) !== row.hash) return { intact: false, brokenAt: row.seq, rows, head };
      start ??= { seq: row.seq, previous: row.previous };
      if (row.action === "purge") anchors.add(anchorOf(row.details));
      rows++;
      head = row.hash;
      after = row.seq;
    }
    if (part.length < ROWS_PER_READ) break;
  }
  const known = start === null || anchors.has(`${start.seq} ${start.previous}`);
  return { intact: known, brokenAt: known ? null : (start?.seq ?? null), rows, head };
}

function anchorOf(details: string): string {
  const { audit_from, audit_previous } = JSON.parse(details) as { audit_from?: number; audit_previous?: string };
  return `${audit_from} ${audit_previous}`;
}

function toRow({ details, action, ...row }: Database["audit_log"]) {
  return { ...row, action: action as AuditAction, details: JSON.parse(details) as Record<string, unknown> };
}
