import { holdsValue, valuesIn } from "../language/values.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import type { AnswerSentence, CheckResult, Claim } from "../types.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";
import { repairUrls } from "./urls.ts";

export interface CheckContext {
  readonly settings: CheckSettings;
  readonly hosts: readonly string[];
  readonly homePage: string | null;
}

/** A sentence after its checks. */
export interface CheckedSentence {
  readonly text: string;
  /** Shown, or left out. */
  readonly kept: boolean;
  readonly results: readonly Finding[];
  readonly status: Claim["status"];
  readonly reason: string;
}

/**
 * Every check of one sentence, before a reader sees it. A sentence that is a byte-exact quote needs only to be one;
 * any other must cite, hold only values of the quotes that it cites, and carry no foreign address.
 * @param missing numbers that it cites and that no quote has
 */
export function checkSentence(
  text: string,
  cited: readonly CitedQuote[],
  { settings, hosts, homePage }: CheckContext,
  missing: readonly number[] = [],
): CheckedSentence {
  const [only] = cited;
  if (cited.length === 1 && only !== undefined && text === only.text) return checkQuote(only);
  const quotes = cited.filter(({ exact }) => exact).map((quote) => quote.text);
  const addresses = cited.flatMap(({ url }) => (url === null ? [] : [url]));
  const urls = repairUrls(text, { cited: addresses, quotes, mode: settings.urls, hosts, homePage });
  const uncited = quotes.length === 0;
  const strange = settings.values === "off" ? [] : valuesIn(urls.text).filter((value) => !holdsValue(quotes, value));
  const results: Finding[] = [citationsResult(quotes.length, missing, settings.uncited)];
  if (settings.values !== "off") {
    results.push(
      valuesResult(
        strange.map(({ key }) => key),
        settings.values,
      ),
    );
  }
  if (urls.removed.length > 0) results.push(finding("urls", "repaired", 0, `not an address of a cited source: ${urls.removed.join(", ")}`));
  const empty = !/[\p{L}\p{N}]/u.test(urls.text);
  return {
    text: urls.text,
    kept: !empty && results.every(({ verdict }) => verdict !== "fail"),
    results,
    status: uncited || strange.length > 0 ? "unsupported" : "unchecked",
    reason: uncited
      ? "no citation"
      : strange.length > 0
        ? "a value does not stand in the cited quotes"
        : "citations exist and values match; the wording itself was not scored",
  };
}

function checkQuote({ text, exact }: CitedQuote): CheckedSentence {
  return {
    text,
    kept: exact,
    results: [finding("quote", exact ? "pass" : "fail", exact ? 1 : 0, exact ? "is the source, byte for byte" : "differs from the source")],
    status: exact ? "supported" : "unsupported",
    reason: exact ? "the sentence is an exact quote" : "the quote does not stand in the source",
  };
}

function citationsResult(quotes: number, missing: readonly number[], uncited: CheckSettings["uncited"]): Finding {
  const nowhere = missing.length === 0 ? "" : `names ${missing.map((n) => `[${n}]`).join("")}, which no source has`;
  const share = quotes / Math.max(1, quotes + missing.length);
  if (quotes > 0 && missing.length > 0) return finding("citations", "repaired", share, nowhere);
  if (quotes > 0) return finding("citations", "pass", 1, `cites ${quotes} quote${quotes === 1 ? "" : "s"} that exist`);
  const verdict = uncited === "remove" ? "fail" : uncited === "warn" || missing.length > 0 ? "warn" : "pass";
  return finding("citations", verdict, 0, nowhere === "" ? "cites no source" : nowhere);
}

function valuesResult(strange: readonly string[], mode: "remove" | "warn"): Finding {
  if (strange.length === 0) return finding("values", "pass", 1, "every value stands in a cited quote");
  return finding("values", mode === "remove" ? "fail" : "warn", 0, `not in the cited quotes: ${strange.join(", ")}`);
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
