import { Parser } from "htmlparser2";
import type { EvidenceText, SupportScore, SupportScorer } from "../models/support.ts";
import { GUARDS, SUPPORT_BANDS } from "../profiles/guards.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import type { AnswerSentence, CheckResult, Claim } from "../shared/types.ts";
import { fitOf } from "./alignment.ts";
import { alignClaim, checkClaim } from "./claim-checks.ts";
import type { SimilarityScorer } from "./finding.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";
import { type GuardFacts, guardSentence, NO_FACTS } from "./guards.ts";
import type { Reader } from "./statements.ts";
import { repairUrls } from "./urls.ts";

/**
 * Number of what the checks do. It is raised whenever one of them says another thing of the same sentence, be it by a word: proofs and records name it, so that a
 * verifier can tell an answer of other checks from one that was tampered with. `revision.test.ts` fails where it was forgotten. 1: everything before records
 * named it.
 */
export const CHECKS_REVISION = 12;

/** Of records and proofs that name none. */
export const FIRST_CHECKS = 1;

/** What a browser could take for a tag, a comment or a declaration; "< 5 %" and "a <b" are none, nor is a tag without an end. */
const MAYBE_TAG = /<\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>|<!--|<!doctype|<\?/i;
/** Elements whose text is no text for readers. */
const HIDDEN = new Set(["script", "style", "template", "iframe", "noscript", "svg", "math", "object", "title"]);
const EACH_TAG = new RegExp(MAYBE_TAG, "gi");

/**
 * Takes markup out of a sentence: its allowlist is empty. An answer is text; whatever draws it escapes every character, and a tag
 * that a model wrote would only be read as words. What a cited quote says so itself, such as `Rc<T>`, is no markup but its words.
 */
export function removeMarkup(text: string, quotes: readonly string[] = []): { text: string; found: Finding | null } {
  const tags = text.match(EACH_TAG) ?? [];
  if (tags.every((tag) => quotes.some((quote) => quote.includes(tag)))) return { text, found: null };
  return takeOut(text);
}

function takeOut(text: string): { text: string; found: Finding | null } {
  let kept = "";
  const tags = new Set<string>();
  let hidden = 0;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        tags.add(name);
        if (HIDDEN.has(name)) hidden++;
      },
      onclosetag: (name) => {
        if (HIDDEN.has(name)) hidden--;
      },
      oncomment: () => {
        tags.add("comment");
      },
      onprocessinginstruction: (name) => {
        tags.add(name);
      },
      ontext: (piece) => {
        if (hidden === 0) kept += piece;
      },
    },
    { decodeEntities: false },
  );
  parser.end(text);
  const cleaned = kept.replaceAll(/[ \t]{2,}/g, " ").trim();
  if (cleaned === text) return { text, found: null };
  const names = [...tags].slice(0, 5).join(", ");
  return { text: cleaned, found: finding("html", "repaired", 0, `markup was taken out${names === "" ? "" : `: ${names}`}`) };
}

