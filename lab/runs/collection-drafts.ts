import { type CheckContext, checkSentence } from "../../src/checks/check.ts";
import { createReader } from "../../src/checks/statements.ts";
import { auroc } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type TableRow } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { parseMarkers } from "../../src/text/markers.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { DRAFT_FAULTS, readCollection, type WrittenRow } from "../sets/collections.ts";
import { createPageQuotes } from "../sets/page-quotes.ts";
import type { EvaluateEvent } from "./va.ts";

type Draft = Extract<WrittenRow, { type: "draft" }>;

export interface CollectionDraftsOptions {
  readonly names: readonly string[];
  /** Folder with `NAME/pages/`. */
  readonly pages: string;
  readonly profile: string;
  readonly support: CheckContext["support"];
  readonly command: string;
  readonly signal: AbortSignal;
}

interface JudgedSentence {
  readonly text: string;
  readonly isFalse: boolean;
  /** Checks that did not pass. */
  readonly flaggedBy: readonly string[];
  /** Their reasons, as a reader of the answer sees them, in the order of `flaggedBy`. */
  readonly reasons: readonly string[];
  /** Lowest score of each check that has scores. */
  readonly scores: Readonly<Record<string, number>>;
}

/**
 * `eval written`: runs every sentence of the collections' drafts through all checks. Reports flagged faithful drafts and true sentences,
 * false sentences caught by kind, and for each check its flags and the AUROC of its score between true and false sentences.
 */
export async function* evaluateCollectionDrafts(options: CollectionDraftsOptions): AsyncGenerator<EvaluateEvent, void> {
  const { names, pages, profile, support, command, signal } = options;
  const { check: settings } = profileNamed(profile);
  const judged: { collection: string; draft: Draft; sentences: JudgedSentence[] }[] = [];
  for (const [done, name] of names.entries()) {
    yield { type: "progress", done, total: names.length, what: name };
    const { folder, rows } = readCollection(name, pages);
    const quotesOf = createPageQuotes(folder, () => null);
    const reader = createReader();
    for (const draft of rows) {
      if (draft.type !== "draft") continue;
      signal.throwIfAborted();
      const context: CheckContext = { settings, hosts: [], homePage: null, reader, question: draft.question, support };
      const sentences: JudgedSentence[] = [];
      const falseAt = draft.false_words === null ? -1 : draft.draft.indexOf(draft.false_words);
      for (const { start, end } of splitSentences(draft.draft)) {
        const { text, numbers } = parseMarkers(draft.draft.slice(start, end));
        const cited = numbers.flatMap((n) => draft.pages[n - 1] ?? []);
        const checked = await checkSentence(
          { text, cited: cited.flatMap(quotesOf), missing: [], others: draft.pages.filter((page) => !cited.includes(page)).map(quotesOf) },
          context,
        );
        const scores: Record<string, number> = {};
        for (const result of checked.results)
          if (result.score !== null) scores[result.name] = Math.min(result.score, scores[result.name] ?? Number.POSITIVE_INFINITY);
        const flags = checked.results.filter(({ verdict }) => verdict !== "pass");
        const [flaggedBy, reasons] = [flags.map((result) => result.name), flags.map(({ reason }) => reason)];
        sentences.push({ text, isFalse: falseAt >= start && falseAt < end, flaggedBy, reasons, scores });
      }
      judged.push({ collection: name, draft, sentences });
    }
  }
  const sentences = judged.flatMap((one) => one.sentences);
  const [wrong, right] = [sentences.filter(({ isFalse }) => isFalse), sentences.filter(({ isFalse }) => !isFalse)];
  const table: TableRow[] = [];
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const count = (name: string, some: readonly unknown[], hits: number, note?: string) => {
    n[name] = some.length;
    metrics[name] = some.length === 0 ? null : hits / some.length;
    table.push(countRow(name, hits, some.length, note));
  };
  const flagged = (some: readonly JudgedSentence[]) => some.filter(({ flaggedBy }) => flaggedBy.length > 0).length;
  const faithful = judged.filter(({ draft }) => draft.fault === "none");
  count("faithful drafts flagged", faithful, faithful.filter((one) => flagged(one.sentences) > 0).length);
  count("true sentences flagged", right, flagged(right));
  count("false sentences caught", wrong, flagged(wrong));
  for (const fault of DRAFT_FAULTS) {
    if (fault === "none") continue;
    const some = judged.flatMap((one) => (one.draft.fault === fault ? one.sentences.filter(({ isFalse }) => isFalse) : []));
    count(`caught.${fault}`, some, flagged(some));
  }
  for (const check of [...new Set(sentences.flatMap(({ scores, flaggedBy }) => [...Object.keys(scores), ...flaggedBy]))].sort()) {
    const scored = (some: readonly JudgedSentence[]) => some.flatMap(({ scores }) => scores[check] ?? []);
    const value = auroc(scored(right), scored(wrong));
    metrics[`${check}.auroc`] = value;
    const by = (some: readonly JudgedSentence[]) => some.filter(({ flaggedBy }) => flaggedBy.includes(check)).length;
    metrics[`${check}.true.flagged`] = right.length === 0 ? null : by(right) / right.length;
    metrics[`${check}.false.flagged`] = wrong.length === 0 ? null : by(wrong) / wrong.length;
    const note = `flags ${by(right)} of ${right.length} true, ${by(wrong)} of ${wrong.length} false; scores ${scored(right).length} and ${scored(wrong).length}`;
    table.push({ name: `${check}.auroc`, figure: decimal(value), note });
  }
  const items = judged.map(({ collection, draft: { id, fault }, sentences: all }) => ({ collection, id, fault, sentences: all }));
  yield {
    type: "report",
    report: makeReport({ name: "written", command, n, metrics, items }),
    table,
  };
}
