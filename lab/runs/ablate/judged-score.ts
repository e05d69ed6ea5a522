import type { ClaimJudge } from "../../../src/grading/claim-judge.ts";
import type { GoldenPlaces } from "../../../src/grading/golden-places.ts";
import { scoreAnswer } from "../../../src/grading/score-answer.ts";
import { keyOf, valuesIn } from "../../../src/language/values.ts";
import type { Answer } from "../../../src/shared/types.ts";
import type { FaultFate, LadderScore } from "./ladder-score.ts";

const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s)\]>"']+/gi;
const NO_PLACES: GoldenPlaces = { gold: () => new Map(), quotes: () => [], contradicting: () => new Map() };

/** Scores an answer by our own checks, because its faults are unknown; sentences that were written but not shown are unknown too. */
export async function judgedScore(answer: Answer, judge: ClaimJudge): Promise<LadderScore> {
  const { faults, scores } = await scoreAnswer(answer, null, NO_PLACES, judge);
  const warned = (at: number) =>
    answer.checks.some(({ verdict, sentence }) => verdict === "warn" && (sentence === null || sentence === at));
  const shown = answer.status === "ok" ? answer.sentences : [];
  const fates = faults.flatMap(({ sentence, fault }): FaultFate[] => {
    const text = shown[sentence]?.text ?? "";
    if (fault === "unscored" || fault === null) return [];
    const [type, category] = fault === "misattributed" ? (["swapped", "citation"] as const) : madeUp(text, answer);
    return [{ type, category, written: text, shown: true, quiet: !warned(sentence) }];
  });
  const addresses = shown.flatMap(({ text }, sentence): FaultFate[] =>
    (text.match(ADDRESS) ?? [])
      .filter((address) => !isKnown(address, answer))
      .map(() => ({ type: "url", category: "url", written: text, shown: true, quiet: !warned(sentence) })),
  );
  const faithful = shown.flatMap((_, i) => (faults.some(({ sentence }) => sentence === i) ? [] : [i]));
  const total = shown.reduce((sum, { citations }) => sum + citations.length, 0);
  return {
    faults: [...fates, ...addresses],
    faithful: { written: faithful.length, shown: faithful.length, flagged: faithful.filter(warned).length },
    citations: { total, right: Math.round((scores.citation_precision ?? 0) * total) },
  };
}

/** Classifies a fault as a wrong number if a value is in no passage, otherwise as an invented claim. */
function madeUp(text: string, { evidence }: Answer): readonly ["number", "number"] | readonly ["claim", "hallucination"] {
  const known = new Set(evidence.flatMap(({ passage }) => valuesIn(passage.text).map(keyOf)));
  return valuesIn(text).some((value) => !known.has(keyOf(value))) ? ["number", "number"] : ["claim", "hallucination"];
}

function isKnown(address: string, { evidence }: Answer): boolean {
  const bare = address.toLowerCase().replace(/[.,;:]+$/, "");
  return evidence.some(
    ({ passage }) => passage.text.toLowerCase().includes(bare) || passage.document.url?.toLowerCase().includes(bare) === true,
  );
}
