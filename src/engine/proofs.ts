import { documentsIn, seesEvery } from "../memory/named-documents.ts";
import { hashWeights } from "../models/weights/read-weights.ts";
import type { RecordedSettings } from "../pipeline/context.ts";
import type { AnswerRecord } from "../pipeline/record.ts";
import { canonicalJson } from "../proofs/canonical-json.ts";
import { merkleTree } from "../proofs/merkle.ts";
import { leafOf, PROOF_FORMAT, type Proof } from "../proofs/proof.ts";
import { publicPem, readPrivateKey, signStatement } from "../proofs/signature.ts";
import { namedVersions, stateProof } from "../proofs/state-proof.ts";
import { RequestError } from "../shared/errors.ts";
import type { Answer, Scope } from "../shared/types.ts";
import type { StoredRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { sha256Hex } from "../text/hash.ts";
import { type DomainPack, publishedContacts } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { Opened } from "./open.ts";
import type { ProveOptions } from "./service-types.ts";

/** What an engine says of its answers to those who do not trust it. */
export function createProver({ store, proofKey }: Opened, { pack: packNamed, scope }: Domains) {
  const key = () => readPrivateKey(proofKey());
  return {
    /**
     * A stored answer with everything from which its checks can be run again, signed with the key of the installation.
     * @throws RequestError `unknown_answer`, `proof_not_recorded`, `proof_documents_gone`
     */
    async prove(id: string, options?: ProveOptions): Promise<Proof> {
      const asker = scope(options);
      const asked = await visibleRecord(id, asker, store.records);
      const made = await madeAnswer(asked, store.records);
      const versions = namedVersions(made);
      const past = await store.corpusLog.past(made.domain, versions);
      const documents = new Map(past.map(({ document }) => [document.id, document]));
      // The same for both: nobody learns that there is a document which is not open to them.
      if (documents.size < versions.size || !(await mayShowRecord(made, asker, store.documents))) {
        const message =
          "A document on which this answer rests was deleted, and its text with it, or is not open to you any more: the answer cannot be proved.";
        throw new RequestError("proof_documents_gone", message, { id });
      }
      const held = await store.corpusLog.heldAt(made.domain, made.revision);
      const contacts = publishedContacts((made.settings as RecordedSettings).pack as DomainPack);
      const statement = stateProof({ asked, made, held, documents, contacts, weights: hashWeights() });
      const canonical = canonicalJson(statement);
      return { format: PROOF_FORMAT, statement, digest: sha256Hex(canonical), signature: signStatement(canonical, key()) };
    },
    /** The public key of the installation as PEM; the private one is made on first use and stays in the data folder, or in PostgreSQL where that is configured. */
    proofKey: () => publicPem(key()),
    /** The Merkle root over the document versions of a domain, to be published. @throws RequestError `unknown_domain` */
    async corpusRoot(name?: string) {
      const pack = packNamed(name);
      const revision = await store.documents.revision(pack.name);
      const held = await store.corpusLog.heldAt(pack.name, revision);
      const { root } = merkleTree(held.map(({ originalHash, ...one }) => leafOf(pack.name, { ...one, sha256: originalHash })));
      return { domain: pack.name, revision, documents: held.length, root };
    },
  };
}

/** A record that its asker may see: of the same tenant, asked with no label that the reader lacks. @throws RequestError `unknown_answer` */
export async function visibleRecord(id: string, scope: Scope, records: Store["records"]): Promise<StoredRecord> {
  const { domain, tenant, access } = scope;
  const found = await records.get(id);
  const isVisible =
    found !== null && found.domain === domain && found.tenant === tenant && found.access.every((label) => access.includes(label));
  if (isVisible) return found;
  throw unknownRecord(id, scope);
}

/** The same for what never was and what the asker may not see. */
export function unknownRecord(id: string, { domain, tenant }: Scope): RequestError {
  const whose = tenant === null ? "" : ` of tenant "${tenant}"`;
  const message = `There is no recorded answer "${id.slice(0, 100)}" in domain "${domain}"${whose}: name the domain and the tenant that it was asked in. Answers with personal data, under privacy "ephemeral", and of earlier versions are not recorded.`;
  return new RequestError("unknown_answer", message, { id });
}

/** May what an answer was made from be shown: does the scope see today every document that it was drawn from, quotes or names? */
export function mayShowRecord(record: StoredRecord, scope: Scope, documents: Pick<Store["documents"], "visible">): Promise<boolean> {
  const named = [...namedVersions(record).keys(), ...documentsIn(JSON.parse(record.answer) as Answer)];
  return seesEvery([...new Set(named)], scope, documents);
}

/** The answer that was made: of one that was served from memory, the one that was stored. @throws RequestError `proof_not_recorded` */
export async function madeAnswer(asked: StoredRecord, records: Store["records"]): Promise<StoredRecord> {
  const { served } = asked.body as AnswerRecord;
  if (served === null) return asked;
  const made = await records.get(served);
  const isSame = made !== null && saysTheSame(made, asked);
  if (isSame) return made;
  const message =
    "This answer was served from memory, and what it was made from is not recorded: a reviewer wrote it, its document has changed since, or it is too old. Ask again with `cache.enabled: false`, and take the proof of that answer.";
  throw new RequestError("proof_not_recorded", message, { id: asked.id });
}

function saysTheSame(a: Pick<StoredRecord, "answer">, b: Pick<StoredRecord, "answer">): boolean {
  const said = ({ answer }: Pick<StoredRecord, "answer">) => {
    const { status, sentences, citations, claims, checks } = JSON.parse(answer) as Record<string, unknown>;
    return JSON.stringify([status, sentences, citations, claims, checks]);
  };
  return said(a) === said(b);
}
