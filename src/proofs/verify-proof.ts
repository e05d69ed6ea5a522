import { CHECKS_REVISION, type CheckContext, FIRST_CHECKS } from "../checks/check.ts";
import { createReader } from "../checks/statements.ts";
import { createShippedSupport } from "../engine/local-models.ts";
import { createWordReader } from "../language/content-words.ts";
import { loadCalibrations } from "../models/calibration/calibration.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../models/embedded-encoder.ts";
import { createSimilarity } from "../models/similarity.ts";
import { hashWeights } from "../models/weights/scorer.ts";
import { VERSION } from "../package.ts";
import { checkWhole, flags, nothingWritten, showSentence, type Written } from "../pipeline/write.ts";
import { GUARDS } from "../profiles/guards.ts";
import { graded, profiles } from "../profiles/index.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import { messageOf } from "../shared/errors.ts";
import type { Passage, Quote } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { once } from "../text/memo.ts";
import type { PassageSource } from "../text/units.ts";
import { describeIssues } from "../text/validate.ts";
import type { WireAnswer } from "../wire/answer.ts";
import { citationToWire } from "../wire/answer-to-wire.ts";
import { canonicalJson, parseUnambiguousJson } from "./canonical-json.ts";
import { type Proof, type ProofStatement, proofSchema } from "./proof.ts";
import { assertDocuments, DocumentsUnreadable, ProofFault, readProofDocuments, readProofQuotes } from "./proof-documents.ts";
import { isSignedBy, readPublicKey } from "./signature.ts";
import { stateCheck } from "./state-proof.ts";

export interface VerifyProofOptions {
  /** Public key of the installation (PEM). Without it the origin is unknown, and the status is at most `sound`. */
  readonly key?: string | undefined;
  /** Root of the corpus's Merkle tree that was published separately. It is compared with the root in the proof. */
  readonly root?: string | undefined;
  /** True: score paraphrases again with the shipped models. False: check only exact quotes again. @default true */
  readonly reader?: boolean | undefined;
  /** Models to use, so that several verifications can share them. @default loaded for this proof */
  readonly models?: ProofModels | undefined;
}

/** One verification step. `ok` is `null` if the step was not repeated; only the signature then vouches for its result. */
export interface ProofStep {
  readonly name: "form" | "digest" | "signature" | "software" | "root" | "documents" | "quotes" | "sentences" | "answer" | "refusal";
  readonly ok: boolean | null;
  readonly reason: string;
}

export interface ProofVerdict {
  /**
   * `verified`: all steps passed, and the holder of the key signed the proof. `sound`: all repeated steps passed, but the
   * origin is unknown, so the proof may be forged. `unchecked`: no fault was found, but another version of the program made
   * the proof; verify it with that version. `rejected`: a fault was found.
   */
  readonly status: "verified" | "sound" | "unchecked" | "rejected";
  /** Id of the answer; `null` if the proof cannot be read. */
  readonly id: string | null;
  readonly question: string | null;
  readonly steps: readonly ProofStep[];
}

/** Maximum length of a proof in characters. */
const MAX_PROOF_CHARACTERS = 16_000_000;

/**
 * Verifies a proof offline from the original files. It repeats everything that is deterministic: hashes, versions, Merkle
 * paths, quotes, numbering, claims, and with the product's own code the checks of every sentence and of the whole answer.
 * @param text the proof as JSON
 * @param folder folder of the documents; only files that the proof names are read
 * @throws RequestError `proof_key_invalid` when the key cannot be read; `unknown_folder`, `documents_unreadable`
 * @example
 * import { readFileSync } from "node:fs";
 * import { verifyProof } from "sourcebound/proof";
 * const { status, steps } = await verifyProof(readFileSync("proof.json", "utf8"), "documents", { key: readFileSync("key.pem", "utf8") });
 * console.log(status, steps.filter(({ ok }) => ok === false));
 */
