import { Parser } from "htmlparser2";
import { hasWord, type SupportScore, type SupportScorer } from "../models/support.ts";
import { GUARDS, SUPPORT_BANDS } from "../profiles/guards.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import type { AnswerSentence, CheckResult, Claim } from "../shared/types.ts";
import { alignClaim, type ClaimFacts, checkClaim } from "./claim-checks.ts";
import { type CitedQuote, type Finding, finding, type SimilarityScorer } from "./finding.ts";
import { type GuardFacts, guardSentence } from "./guards.ts";
import { fitOf, type Reader } from "./statements.ts";
import { repairUrls } from "./urls.ts";

/**
 * Revision of the checks. Increment it whenever a check gives another result for the same sentence, even if only the
 * wording of a reason changes. Proofs and records store it, so that a verifier can tell another revision from
 * tampering. `revision.test.ts` fails if you forget. Proofs and records of the first revision do not store it.
 */
export const CHECKS_REVISION = 12;

/** Revision of proofs and records that do not store one. */
export const FIRST_CHECKS = 1;

/** Matches text that a browser could parse as a tag, a comment or a declaration. "< 5 %", "a <b" and unclosed tags do not match. */
const EACH_TAG = /<\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>|<!--|<!doctype|<\?/gi;
/** Elements whose content is not readable text. */
const HIDDEN = new Set(["script", "style", "template", "iframe", "noscript", "svg", "math", "object", "title"]);

/**
 * Removes all markup from a sentence. Answers are plain text: clients escape every character, so a tag written by a model
 * would be visible. The sentence stays unchanged if the cited quotes contain all its tags, such as `Rc<T>`.
 */
