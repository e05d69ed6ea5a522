import { z } from "zod";
import { canonicalJson } from "./canonical-json.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in lower-case hex");
const offset = z.int().min(0);
const place = z.int().min(0).max(100_000);
const score = z.number().nullable();
const range = z.strictObject({ start: offset, end: offset });
const json = z.json();

const documentSchema = z.strictObject({
  id: z.string().min(1),
  path: z.string().min(1).describe("Path relative to the ingested folder; an entry inside a file follows after `#`"),
  sha256: sha256.describe("Hash of the file's bytes"),
  version: sha256.describe("Hash of normalised text, metadata, settings and normaliser"),
  title: z.string(),
  url: z.string().nullable(),
  as_of: z.string().nullable(),
  tenant: z.string().nullable(),
  access: z.string(),
  normaliser: z.string(),
  index: offset.describe("Index of the document's leaf in the Merkle tree of the corpus"),
  inclusion: z.array(sha256).max(64).describe("Sibling hashes from the document's leaf up to the root"),
});
export type ProofDocument = z.infer<typeof documentSchema>;

const passageSchema = z.strictObject({
  sid: z.string(),
  chunk: z.string(),
  document: place,
  ...range.shape,
  bounds: range.nullable(),
  window: range,
  heading_path: z.array(z.string()),
  twins: z.array(
    z
      .strictObject({ chunk: z.string(), document: place, ...range.shape, heading_path: z.array(z.string()) })
      .describe("Near-duplicate passages"),
  ),
});
export type ProofPassage = z.infer<typeof passageSchema>;

const quoteSchema = z.strictObject({
  passage: place,
  ...range.shape,
  text: z.string(),
  page: z.int().nullable(),
  header: range.nullable().describe("Header of the table, which names the columns of a quoted row; `null`: no row, or no header"),
});

const checkingSchema = z.strictObject({
  settings: json.describe("Which checks ran with which thresholds"),
  strict: z.boolean().describe("True: a citation of an unknown source is a fault even next to a valid citation"),
  hosts: z.array(z.string()),
  home_page: z.string().nullable(),
  contacts: z.array(z.string()),
  terminology: z.array(
    z.strictObject({
      canonical: z.string(),
      right: z.string(),
      rivals: z.array(z.strictObject({ term: z.string(), of: z.string() })),
    }),
  ),
  encoder: z.string().nullable(),
  weights: z.record(z.string(), sha256).describe("Hashes of the weight files behind the scores of the checks"),
});

const draftSchema = z.strictObject({
  text: z.string(),
  quotes: z.array(place),
  missing: z.array(z.int()),
  others: z.array(z.array(place)).describe("Quotes of each other source that shares words with the sentence"),
  dangling: z.boolean(),
});

const answerSchema = z.strictObject({
  status: z.enum(["ok", "insufficient_context", "error"]),
  sentences: z.array(z.strictObject({ text: z.string(), citations: z.array(z.int()) })),
  citations: z.array(json),
  claims: z.array(json),
  checks: z.array(json),
  warnings: z.array(z.strictObject({ code: z.string(), message: z.string() })),
  refusal: json,
  confidence: score,
  confidence_calibrated: z.boolean(),
  model: z.string(),
});

/** Schema of the statement: the part of a proof that is hashed and signed. */
export const statementSchema = z.strictObject({
  id: z.string().min(1),
  made_at: z.string(),
  software: z.string().describe("Version of the program that answered"),
  checks: z.int().min(1).optional().describe("Revision of the checks; absent in the first format, which is revision 1"),
  question: z.strictObject({
    text: z.string(),
    resolved: z.string(),
    domain: z.string(),
    tenant: z.string().nullable(),
    access: z.array(z.string()),
    profile: z.string(),
    detail: z.enum(["normal", "more"]),
  }),
  served: z
    .strictObject({ level: z.string(), id: z.string(), question: z.string(), resolved: z.string(), made_at: z.string() })
    .nullable()
    .describe("The stored answer that was served; null: the answer was written for this question"),
  corpus: z.strictObject({ revision: offset, documents: offset, root: sha256.describe("Merkle root over document versions") }),
  config: sha256.describe("Hash of everything that affects answers except question and documents"),
  checking: checkingSchema,
  documents: z.array(documentSchema),
  passages: z.array(passageSchema),
  quotes: z.array(quoteSchema),
  offered: z.array(place).describe("Quotes in the model's prompt; empty for an extractive answer"),
  candidates: z.array(place).describe("Quotes from which an extractive answer was selected"),
  drafts: z.array(draftSchema).describe("Sentences as written, before their checks"),
  evidence: z.array(
    z.strictObject({
      sid: z.string(),
      document: z.string(),
      version: z.string(),
      ...range.shape,
      verdict: z.enum(["verified", "uncertain", "rejected"]),
      score: z.number(),
      relevance: score,
      consistency: score,
      agreement: score,
      passage: place.nullable().describe("Index in `passages` if a check uses the text; otherwise null"),
    }),
  ),
  answer: answerSchema,
});
export type ProofStatement = z.infer<typeof statementSchema>;

/** The current format. The first format, `sourcebound-proof-1`, did not state which revision of the checks ran. */
export const PROOF_FORMAT = "sourcebound-proof-2";

export const proofSchema = z
  .strictObject({
    format: z.enum(["sourcebound-proof-1", PROOF_FORMAT]),
    statement: statementSchema,
    digest: sha256.describe("Hash of the statement as canonical JSON (RFC 8785)"),
    signature: z.strictObject({ algorithm: z.literal("Ed25519"), key_id: sha256, value: z.string().describe("64 bytes, base64") }),
  })
  .refine(({ format, statement }) => (format === PROOF_FORMAT) === (statement.checks !== undefined), {
    path: ["statement", "checks"],
    message: `must be present in the format ${PROOF_FORMAT} and absent in the earlier format`,
  });
export type Proof = z.infer<typeof proofSchema>;

/** Returns the leaf of the corpus's Merkle tree for one document version, as text. */
export function leafOf(domain: string, one: Pick<ProofDocument, "tenant" | "id" | "version" | "sha256">): string {
  return canonicalJson([domain, one.tenant, one.id, one.version, one.sha256]);
}