export async function verifyProof(text: string, folder: string, options: VerifyProofOptions = {}): Promise<ProofVerdict> {
  const key = options.key === undefined ? null : readPublicKey(options.key);
  assertDocuments(folder);
  const steps: ProofStep[] = [];
  const proof = readProof(text, steps);
  if (proof === null) return { status: "rejected", id: null, question: null, steps };
  const { statement, digest, signature } = proof;
  const { run, isOther } = createRunner(steps);
  const canonical = canonicalJson(statement);
  await run("digest", () => (sha256Hex(canonical) === digest ? "matches the content" : fail("the hash does not match the content")));
  if (key === null) steps.push({ name: "signature", ok: null, reason: "no key was given, so the origin is not verified" });
  else
    await run("signature", () => (isSignedBy(canonical, signature, key) ? "made with the given key" : fail("not made with the given key")));
  const { root } = options;
  if (root !== undefined)
    await run("root", () => (statement.corpus.root === root ? "matches the published root" : fail("differs from the published root")));
  await run("software", () => assertSameProgram(statement));
  await runAgain(statement, folder, { reads: options.reader !== false, models: options.models ?? createProofModels(), isOther, run });
  const isRejected = steps.some(({ ok }) => ok === false);
  const status = isRejected ? "rejected" : isOther() ? "unchecked" : key === null ? "sound" : "verified";
  return { status, id: statement.id, question: statement.question.text, steps };
}

function readProof(text: string, steps: ProofStep[]): Proof | null {
  const no = (reason: string) => {
    steps.push({ name: "form", ok: false, reason });
    return null;
  };
  if (text.length > MAX_PROOF_CHARACTERS) return no(`has ${text.length} characters; the limit is ${MAX_PROOF_CHARACTERS}`);
  try {
    const parsed = proofSchema.safeParse(parseUnambiguousJson(text));
    if (!parsed.success) return no(describeIssues(parsed.error, proofSchema).join("; ").slice(0, 500));
    steps.push({ name: "form", ok: true, reason: parsed.data.format });
    return parsed.data;
  } catch (error) {
    return no(`is not valid JSON: ${messageOf(error)}`);
  }
}

type Runner = ReturnType<typeof createRunner>;

/** Error: the proof was made by a version with other checks. It can be neither confirmed nor rejected. */
class OtherProgram extends ProofFault {}

/** Returns a function that runs a step. A thrown fault becomes a failed step. A step that returns `null` was not repeated. */
function createRunner(steps: ProofStep[]) {
  let other = false;
  return {
    async run<T extends string | null>(name: ProofStep["name"], step: () => Promise<T> | T): Promise<boolean> {
      try {
        const reason = await step();
        steps.push({ name, ok: reason === null ? null : true, reason: reason ?? "not run again; relies on the signature" });
        return true;
      } catch (error) {
        if (error instanceof DocumentsUnreadable) throw error;
        if (error instanceof OtherProgram) other = true;
        steps.push({ name, ok: error instanceof OtherProgram ? null : false, reason: messageOf(error) });
        return false;
      }
    },
    isOther: () => other,
  };
}

function fail(reason: string): never {
  throw new ProofFault(reason);
}

/**
 * Checks that version, revision of the checks and settings are those of this program. They must be equal, because scores
 * are compared exactly, and another version may score differently.
 */
function assertSameProgram({ software, checks = FIRST_CHECKS, checking, question }: ProofStatement): string {
  if (software !== VERSION)
    throw new OtherProgram(`was made by version ${software}, but this is version ${VERSION}. Verify it with that version`);
  if (checks !== CHECKS_REVISION) {
    const which = `number ${checks}, but this program has number ${CHECKS_REVISION}`;
    throw new OtherProgram(`was made by another version of the checks (${which}). Verify it with the original program version`);
  }
  const shipped = profiles.find(({ name }) => name === question.profile);
  const stated = canonicalJson(checking.settings);
  if (shipped !== undefined && ![shipped, graded(shipped)].some(({ check }) => canonicalJson(check) === stated))
    fail(`lists other checks than the profile "${question.profile}" has`);
  return `version ${VERSION}, checks number ${CHECKS_REVISION}`;
}

/** Checks that the proof was scored with the weights of this program. A proof without scores states no weights. */
function assertSameWeights({ checking }: ProofStatement, { hashes }: ProofModels): void {
  if (Object.keys(checking.weights).length === 0) return;
  const ours = hashes();
  const differs = Object.keys({ ...ours, ...checking.weights }).find((name) => ours[name] !== checking.weights[name]);
  if (differs !== undefined)
    throw new OtherProgram(`was scored with other weights (${differs}). Verify it with the original program version`);
}

