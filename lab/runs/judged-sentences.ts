import { type CheckContext, checkSentence } from "../../src/checks/check.ts";
import { createReader } from "../../src/checks/statements.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, type TableRow } from "../../src/grading/report.ts";
import type { CheckSettings } from "../../src/profiles/profile.ts";
import type { ChecksSection } from "../sets/drafts.ts";
import { readSupportSet } from "../sets/support-sets.ts";

export interface JudgedOptions {
  /** Folder with `ragtruth/`. */
  readonly data: string;
  readonly settings: CheckSettings;
  readonly support: CheckContext["support"];
  /** Number of answers per task, sampled with the seed. */
  readonly answers: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/** Tasks with prose as evidence; structured records (`data2txt`) are evaluated by the entailment score only. */
const TASKS = ["qa", "summary"] as const;

/**
 * Runs model-written sentences judged by people through every check, with all evidence of their answer as cited quotes. `caught`: a
 * sentence with an annotated fault was removed, repaired or flagged; `touched`: a sentence without one was.
 * @returns `null` if the set is missing
 */
export async function evaluateJudgedSentences(options: JudgedOptions): Promise<ChecksSection | null> {
  const { data, settings, support, answers, seed, signal } = options;
  const items = readSupportSet("ragtruth", data);
  if (items === null) return null;
  const random = createRandom(seed);
  const order = items.map((item) => ({ item, key: random() })).sort((a, b) => a.key - b.key);
  const reader = createReader();
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const table: TableRow[] = [];
  for (const task of TASKS) {
    const counts = { marked: 0, caught: 0, unmarked: 0, touched: 0, removed: 0 };
    for (const { item } of order.filter((one) => one.item.task === task).slice(0, answers)) {
      signal?.throwIfAborted();
      const cited = item.evidence.map((text) => ({ text, url: null, exact: true }));
      const context: CheckContext = { settings, hosts: [], homePage: null, reader, question: item.question ?? "", support };
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
