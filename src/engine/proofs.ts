import { documentsIn, seesEvery } from "../memory/named-documents.ts";
import { hashWeights } from "../models/weights/scorer.ts";
import type { AnswerRecord } from "../pipeline/assemble.ts";
import type { RecordedSettings } from "../pipeline/context.ts";
import { canonicalJson } from "../proofs/canonical-json.ts";
import { PROOF_FORMAT, type Proof } from "../proofs/proof.ts";
import { publicPem, readPrivateKey, signStatement } from "../proofs/signature.ts";
import { corpusTree, namedVersions, stateProof } from "../proofs/state-proof.ts";
import { RequestError } from "../shared/errors.ts";
import type { Answer, Scope } from "../shared/types.ts";
import type { StoredRecord } from "../store/interaction.ts";
import type { Store } from "../store/store.ts";
import { sha256Hex } from "../text/hash.ts";
import { type DomainPack, publishedContacts } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { ProveOptions } from "./engine-types.ts";
import type { Opened } from "./open.ts";

export function createProver({ store, proofKey }: Opened, { pack: packNamed, scope }: Domains) {
  const key = () => readPrivateKey(proofKey());
  return {
    /**
     * Returns a stored answer with everything needed to rerun its checks, signed with the installation's key.
     * @throws RequestError `unknown_answer`, `proof_not_recorded`, `proof_documents_gone`
     */
    async prove(id: string, options?: ProveOptions): Promise<Proof> {
      const asker = scope(options);
      const asked = await visibleRecord(id, asker, store.records);
      const made = await madeAnswer(asked, store.records);
      const versions = namedVersions(made);
      const past = await store.corpusLog.past(made.domain, versions);
      const documents = new Map(past.map(({ document }) => [document.id, document]));
      // Use one message for deleted and for inaccessible documents, so that it does not reveal that a document exists.
      if (documents.size < versions.size || !(await mayShowRecord(made, asker, store.documents))) {
        const message = "There is no proof of this answer, because a document that it depends on was deleted or is not accessible to you.";
        throw new RequestError("proof_documents_gone", message, { id });
      }
      const held = await store.corpusLog.heldAt(made.domain, made.revision);
      const contacts = publishedContacts((made.settings as RecordedSettings).pack as DomainPack);
      const statement = stateProof({ asked, made, held, documents, contacts, weights: hashWeights() });
      const canonical = canonicalJson(statement);
      return { format: PROOF_FORMAT, statement, digest: sha256Hex(canonical), signature: signStatement(canonical, key()) };
    },
    /** Returns the public key as PEM. The private key is created at first use and stays in the data folder or PostgreSQL. */
    proofKey: () => publicPem(key()),
    /** Returns the Merkle root over a domain's document versions, for publication. @throws RequestError `unknown_domain` */
    async corpusRoot(name?: string) {
      const pack = packNamed(name);
      const revision = await store.documents.revision(pack.name);
      const held = await store.corpusLog.heldAt(pack.name, revision);
      return { domain: pack.name, revision, documents: held.length, root: corpusTree(pack.name, held).root };
    },
  };
}

/** Returns a record of the same tenant whose access labels the scope covers. @throws RequestError `unknown_answer` */
export async function visibleRecord(id: string, scope: Scope, records: Store["records"]): Promise<StoredRecord> {
  const { domain, tenant, access } = scope;
  const found = await records.get(id);
  const isVisible =
    found !== null && found.domain === domain && found.tenant === tenant && found.access.every((label) => access.includes(label));
  if (isVisible) return found;
  throw unknownRecord(id, scope);
}

/** Returns the error for a missing record. Hidden records get the same error, so that it does not reveal them. */
export function unknownRecord(id: string, { domain, tenant }: Scope): RequestError {
  const ofTenant = tenant === null ? "" : ` of tenant "${tenant}"`;
  const message = `There is no recorded answer "${id.slice(0, 100)}" in domain "${domain}"${ofTenant}. Name the domain and tenant in which the question was asked. Answers that contain personal data, were given with privacy "ephemeral", or come from earlier versions of Sourcebound are not recorded.`;
  return new RequestError("unknown_answer", message, { id });
}

/** Returns whether the scope may currently see every document that the answer uses, quotes or names. */
export function mayShowRecord(record: StoredRecord, scope: Scope, documents: Pick<Store["documents"], "visible">): Promise<boolean> {
  const named = [...namedVersions(record).keys(), ...documentsIn(JSON.parse(record.answer) as Answer)];
  return seesEvery([...new Set(named)], scope, documents);
}

/**
 * Returns the record itself, or for an answer from the cache the record of the original answer.
 * @throws RequestError `proof_not_recorded`
 */
export async function madeAnswer(asked: StoredRecord, records: Store["records"]): Promise<StoredRecord> {
  const { served } = asked.body as AnswerRecord;
  if (served === null) return asked;
  const made = await records.get(served);
  if (made !== null && contentOf(made) === contentOf(asked)) return made;
  const message =
    "There is no proof of this answer. It came from the cache, and the original answer is not on record: a reviewer wrote it, a document has changed since, or it is too old. Ask again with `cache.enabled: false`, and export the proof of the new answer.";
  throw new RequestError("proof_not_recorded", message, { id: asked.id });
}

function contentOf({ answer }: StoredRecord): string {
  const { status, sentences, citations, claims, checks } = JSON.parse(answer) as Record<string, unknown>;
  return JSON.stringify([status, sentences, citations, claims, checks]);
}