async function runAgain(
  statement: ProofStatement,
  folder: string,
  { reads, models, isOther, run }: Runner & { readonly reads: boolean; readonly models: ProofModels },
): Promise<void> {
  let documents: PassageSource[] = [];
  let passages: Passage[] = [];
  let quotes: Quote[] = [];
  const areRead = await run("documents", async () => {
    assertNamed(statement);
    documents = await readProofDocuments(statement, folder);
    return `${documents.length} unchanged since they were ingested`;
  });
  if (!areRead) return;
  const areQuoted = await run("quotes", () => {
    ({ passages, quotes } = readProofQuotes(statement, documents));
    return `${quotes.length} match byte for byte`;
  });
  if (!areQuoted) return;
  // Create the context inside the step, so that invalid settings in the proof make the step fail.
  let context: CheckContext | null = null;
  let written = nothingWritten();
  await run("sentences", async () => {
    if (isOther()) return null;
    context = contextOf(statement, reads, models);
    const scored = !isVerbatim(statement, quotes);
    if (scored && !reads) return null;
    if (scored) assertSameWeights(statement, models);
    written = await writeAgain(statement, quotes, context);
    return `${written.sheet.sentences.length} were checked again, with the results recorded in the proof`;
  });
  await run("answer", () => {
    if (isOther()) return null;
    if (context === null) return fail('cannot be checked, because the step "sentences" failed');
    return !reads && !isVerbatim(statement, quotes) ? null : compareAnswer(statement, written, passages, context, models);
  });
  await run("refusal", () => compareRefusal(statement, documents));
}

/** Checks that no document occurs twice, and that the answer uses each of them. @throws ProofFault */
function assertNamed({ documents, passages, answer }: ProofStatement): void {
  const ids = new Set(documents.map(({ id }) => id));
  if (ids.size < documents.length) fail("a document is named twice");
  const places = new Set(passages.flatMap(({ document, twins }) => [document, ...twins.map((twin) => twin.document)]));
  const nearest = new Set(nearestOf(answer).map(({ document_id }) => document_id));
  const idle = documents.find(({ id }, place) => !places.has(place) && !nearest.has(id));
  if (idle !== undefined) fail(`the answer uses no passage from ${idle.path}`);
}

/** Returns the settings of a proof without validating them. The checks that use them detect invalid values. */
function settingsOf({ settings }: ProofStatement["checking"]): CheckSettings {
  return settings as unknown as CheckSettings;
}

/** Returns whether the answer needs no scores: every sentence is an exact quote, and no guard measures faithfulness or relevancy. */
function isVerbatim({ drafts, checking }: ProofStatement, quotes: readonly Quote[]): boolean {
  const { guards = GUARDS } = settingsOf(checking);
  const isQuote = ({ text, quotes: cited }: ProofStatement["drafts"][number]) =>
    cited.length === 1 && quotes[cited[0] as number]?.text === text;
  return guards.faithfulness === null && guards.relevancy === null && drafts.every(isQuote);
}

function contextOf({ checking, question, served }: ProofStatement, reads: boolean, models: ProofModels): CheckContext {
  const settings = settingsOf(checking);
  const { hosts, home_page: homePage, contacts, terminology } = checking;
  const source = settings.uncitedSimilarity?.of;
  const embedded = source === undefined ? null : encoderOf(checking, models);
  const similarity = embedded === null || source === undefined ? undefined : createSimilarity(embedded, source, loadCalibrations());
  const scores = reads && Object.keys(checking.weights).length > 0;
  return {
    ...{ settings, hosts, homePage, similarity },
    reader: createReader(models.words()),
    question: served?.resolved ?? question.resolved,
    support: scores ? models.support() : null,
    guards: { contacts, terminology },
  };
}

/** Returns the encoder that a proof names; `null` if it names none. @throws ProofFault if that encoder is not available */
function encoderOf({ encoder }: ProofStatement["checking"], models: ProofModels): EmbeddedEncoder | null {
  if (encoder === null) return null;
  const embedded = models.encoder();
  return embedded.id === encoder ? embedded : fail(`was checked with the encoder ${encoder}, which is not available`);
}

