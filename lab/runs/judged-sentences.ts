import { join } from "node:path";
import { type CheckContext, checkSentence } from "../../src/check/check.ts";
import { createReader } from "../../src/check/statements.ts";
import { createRandom } from "../../src/grade/metrics.ts";
import { countRow, type TableRow } from "../../src/grade/report.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { createEmbeddedSupportScorer, readSupportWeights } from "../../src/models/embedded-support.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import type { CheckSettings } from "../../src/profiles/profile.ts";
import type { ChecksSection } from "../sets/drafts.ts";
import { readSupportSet, SUPPORT_FOLDS, supportFold } from "../sets/support-sets.ts";

export interface JudgedOptions {
  /** Folder with the folder `ragtruth`. */
  readonly data: string;
  readonly settings: CheckSettings;
  readonly encoder: EmbeddedEncoder;
  readonly readClaims?: CheckContext["readClaims"];
  /** Answers of each task, drawn with the seed. */
  readonly answers: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/** Tasks whose evidence is prose; records (`data2txt`) are what the support score alone reads. */
const TASKS = ["qa", "summary"] as const;

/**
 * Sentences that models wrote freely and people judged, through every check of a sentence, each with all evidence of its answer as cited
 * quotes. `caught`: a sentence in which people marked something was removed, repaired or warned about; `touched`: one in which they
 * marked nothing was. The support score comes from weights that never saw the source (`lab/train/support/folds`).
 * @returns `null` when the set is not there
 */
export async function evaluateJudgedSentences(options: JudgedOptions): Promise<ChecksSection | null> {
  const { data, settings, encoder, readClaims, answers, seed, signal } = options;
  const items = readSupportSet("ragtruth", data);
  if (items === null) return null;
  const random = createRandom(seed);
  const order = items.map((item) => ({ item, key: random() })).sort((a, b) => a.key - b.key);
  const reader = createReader();
  const contexts = Array.from({ length: SUPPORT_FOLDS }, (_, fold): CheckContext => {
    const weights = readSupportWeights(join(PACKAGE_ROOT, `lab/train/support/folds/fold-${fold}.json`));
    const support = settings.support === null ? null : createEmbeddedSupportScorer(encoder, weights);
    return { settings, hosts: [], homePage: null, reader, question: "", support, readClaims };
  });
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const table: TableRow[] = [];
  for (const task of TASKS) {
    const counts = { marked: 0, caught: 0, unmarked: 0, touched: 0, removed: 0 };
    for (const { item } of order.filter((one) => one.item.task === task).slice(0, answers)) {
      signal?.throwIfAborted();
      const cited = item.evidence.map((text) => ({ text, url: null, exact: true }));
      const context = { ...(contexts[supportFold(item.set, item.group)] as CheckContext), question: item.question ?? "" };
      for (const { start, end, supported } of item.units) {
        const text = item.text.slice(start, end);
        const checked = await checkSentence({ text, cited }, context);
        const found = !checked.kept || checked.results.some(({ verdict }) => verdict !== "pass");
        counts[supported === true ? "unmarked" : "marked"]++;
        if (supported === true && !checked.kept) counts.removed++;
        if (found) counts[supported === true ? "touched" : "caught"]++;
      }
    }
    const put = (name: string, share: number, all: number) => {
      metrics[`judged.${task}.${name}`] = all === 0 ? null : share / all;
      table.push(countRow(`judged.${task}.${name}`, share, all));
    };
    n[`judged.${task}.marked`] = counts.marked;
    n[`judged.${task}.unmarked`] = counts.unmarked;
    put("caught", counts.caught, counts.marked);
    put("touched", counts.touched, counts.unmarked);
    put("removed", counts.removed, counts.unmarked);
  }
  return { n, metrics, table, items: [] };
}