export function removeMarkup(text: string, quotes: readonly string[] = []): { text: string; found: Finding | null } {
  const written = text.match(EACH_TAG) ?? [];
  if (written.every((tag) => quotes.some((quote) => quote.includes(tag)))) return { text, found: null };
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

/** Returns the index of the source that contains the sentence, ignoring punctuation and case; `null`: none does. */
function findStatedSource(text: string, sources: readonly (readonly CitedQuote[])[], reader: Reader): number | null {
  const lettersOf = (written: string) => (written.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
  const letters = lettersOf(text);
  const at = sources.findIndex((quotes) => quotes.some((quote) => reader.statements(quote).some((one) => lettersOf(one.text) === letters)));
  return at < 0 || letters === "" ? null : at;
}

/**
 * Minimum share of the sentence's words that the quotes of another source must contain, for that source to replace the
 * cited one. The sentence must also pass every check with the other source.
 */
const SURELY_FITS = 0.6;
/** If the checks find no fault with the cited quotes, the share of the other source must exceed theirs by at least this much. */
const CLEARLY_BETTER = 0.15;

/**
 * Returns the index of the source that contains the largest share of the sentence's words and with which the sentence
 * passes its checks. The share must reach `SURELY_FITS` and that of the cited quotes. If the checks find no fault with
 * these quotes, it must exceed theirs by `CLEARLY_BETTER`. Returns `null` if there is no such source.
 * @param cited findings about the cited quotes, and the share of the sentence's words that they contain
 * @param others quotes of every source that is not cited
 * @param align aligns the sentence with quotes
 */
function findBetterSource(
  cited: { readonly findings: readonly Finding[]; readonly fit: number },
  others: readonly (readonly CitedQuote[])[],
  align: (quotes: readonly CitedQuote[]) => ClaimFacts,
): number | null {
  const faulty = cited.findings.some(({ verdict }) => verdict !== "pass");
  const least = Math.max(SURELY_FITS, cited.fit + (faulty ? 0 : CLEARLY_BETTER));
  if (least > 1) return null;
  const aligned = others.map((quotes, at) => ({ at, facts: align(quotes) }));
  const fitting = aligned.map((one) => ({ ...one, fit: fitOf(one.facts.alignment) })).filter(({ fit }) => fit >= least);
  const best = fitting.sort((a, b) => b.fit - a.fit).find(({ facts }) => checkClaim(facts).every(({ verdict }) => verdict === "pass"));
  return best?.at ?? null;
}

export interface CheckContext {
  readonly settings: CheckSettings;
  readonly hosts: readonly string[];
  readonly homePage: string | null;
  /** Caches analysed sentences and quotes for all checks. */
  readonly reader: Reader;
  /** The question. Words and values that the answer repeats from it are not claims. */
  readonly question: string;
  /** Support scorer; `null`: none is installed, so support is not judged. */
  readonly support: Pick<SupportScorer, "id" | "score"> | null;
  /** Compares a sentence that cites nothing with the sources; absent: not compared. */
  readonly similarity?: SimilarityScorer | undefined;
  /** Facts about the domain and tenant for the guards; absent: there are none. */
  readonly guards?: GuardFacts;
}

/** A sentence as written, with its citations. */
export interface SentenceToCheck {
  readonly text: string;
  readonly cited: readonly CitedQuote[];
  /** Cited numbers, such as 9 for `[9]`, that no source has. */
  readonly missing?: readonly number[];
  /** Quotes of the sources that the sentence does not cite. One of these sources may be the right one. */
  readonly others?: readonly (readonly CitedQuote[])[];
}

export interface CheckedSentence {
  readonly text: string;
  /** False if the sentence is removed. */
  readonly kept: boolean;
  /** Index into `others` of the source that replaces the citation, or `null`. */
  readonly recited: number | null;
  readonly results: readonly Finding[];
  readonly status: Claim["status"];
  readonly reason: string;
}

/** Maximum length of a sentence in characters. Nobody could verify a longer one. */
const MAX_SENTENCE_CHARACTERS = 4_000;

/**
 * Checks one sentence before it is shown. An exact quote is checked only by the guards. Any other sentence must cite a
 * quote and agree with its quotes in content, values and names; URLs of other sites are removed or replaced. If an
 * uncited source fits better and supports the sentence, the citation is replaced. A sentence without a citation gets
 * one if a source contains it or, if the profile asks for that, if the most similar source supports it. Shared words
 * alone are not enough: a third of the citations that were chosen by shared words were false.
 */
export async function checkSentence(
  { text: raw, cited, missing = [], others = [] }: SentenceToCheck,
  context: CheckContext,
): Promise<CheckedSentence> {
  const { settings, hosts, homePage, reader, question } = context;
  const guard = (sentence: string, by: readonly CitedQuote[]) =>
    guardSentence(sentence, texts(by), settings.guards ?? GUARDS, context.guards ?? { contacts: [], terminology: [] });
  const [only] = cited;
  if (cited.length === 1 && only !== undefined && raw === only.text) return checkQuote(only, guard(raw, cited));
  if (raw.length > MAX_SENTENCE_CHARACTERS) return tooLong(raw);
  const exact = cited.filter((quote) => quote.exact);
  const { text, found: markup } = removeMarkup(raw, texts(exact));
  const align = (claim: string, quotes: readonly CitedQuote[]) => alignClaim(claim, quotes, question, settings, reader);
  const written = align(text, exact);
  const found = checkClaim(written);
  const stated = settings.recite && exact.length === 0 ? findStatedSource(text, others, reader) : null;
  const cites = { findings: found, fit: fitOf(written.alignment) };
  const better = settings.recite && exact.length > 0 ? findBetterSource(cites, others, (quotes) => align(text, quotes)) : null;
  const nearest = exact.length === 0 && missing.length === 0 ? await findNearestSource(text, others, context) : null;
  const chosen = better ?? nearest;
  const recited = stated ?? (chosen !== null && (await isSupported(text, others[chosen] ?? [], context)) ? chosen : null);
  const quotes = recited === null ? exact : (others[recited] ?? []);
  const addresses = [...cited, ...quotes].flatMap(({ url }) => (url === null ? [] : [url]));
  const urls = repairUrls(text, { cited: addresses, quotes: texts(quotes), mode: settings.urls, hosts, homePage });
  const isAsWritten = recited === null && urls.text === text;
  const findings = isAsWritten ? found : checkClaim(align(urls.text, quotes));
  const citations =
    recited === null
      ? checkCitations(exact.length, missing, settings.uncited)
      : finding("citations", "repaired", 0, "another source of the answer supports it: that one is cited instead");
  const scored = settings.support === null ? null : await scoreSupport(urls.text, quotes, context);
  const results: Finding[] = [citations, ...findings, ...(quotes.length === 0 ? [] : [checkSupport(scored, context)])];
  if (urls.removed.length > 0) results.push(finding("urls", "repaired", 0, `not an address of a cited source: ${urls.removed.join(", ")}`));
  if (markup !== null) results.push(markup);
  results.push(...guard(urls.text, quotes));
  const kept = hasWord(urls.text) && results.every(({ verdict }) => verdict !== "fail");
  return { text: urls.text, kept, recited, results, ...judge(results, quotes.length > 0, scored) };
}

function texts(quotes: readonly CitedQuote[]): string[] {
  return quotes.map(({ text }) => text);
}

/**
 * Returns whether a citation that code chose, not the model, reaches the minimum support score. Such citations are
 * scored even if the profile does not enable scoring, because citations chosen by shared words alone were often false.
 */
async function isSupported(text: string, quotes: readonly CitedQuote[], context: CheckContext): Promise<boolean> {
  const scored = await scoreSupport(text, quotes, context);
  return scored !== null && scored.score >= (context.settings.support ?? SUPPORT_BANDS).unclear;
}

async function scoreSupport(text: string, quotes: readonly CitedQuote[], { support }: CheckContext): Promise<SupportScore | null> {
  if (support === null || quotes.length === 0) return null;
  const [scored = null] = await support.score([{ claim: text, evidence: quotes.map(({ text, above = [] }) => ({ text, above })) }]);
  return scored;
}

/** Applies the support score. Below `unsupported` the sentence is removed; otherwise, below `unclear`, it gets a warning. */
function checkSupport(scored: SupportScore | null, { support, settings }: CheckContext): Finding {
  if (support === null) return finding("support", "pass", null, "no support score is installed");
  if (settings.support === null) return finding("support", "pass", null, "this profile does not ask for a support score");
  if (scored === null) return finding("support", "pass", null, `${support.id} could not score it`);
  const { unsupported, unclear } = settings.support;
  const { score, reason, spans } = scored;
  if (score >= unclear) return finding("support", "pass", score, `support score ${score.toFixed(2)}`);
  return finding("support", score < unsupported ? "fail" : "warn", score, reason, spans);
}

/** Checks of style and safety. Their findings do not affect whether the claim is supported. */
const NOT_OF_THE_CLAIM = new Set(["urls", "html", "pii", "terminology", "injection"]);

/** Derives the status of the claim from the findings. */
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
  const quote = exact
    ? finding("quote", "pass", 1, "is the source, byte for byte")
    : finding("quote", "fail", 0, "differs from the source");
  const results = [...guarded, quote];
  const kept = results.every(({ verdict }) => verdict !== "fail");
  const reason = exact ? "the sentence is an exact quote" : "the quote does not stand in the source";
  return { text, kept, recited: null, results, status: exact ? "supported" : "unsupported", reason };
}

/**
 * Returns the share of citations whose sentence is neither unsupported nor contradicted, a metric of the published
 * `seven-layer` design (docs/profiles.md). Returns `null` if there are no citations.
 */
export function verificationScore(claims: readonly Claim[]): number | null {
  const cited = claims.flatMap(({ citations, status }) => citations.map(() => status));
  const supported = cited.filter((status) => status !== "unsupported" && status !== "contradicted");
  return cited.length === 0 ? null : supported.length / cited.length;
}

export function checkAnswer(sentences: readonly AnswerSentence[], claims: readonly Claim[], settings: CheckSettings): CheckResult[] {
  const found: Finding[] = [];
  if (settings.verificationScore !== null) {
    const score = verificationScore(claims);
    const flagged = `flagged below ${settings.verificationScore * 100} %`;
    const reason =
      score === null ? "no citations to score" : `${Math.round(score * 100)} % of citations support their sentence (${flagged})`;
    found.push(finding("verification-score", score !== null && score < settings.verificationScore ? "warn" : "pass", score, reason));
  }
  if (sentences.length === 0) found.push(finding("complete", "fail", 0, "no sentence stood up to the checks"));
  return found.map((one) => ({ ...one, sentence: null }));
}

/**
 * Checks whether the citations of a sentence exist.
 * @param exact number of cited quotes that the current document contains
 * @param missing cited numbers that no quote has; they are removed from the sentence
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
 * Returns the index of the source most similar to a sentence without citations. The sentence will cite this source and
 * is checked like any other. Returns `null` if no source reaches the minimum, or if the profile does not ask for this.
 * The published `book` design (docs/profiles.md) has this rule.
 */
async function findNearestSource(
  text: string,
  sources: readonly (readonly CitedQuote[])[],
  { settings: { uncitedSimilarity }, similarity: scorer }: CheckContext,
): Promise<number | null> {
  if (uncitedSimilarity === undefined || scorer === undefined) return null;
  const found: { readonly at: number; readonly similarity: number }[] = [];
  for (const [at, quotes] of sources.entries()) {
    const similarity = await scorer.similarity(text, texts(quotes).join(" "));
    if (similarity !== null && similarity >= uncitedSimilarity.minimum) found.push({ at, similarity });
  }
  return found.sort((a, b) => b.similarity - a.similarity)[0]?.at ?? null;
}
