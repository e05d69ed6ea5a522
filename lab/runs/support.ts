import { auroc, createRandom } from "../../src/grading/metrics.ts";
import { decimal } from "../../src/grading/report.ts";
import type { SupportScorer } from "../../src/models/support.ts";
import type { ChecksSection } from "../sets/drafts.ts";
import { readSupportSet, type SupportSetName } from "../sets/support-sets.ts";

export interface SupportOptions {
  /** Folder of sets, one folder each. */
  readonly data: string;
  readonly support: Pick<SupportScorer, "score">;
  /** Number of answers per set, sampled with the seed. */
  readonly answers: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Measures how well the entailment score separates supported answers of a public set from others: AUROC of the lowest score of an answer's
 * sentences.
 * @returns `null` if the set is missing
 */
export async function evaluateSupport(name: SupportSetName, options: SupportOptions): Promise<ChecksSection | null> {
  const { data, support, answers, seed, signal } = options;
  const random = createRandom(seed);
  const drawn = (readSupportSet(name, data) ?? []).map((item) => ({ item, key: random() })).sort((a, b) => a.key - b.key);
  if (drawn.length === 0) return null;
  const judged: { id: string; task: string; supported: boolean; score: number }[] = [];
  for (const { item } of drawn.slice(0, answers)) {
    const evidence = item.evidence.map((text) => ({ text, above: [] }));
    const scores = await support.score(
      item.units.map(({ start, end }) => ({ claim: item.text.slice(start, end), evidence })),
      { signal },
    );
    const known = scores.flatMap((one) => one?.score ?? []);
    if (known.length > 0) judged.push({ id: item.id, task: item.task, supported: item.supported, score: Math.min(...known) });
  }
  const of = (supported: boolean) => judged.filter((one) => one.supported === supported).map(({ score }) => score);
  const value = auroc(of(true), of(false));
  return {
    n: { [name]: judged.length, [`${name}.unsupported`]: of(false).length },
    metrics: { [`${name}.auroc`]: value },
    table: [{ name: `${name}.auroc`, figure: decimal(value), note: `${judged.length} answers, ${of(false).length} unsupported` }],
    items: judged.map((one) => ({ set: name, ...one })),
  };
}
