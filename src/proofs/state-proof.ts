import { FIRST_CHECKS } from "../checks/check.ts";
import { terminologyOf } from "../checks/guards.ts";
import type { DomainPack } from "../engine/domain.ts";
import type { AnswerRecord, RecordedPassage } from "../pipeline/assemble.ts";
import type { RecordedSettings } from "../pipeline/context.ts";
import { GUARDS, usesSupport } from "../profiles/guards.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Answer, CheckResult, StoredDocument } from "../shared/types.ts";
import type { HeldVersion } from "../store/corpus-log.ts";
import type { StoredRecord } from "../store/interaction.ts";
import { unitsIn } from "../text/units.ts";
import { answerToWire, citationToWire } from "../wire/answer-to-wire.ts";
import { merkleTree } from "./merkle.ts";
import { leafOf, type ProofDocument, type ProofPassage, type ProofStatement } from "./proof.ts";

/** An answer with the recorded data from which its proof is built. */
export interface ProvableAnswer {
  /** The record of the answer to be proved. */
  readonly asked: StoredRecord;
  /**
   * The record that was made when the answer was written. It equals `asked` or, if the answer came from the cache, is
   * the record of the stored answer.
   */
  readonly made: StoredRecord;
  /** Versions of all documents of the domain at the revision at which the answer was written, ordered by id. */
  readonly held: readonly HeldVersion[];
  /** Documents that the answer uses, in their recorded versions, by id. */
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** Contact data that the domain publishes, such as phone numbers. */
  readonly contacts: readonly string[];
  /** Hashes of the model weights on which the scores of the checks depend. */
  readonly weights: Readonly<Record<string, string>>;
}

/** Returns the version of every document that a recorded answer uses, by document id. */
export function namedVersions({ body, answer }: Pick<StoredRecord, "body" | "answer">): Map<string, string> {
  const { passages } = body as AnswerRecord;
  const { refusal } = JSON.parse(answer) as Answer;
  const named = new Map<string, string>();
  for (const { documentId, version, twins } of passages) {
    named.set(documentId, version);
    for (const twin of twins) named.set(twin.documentId, twin.documentVersion);
  }
  for (const { documentId, documentVersion } of refusal?.nearest ?? []) named.set(documentId, documentVersion);
  return named;
}

/** Builds the statement that is hashed and signed. It contains everything that is needed to repeat the checks of the answer. */
export function stateProof({ asked, made, held, documents, contacts, weights }: ProvableAnswer): ProofStatement {
  const record = made.body as AnswerRecord;
  const settings = made.settings as RecordedSettings;
  const answer = JSON.parse(made.answer) as Answer;
  const { domain, tenant, access, createdAt, cacheMode } = asked;
  const { text, resolved, profile, detail } = (asked.body as AnswerRecord).question;
  const { question } = record;
  const isGraded = ((settings.profile as Profile).check.guards ?? GUARDS).faithfulness !== null;
  const listed = listDocuments(made.domain, held, documents);
  return {
    id: asked.id,
    made_at: createdAt,
    software: settings.software,
    checks: settings.checks ?? FIRST_CHECKS,
    question: { text, resolved, domain, tenant, access: [...access].sort(), profile, detail },
    served:
      asked.id === made.id
        ? null
        : { level: cacheMode, id: made.id, question: question.text, resolved: question.resolved, made_at: made.createdAt },
    corpus: { revision: made.revision, documents: held.length, root: listed.root },
    config: settings.configHash,
    checking: stateChecking({ made, contacts, weights }),
    documents: listed.documents,
    passages: record.passages.map((passage) => statePassage(passage, listed.placeOf)),
    quotes: record.quotes.map(({ passage, start, end, header }) => {
      const document = documentOf(record.passages[passage]?.documentId, documents);
      const page = unitsIn(document, { start, end })[0]?.page ?? null;
      return { passage, start, end, text: document.text.slice(start, end), page, header: header === null ? null : { ...header } };
    }),
    offered: [...record.offered],
    candidates: [...record.candidates],
    drafts: plain(record.drafts),
    evidence: answer.evidence.map(({ passage, verdict, score, relevance, consistency, agreement }, i) => ({
      ...{ sid: passage.sid, document: passage.document.id, version: passage.document.version },
      ...{ start: passage.range.start, end: passage.range.end, verdict, score, relevance, consistency, agreement },
      passage: isGraded ? (record.evidence[i] ?? null) : null,
    })),
    answer: stateAnswer(answer),
  };
}

