import type { Kysely, Selectable } from "kysely";
import { keyedHash, questionHash } from "../text/keyed-hash.ts";
import {
  type Interaction,
  type InteractionFacts,
  type ReviewStatus,
  type StoredInteraction,
  wholeAnswer,
  withContents,
} from "./interaction.ts";
import type { NewReport } from "./reports.ts";
import type { Database } from "./schema.ts";
import { type Beside, createInteractionWriter, type UnreviewedRow, type WritingParts } from "./write-interactions.ts";

export interface InteractionStore {
  /**
   * Stores it, with its report, the record of what it was made from and the turn of its session in the same transaction. The same answer to the same
   * question as one that was reviewed keeps that review.
   * @returns the review status that it begins with
   */
  add(interaction: Interaction, report?: NewReport | null, facts?: InteractionFacts, beside?: Beside): Promise<ReviewStatus>;
  /** Newest first. */
  list(domain: string, limit: number): Promise<StoredInteraction[]>;
}

/** What an interaction store needs besides the database. */
export interface InteractionParts extends WritingParts {
  readonly now: () => Date;
  readonly secret: () => Promise<string>;
}

/** Answers whose hashes are kept: some 3 kB each. */
const HASHED_ANSWERS = 256;

export function createInteractionStore(
  db: Kysely<Database>,
  { now, secret, writeTurns, clock, retention }: InteractionParts,
): InteractionStore {
  const answeredHash = createAnsweredHasher();
  const addSoon = createInteractionWriter(db, { writeTurns, clock, retention });
  return {
    async add(interaction, report = null, given = undefined, { record = null, turn = null } = {}) {
      const facts = given ?? factsOf(interaction);
      const at = now();
      const key = await secret();
      const row = toRow(interaction, facts, key, { at: at.toISOString(), answered: answeredHash(key, facts.answered) });
      return addSoon({ interaction, row, approved: facts.approved, report, record, turn, at, key });
    },
    async list(domain, limit) {
      const rows = await withContents(db)
        .selectAll("interactions")
        .select(wholeAnswer.as("whole"))
        .where("domain", "=", domain)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ whole, ...row }) => fromRow({ ...row, answer: whole }));
    },
  };
}

/** Hashes what was answered; an answer that is served again and again, once for as long as it is among the last. */
function createAnsweredHasher(): (secret: string, answered: string) => string {
  const known = new Map<string, string>();
  return (secret, answered) => {
    const hash = known.get(answered) ?? keyedHash(secret, "answer", answered);
    known.delete(answered);
    known.set(answered, hash);
    if (known.size > HASHED_ANSWERS) known.delete(known.keys().next().value as string);
    return hash;
  };
}

function factsOf({ question, answer }: Interaction): InteractionFacts {
  return {
    asked: question,
    resolved: question,
    answered: answer,
    privacy: "redacted",
    curatedKey: null,
    cacheKey: null,
    reason: null,
    warnings: 0,
    conflicts: 0,
    tokens: null,
    costUsd: null,
    savedTokens: null,
    savedUsd: null,
    topics: [],
    latencyMs: null,
    approved: null,
  };
}

function toRow(
  { id, domain, profile, question, answer, status, confidence, chance, ...rest }: Interaction,
  facts: InteractionFacts,
  secret: string,
  { at, answered }: { readonly at: string; readonly answered: string },
): UnreviewedRow {
  const { access, cacheMode, sessionId, userId, tenant, content } = rest;
  const asked = questionHash(secret, domain, facts.asked);
  // In one order, as rows are that one statement puts in.
  return {
    ...{ id, domain, profile, question, answer, status, confidence, chance },
    tenant: tenant ?? "",
    access: JSON.stringify(access),
    content: content?.hash ?? null,
    sessionId: sessionId === null ? null : keyedHash(secret, "session", sessionId),
    userId: userId === null || userId === undefined ? null : keyedHash(secret, "user", userId),
    privacy: facts.privacy,
    questionHash: facts.resolved === facts.asked ? asked : questionHash(secret, domain, facts.resolved),
    askedHash: asked,
    answerHash: answered,
    curatedKey: facts.curatedKey,
    cacheKey: facts.cacheKey,
    reason: facts.reason,
    reviewedBy: null,
    reviewedAt: null,
    demotedAt: null,
    warnings: facts.warnings,
    conflicts: facts.conflicts,
    cacheMode,
    tokens: facts.tokens,
    costUsd: facts.costUsd,
    savedTokens: facts.savedTokens,
    savedUsd: facts.savedUsd,
    topics: JSON.stringify(facts.topics),
    latencyMs: facts.latencyMs,
    createdAt: at,
  };
}

function fromRow(row: Selectable<Database["interactions"]>): StoredInteraction {
  const { id, domain, profile, question, answer, status, confidence, chance, privacy } = row;
  return {
    id,
    domain,
    profile,
    question,
    answer,
    status,
    confidence,
    chance,
    privacy,
    tenant: row.tenant === "" ? null : row.tenant,
    access: JSON.parse(row.access) as string[],
    sessionId: row.sessionId,
    cacheMode: row.cacheMode,
    reviewStatus: row.reviewStatus,
    createdAt: row.createdAt,
  };
}