/** Runs the checks of every drafted sentence again, and compares sentences, citations and claims with the statement. */
async function writeAgain(statement: ProofStatement, quotes: readonly Quote[], context: CheckContext): Promise<Written> {
  const quotesAt = (places: readonly number[]) =>
    places.map((place) => quotes[place] ?? fail(`a sentence cites the quote ${place}, which does not exist`));
  quotesAt(statement.candidates);
  const { candidates, offered, drafts } = statement;
  const used = new Set([...candidates, ...offered, ...drafts.flatMap((draft) => [...draft.quotes, ...draft.others.flat()])]);
  if (quotes.some((_, place) => !used.has(place))) fail("the proof contains a quote that it does not use");
  const written = nothingWritten();
  const record = { shown: [], faults: [] };
  const bench = { stretches: quotesAt(statement.offered), written, record, context, strict: statement.checking.strict };
  for (const { text, quotes: cited, missing, dangling, others } of statement.drafts)
    await showSentence({ text, quotes: quotesAt(cited), missing, dangling }, { ...bench, othersOf: () => others.map(quotesAt) });
  written.writer = statement.answer.model;
  const { sentences, citations } = written.sheet;
  assertSame("sentences", sentences, statement.answer.sentences);
  assertSame("citations", citations.map(citationToWire), statement.answer.citations);
  assertSame("claims", written.claims, statement.answer.claims);
  return written;
}

function assertSame(what: string, found: readonly unknown[], stated: readonly unknown[]): void {
  const most = Math.max(found.length, stated.length);
  for (let i = 0; i < most; i++) {
    if (i >= found.length || i >= stated.length || canonicalJson(found[i]) !== canonicalJson(stated[i]))
      fail(`${what}[${i}] differs between the proof and the repeated checks`);
  }
}

/** Runs the checks of the whole answer again, and compares the results and warnings with the statement. */
async function compareAnswer(
  { answer, evidence, checking }: ProofStatement,
  written: Written,
  passages: readonly Passage[],
  { settings, question, support, reader }: CheckContext,
  models: ProofModels,
): Promise<string> {
  if ((answer.status === "ok") !== (answer.refusal === null)) fail(`the status "${answer.status}" and the refusal contradict each other`);
  if (answer.status === "ok" && answer.sentences.length === 0) fail("the answer has no sentences");
  const judged = evidence.flatMap(({ passage }) =>
    passage === null ? [] : { passage: passages[passage] ?? fail(`the evidence names passage ${passage}, which is missing`) },
  );
  const relevancy = (settings.guards ?? GUARDS).relevancy;
  const encoder = relevancy === null ? null : encoderOf(checking, models);
  const parts = {
    ...{ profile: { check: settings }, encoder, calibrations: relevancy === null ? [] : loadCalibrations(), check: { support, reader } },
    loadTokenCounter: async () => (await import("../text/cl100k.ts")).countTokens,
  };
  const ran = answer.checks.length > 0;
  const whole = ran ? await checkWhole({ question: { resolved: question }, written, evidence: judged }, parts) : [];
  const checks = [...written.checks, ...whole];
  assertSame("checks", checks.map(stateCheck), answer.checks);
  const unsaid = flags(checks).find(({ code, message }) => !answer.warnings.some((one) => one.code === code && one.message === message));
  if (unsaid !== undefined) fail(`the answer lacks the warning "${unsaid.message}"`);
  return `${checks.length} checks were repeated; all give the results recorded in the proof`;
}

/** Checks that the near misses of a refusal are in the documents. Returns a description of the result. */
function compareRefusal({ answer }: ProofStatement, documents: readonly PassageSource[]): string | null {
  if (answer.refusal === null) return "the answer is not a refusal";
  const nearest = nearestOf(answer);
  for (const { document_id, document_version, title, quote } of nearest) {
    const document = documents.find(({ id, version }) => id === document_id && version === document_version);
    if (document === undefined || document.title !== title) fail(`the refusal names "${title}", which is not one of the documents`);
    else if (quote !== null && !document.text.includes(quote)) fail(`the passage listed as nearest to the question is not in "${title}"`);
  }
  return `all ${nearest.length} passages listed as nearest to the question are in their documents`;
}

function nearestOf({ refusal }: ProofStatement["answer"]): NonNullable<WireAnswer["refusal"]>["nearest"] {
  return refusal === null ? [] : (refusal as unknown as NonNullable<WireAnswer["refusal"]>).nearest;
}

/** Returns the shipped models that verify proofs. Each is loaded on first use. */
export function createProofModels() {
  return {
    encoder: once(sharedEncoder),
    support: once(() => createShippedSupport()),
    words: once(() => createWordReader()),
    /** Hashes of the weights, by file. */
    hashes: once(hashWeights),
  };
}
export type ProofModels = ReturnType<typeof createProofModels>;