function stateChecking({ made, contacts, weights }: Pick<ProvableAnswer, "made" | "contacts" | "weights">): ProofStatement["checking"] {
  const settings = made.settings as RecordedSettings;
  const profile = settings.profile as Profile;
  const pack = settings.pack as DomainPack;
  return {
    settings: plain(profile.check),
    strict: profile.write.onFault === "reject",
    hosts: [...pack.hosts],
    home_page: pack.home_page,
    contacts: [...contacts],
    terminology: plain(terminologyOf(pack.tenants, made.tenant)),
    encoder: settings.encoder,
    weights: usesSupport(profile) ? { ...weights } : {},
  };
}

function stateAnswer(answer: Answer): ProofStatement["answer"] {
  const { refusal, warnings, sentences } = answerToWire(answer);
  return {
    status: answer.status,
    sentences,
    citations: plain(answer.citations.map(citationToWire)),
    claims: plain(answer.claims),
    checks: plain(answer.checks.map(stateCheck)),
    warnings: warnings.map(({ code, message }) => ({ code, message })),
    refusal: plain(refusal),
    confidence: answer.confidence,
    confidence_calibrated: answer.confidenceCalibrated,
    model: answer.model,
  };
}

/** Returns a check without its spans, which are for display only. */
export function stateCheck({ name, verdict, score, reason, sentence, leftOut }: CheckResult) {
  return { name, verdict, score, reason, sentence, left_out: leftOut === true };
}

/** Copies a value by converting it to JSON and back, which drops `undefined` fields. */
function plain(value: unknown) {
  return JSON.parse(JSON.stringify(value));
}

/** Returns the Merkle tree over all document versions of a domain. */
export function corpusTree(domain: string, held: readonly HeldVersion[]): ReturnType<typeof merkleTree> {
  return merkleTree(held.map(({ originalHash, ...one }) => leafOf(domain, { ...one, sha256: originalHash })));
}

/** Lists the used documents by id, each with its path in the Merkle tree of the whole corpus. */
function listDocuments(domain: string, held: readonly HeldVersion[], named: ReadonlyMap<string, StoredDocument>) {
  const tree = corpusTree(domain, held);
  const indexes = new Map(held.map(({ id }, index) => [id, index]));
  const documents = [...named.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const places = new Map(documents.map(({ id }, place) => [id, place]));
  return {
    root: tree.root,
    documents: documents.map(
      ({ id, path, originalHash: sha256, version, title, url, asOf: as_of, tenant, access, normaliser }): ProofDocument => {
        const index = indexes.get(id) ?? 0;
        return { id, path, sha256, version, title, url, as_of, tenant, access, normaliser, index, inclusion: tree.path(index) };
      },
    ),
    placeOf: (id: string) => places.get(id) ?? 0,
  };
}

function statePassage(passage: RecordedPassage, placeOf: (id: string) => number): ProofPassage {
  const { sid, chunkId, documentId, start, end, bounds, window, headingPath, twins } = passage;
  return {
    ...{ sid, chunk: chunkId, document: placeOf(documentId), start, end },
    bounds: bounds === null ? null : { start: bounds.start, end: bounds.end },
    window: { start: window.start, end: window.end },
    heading_path: [...headingPath],
    twins: twins.map(({ chunkId: chunk, documentId: id, range, headingPath: path }) => {
      return { chunk, document: placeOf(id), start: range.start, end: range.end, heading_path: [...path] };
    }),
  };
}

function documentOf(id: string | undefined, documents: ReadonlyMap<string, StoredDocument>): StoredDocument {
  const document = id === undefined ? undefined : documents.get(id);
  if (document === undefined) throw new Error(`the record names the document ${id}, which was not loaded`);
  return document;
}
