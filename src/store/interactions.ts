import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import { keyedHash, questionHash } from "../text/hash.ts";
import { askerOf, type Interaction, type InteractionFacts, type ReviewStatus, wholeAnswer, withContents } from "./interaction.ts";
import type { NewReport } from "./reports.ts";
import type { Database } from "./schema.ts";
import { type Beside, createInteractionWriter, type UnreviewedRow, type WritingParts } from "./write-interactions.ts";

/** What an interaction store needs besides the database. */
export interface InteractionParts extends WritingParts {
  readonly now: () => Date;
  readonly secret: () => Promise<string>;
}

/** Answers whose hashes are kept: some 3 kB each. */
const HASHED_ANSWERS = 256;

export function createInteractionStore(db: Kysely<Database>, { now, secret, writeTurns, clock, retention }: InteractionParts) {
  /** Hashes of what was answered: an answer that is served again and again is hashed once for as long as it is among the last. */
  const answered = new LRUCache<string, string>({ max: HASHED_ANSWERS });
  const addSoon = createInteractionWriter(db, { writeTurns, clock, retention });
  return {
    /**
     * Stores it, with its report, the record of what it was made from and the turn of its session in the same transaction. The same answer to the same
     * question as one that was reviewed keeps that review.
     * @returns the review status that it begins with
     */
    async add(
      interaction: Interaction,
      report: NewReport | null = null,
      given?: InteractionFacts,
      { record = null, turn = null }: Beside = {},
    ): Promise<ReviewStatus> {
      const facts = given ?? factsOf(interaction);
      const at = now();
      const key = await secret();
      const answerHash = answered.get(facts.answered) ?? keyedHash(key, "answer", facts.answered);
      answered.set(facts.answered, answerHash);
      const row = toRow(interaction, facts, key, { createdAt: at.toISOString(), answerHash });
      return addSoon({ interaction, row, approved: facts.approved, report, record, turn, at, key });
    },
    /** Newest first. */
    async list(domain: string, limit: number) {
      const rows = await withContents(db)
        .select(["id", "domain", "tenant", "access", "profile", "question", wholeAnswer.as("answer"), "status", "confidence", "chance"])
        .select(["privacy", "sessionId", "cacheMode", "reviewStatus", "createdAt"])
        .where("domain", "=", domain)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, ...askerOf(row) }));
    },
  };
}

export type InteractionStore = ReturnType<typeof createInteractionStore>;

function factsOf({ question, answer }: Interaction): InteractionFacts {
  return {
    ...{ asked: question, resolved: question, answered: answer, privacy: "redacted", topics: [], warnings: 0, conflicts: 0 },
    ...{ curatedKey: null, cacheKey: null, reason: null, approved: null },
    ...{ tokens: null, costUsd: null, savedTokens: null, savedUsd: null, latencyMs: null },
  };
}

function toRow(
  { id, domain, profile, question, answer, status, confidence, chance, ...rest }: Interaction,
  facts: InteractionFacts,
  secret: string,
  { createdAt, answerHash }: { readonly createdAt: string; readonly answerHash: string },
): UnreviewedRow {
  const { access, cacheMode, sessionId, userId = null, tenant, content } = rest;
  const { privacy, curatedKey, cacheKey, reason, warnings, conflicts, tokens, costUsd, savedTokens, savedUsd, latencyMs } = facts;
  const askedHash = questionHash(secret, domain, facts.asked);
  // In one order, as rows are that one statement puts in.
  return {
    ...{ id, domain, profile, question, answer, status, confidence, chance, cacheMode, askedHash, answerHash, createdAt },
    ...{ privacy, curatedKey, cacheKey, reason, warnings, conflicts, tokens, costUsd, savedTokens, savedUsd, latencyMs },
    ...{ reviewedBy: null, reviewedAt: null, demotedAt: null },
    tenant: tenant ?? "",
    access: JSON.stringify(access),
    content: content?.hash ?? null,
    sessionId: sessionId === null ? null : keyedHash(secret, "session", sessionId),
    userId: userId === null ? null : keyedHash(secret, "user", userId),
    questionHash: facts.resolved === facts.asked ? askedHash : questionHash(secret, domain, facts.resolved),
    topics: JSON.stringify(facts.topics),
  };
}