/** The source that has a sentence as its own, but for marks and case: its index, or `null`. */
function findStatedSource(text: string, sources: readonly (readonly CitedQuote[])[], reader: Reader): number | null {
  const said = lettersOf(text);
  const at = sources.findIndex((quotes) => quotes.some((quote) => reader.statements(quote).some((one) => lettersOf(one.text) === said)));
  return at < 0 || said === "" ? null : at;
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Another source must hold this share of the sentence's words, and pass every check, to be cited instead. */
const SURELY_FITS = 0.6;
/** How much better it must fit than a source in which nothing is wrong. */
const CLEARLY_BETTER = 0.15;

/**
 * A source of the answer's evidence that has the words of a sentence where the cited ones do not, or hardly: its index, or `null`.
 * @param cited what the checks said of the cited quotes, and how well their best statement fits
 * @param others quotes of every other source
 */
function findBetterSource(
  text: string,
  question: string,
  cited: { readonly findings: readonly Finding[]; readonly fit: number },
  others: readonly (readonly CitedQuote[])[],
  settings: CheckSettings,
  reader: Reader,
): number | null {
  const faulty = cited.findings.some(({ verdict }) => verdict !== "pass");
  const least = Math.max(SURELY_FITS, cited.fit + (faulty ? 0 : CLEARLY_BETTER));
  if (least > 1) return null;
  let best: number | null = null;
  let top = 0;
  others.forEach((quotes, i) => {
    const facts = alignClaim(text, quotes, question, settings, reader);
    const fit = fitOf(facts.alignment);
    if (fit < least || fit <= top || checkClaim(facts).some(({ verdict }) => verdict !== "pass")) return;
    best = i;
    top = fit;
  });
  return best;
}

export interface CheckContext {
  readonly settings: CheckSettings;
  readonly hosts: readonly string[];
  readonly homePage: string | null;
  /** Reads sentences and quotes once for all checks. */
  readonly reader: Reader;
  /** What was asked: its words and values are no claims of the answer. */
  readonly question: string;
  /** `null`: no support score is installed; what the sentence says is not judged. */
  readonly support: Pick<SupportScorer, "id" | "score"> | null;
  /** Compares an uncited sentence with sources, where the profile asks for that. */
  readonly similarity?: SimilarityScorer | undefined;
  /** What the guards know of domain and tenant; absent: nothing. */
  readonly guards?: GuardFacts;
}

/** A sentence as written, with what it cites. */
export interface SentenceToCheck {
  readonly text: string;
  readonly cited: readonly CitedQuote[];
  /** Numbers that it cites and that no quote has. */
  readonly missing?: readonly number[];
  /** The answer's other sources, each with its quotes: one of them may be the right one. */
  readonly others?: readonly (readonly CitedQuote[])[];
}

/** A sentence after its checks. */
export interface CheckedSentence {
  readonly text: string;
  /** Shown, or left out. */
  readonly kept: boolean;
  /** Index into `others` of the source that is cited instead; `null`: as written. */
  readonly recited: number | null;
  readonly results: readonly Finding[];
  readonly status: Claim["status"];
  readonly reason: string;
}

/** Longer sentences, in characters, are not read through: nobody could check one. */
const MAX_SENTENCE_CHARACTERS = 4_000;

/**
 * Every check of one sentence, before a reader sees it. A sentence that is a byte-exact quote needs only to be one; any other must
 * cite, say only what its quotes say, with their values and names, and carry no foreign address. If another source of the
 * answer supports it and the cited one does not, that one is cited. What cites nothing gets a source only where it is a source's own
 * sentence: of sentences in other words that were given one by their words, a third was false.
 */
export async function checkSentence(
  { text: raw, cited, missing = [], others = [] }: SentenceToCheck,
  context: CheckContext,
): Promise<CheckedSentence> {
  const { settings, hosts, homePage, reader, question } = context;
  const guard = (sentence: string, by: readonly CitedQuote[]) =>
    guardSentence(sentence, texts(by), settings.guards ?? GUARDS, context.guards ?? NO_FACTS);
  const [only] = cited;
  if (cited.length === 1 && only !== undefined && raw === only.text) return checkQuote(only, guard(raw, cited));
  if (raw.length > MAX_SENTENCE_CHARACTERS) return tooLong(raw);
  const exact = cited.filter((quote) => quote.exact);
  const { text, found: markup } = removeMarkup(raw, texts(exact));
  const written = alignClaim(text, exact, question, settings, reader);
  const fit = fitOf(written.alignment);
  const found = checkClaim(written);
  const stated = settings.recite && exact.length === 0 ? findStatedSource(text, others, reader) : null;
  const better =
    settings.recite && exact.length > 0 ? findBetterSource(text, question, { findings: found, fit }, others, settings, reader) : null;
  const nearest = exact.length === 0 && missing.length === 0 ? await nearestSource(text, others, context) : null;
  const chosen = better ?? nearest;
  const recited = stated ?? (chosen !== null && (await isBorneOut(text, others[chosen] ?? [], context)) ? chosen : null);
  const quotes = recited === null ? exact : (others[recited] ?? []);
  const addresses = [...cited, ...quotes].flatMap(({ url }) => (url === null ? [] : [url]));
  const urls = repairUrls(text, { cited: addresses, quotes: texts(quotes), mode: settings.urls, hosts, homePage });
  const isAsWritten = recited === null && urls.text === text;
  const findings = isAsWritten ? found : checkClaim(alignClaim(urls.text, quotes, question, settings, reader));
  const citations =
    recited === null
      ? checkCitations(exact.length, missing, settings.uncited)
      : finding("citations", "repaired", 0, "another source of the answer supports it: that one is cited instead");
  const scored = settings.support === null ? null : await scoreSupport(urls.text, quotes, context);
  const results: Finding[] = [citations, ...findings, ...(quotes.length === 0 ? [] : [checkSupport(scored, context)])];
  if (urls.removed.length > 0) results.push(finding("urls", "repaired", 0, `not an address of a cited source: ${urls.removed.join(", ")}`));
  if (markup !== null) results.push(markup);
  results.push(...guard(urls.text, quotes));
  const empty = !/[\p{L}\p{N}]/u.test(urls.text);
  return {
    text: urls.text,
    kept: !empty && isKept(results),
    recited,
    results,
    ...judge(results, quotes.length > 0, scored),
  };
}

function isKept(results: readonly Finding[]): boolean {
  return results.every(({ verdict }) => verdict !== "fail");
}

async function nearestSource(
  text: string,
  others: readonly (readonly CitedQuote[])[],
  { settings, similarity }: CheckContext,
): Promise<number | null> {
  const { uncitedSimilarity } = settings;
  if (uncitedSimilarity === undefined || similarity === undefined) return null;
  return findNearestSource(text, others, similarity, uncitedSimilarity.minimum);
}

function texts(quotes: readonly CitedQuote[]): string[] {
  return quotes.map(({ text }) => text);
}

/**
 * The evidence supports the sentence by the support score, whatever the profile asks: a citation that we choose is our own word, and shared words alone gave
 * false sentences one.
 */
async function isBorneOut(text: string, quotes: readonly CitedQuote[], context: CheckContext): Promise<boolean> {
  const scored = await scoreSupport(text, quotes, context);
  return scored !== null && scored.score >= (context.settings.support ?? SUPPORT_BANDS).unclear;
}

async function scoreSupport(text: string, quotes: readonly CitedQuote[], { support }: CheckContext): Promise<SupportScore | null> {
  if (support === null || quotes.length === 0) return null;
  const [scored = null] = await support.score([{ claim: text, evidence: quotes.map(toEvidence) }]);
  return scored;
}

function toEvidence({ text, above = [] }: CitedQuote): EvidenceText {
  return { text, above };
}

/** Do the quotes support the sentence? Below the lower band it is removed, below the upper one the reader is warned. */
function checkSupport(scored: SupportScore | null, { support, settings }: CheckContext): Finding {
  if (support === null) return finding("support", "pass", null, "no support score is installed");
  if (settings.support === null) return finding("support", "pass", null, "this profile does not ask for a support score");
  if (scored === null) return finding("support", "pass", null, `${support.id} could not score it`);
  const { unsupported, unclear } = settings.support;
  const { score, reason, spans } = scored;
  if (score >= unclear) return finding("support", "pass", score, `support score ${score.toFixed(2)}`);
  return finding("support", score < unsupported ? "fail" : "warn", score, reason, spans);
}

/** Checks of how a sentence is put: they say nothing of whether it is true. */
const NOT_OF_THE_CLAIM = new Set(["urls", "html", "pii", "terminology", "injection"]);

/** The verdict on the claim, from what the checks found. */
function judge(results: readonly Finding[], cited: boolean, scored: SupportScore | null): Pick<CheckedSentence, "status" | "reason"> {
  if (!cited) return { status: "unsupported", reason: "no citation" };
  const fault = results.find(({ name, verdict }) => !NOT_OF_THE_CLAIM.has(name) && (verdict === "fail" || verdict === "warn"));
  if (fault !== undefined) {
    const contradicted = fault.name === "support" && scored?.contradicted === true;
    return { status: contradicted ? "contradicted" : "unsupported", reason: fault.reason };
  }
  if (scored !== null) return { status: "supported", reason: results.find(({ name }) => name === "support")?.reason ?? "" };
  return { status: "unchecked", reason: "citations exist, and values and names match; what the sentence says was not scored" };
}

function tooLong(text: string): CheckedSentence {
  const reason = `longer than ${MAX_SENTENCE_CHARACTERS} characters`;
  return { text, kept: false, recited: null, results: [finding("length", "fail", 0, reason)], status: "unsupported", reason };
}

function checkQuote({ text, exact }: CitedQuote, guarded: readonly Finding[]): CheckedSentence {
  return {
    text,
    kept: exact && guarded.every(({ verdict }) => verdict !== "fail"),
    recited: null,
    results: [
      ...guarded,
      finding("quote", exact ? "pass" : "fail", exact ? 1 : 0, exact ? "is the source, byte for byte" : "differs from the source"),
    ],
    status: exact ? "supported" : "unsupported",
    reason: exact ? "the sentence is an exact quote" : "the quote does not stand in the source",
  };
}

/** Share of citations whose sentence the checks did not find unsupported (`seven-layer` source, equation 4); `null` without citations. */
export function verificationScore(claims: readonly Claim[]): number | null {
  const total = claims.reduce((sum, { citations }) => sum + citations.length, 0);
  const supported = claims.reduce(
    (sum, { citations, status }) => sum + (status === "unsupported" || status === "contradicted" ? 0 : citations.length),
    0,
  );
  return total === 0 ? null : supported / total;
}

/** Checks of the answer as a whole. */
export function checkAnswer(sentences: readonly AnswerSentence[], claims: readonly Claim[], settings: CheckSettings): CheckResult[] {
  const results: CheckResult[] = [];
  const score = verificationScore(claims);
  if (settings.verificationScore !== null) {
    const low = score !== null && score < settings.verificationScore;
    results.push({
      name: "verification-score",
      verdict: low ? "warn" : "pass",
      score,
      reason:
        score === null
          ? "no citations to score"
          : `${Math.round(score * 100)} % of citations support their sentence (flagged below ${settings.verificationScore * 100} %)`,
      spans: [],
      sentence: null,
    });
  }
  if (sentences.length === 0) {
    results.push({ name: "complete", verdict: "fail", score: 0, reason: "no sentence stood up to the checks", spans: [], sentence: null });
  }
  return results;
}

/**
 * Do the citations of a sentence exist?
 * @param exact cited quotes that stand in their document today
 * @param missing numbers that it cites and that no quote has; they are stripped
 */
function checkCitations(exact: number, missing: readonly number[], uncited: CheckSettings["uncited"]): Finding {
  const nowhere = missing.length === 0 ? "" : `names ${missing.map((n) => `[${n}]`).join("")}, which no source has`;
  const share = exact / Math.max(1, exact + missing.length);
  if (exact > 0 && missing.length > 0) return finding("citations", "repaired", share, nowhere);
  if (exact > 0) return finding("citations", "pass", 1, `cites ${exact} quote${exact === 1 ? "" : "s"} that exist`);
  const verdict = uncited === "remove" ? "fail" : uncited === "warn" || missing.length > 0 ? "warn" : "pass";
  return finding("citations", verdict, 0, nowhere === "" ? "cites no source" : nowhere);
}

/**
 * The source to which an uncited sentence is nearest, when it is near enough (`book` source, validation steps 3 and 4): its index, or `null`
 * when none is, or nothing could be compared. The source asks for similarity to a chunk; the sentence is then cited and checked like any other.
 */
export async function findNearestSource(
  text: string,
  sources: readonly (readonly CitedQuote[])[],
  scorer: SimilarityScorer,
  minimum: number,
): Promise<number | null> {
  let best: number | null = null;
  let top = minimum;
  for (const [i, quotes] of sources.entries()) {
    const similarity = await scorer.similarity(text, quotes.map((quote) => quote.text).join(" "));
    if (similarity === null || similarity < top || (best !== null && similarity === top)) continue;
    best = i;
    top = similarity;
  }
  return best;
}
