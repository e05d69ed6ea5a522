import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createReaderKeeper, createShippedSupport } from "../../src/engine/local-models.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGoldenSet } from "../../src/grading/golden-set.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { textExtensions } from "../../src/ingest/formats/formats.ts";
import { scanFolder } from "../../src/ingest/scan.ts";
import { type VerifiedSentence, type VerifyOptions, verifyAnswer } from "../../src/pipeline/verify-answer.ts";
import { type MadeDraft, makeDrafts } from "../made/golden-drafts.ts";
import type { EvaluateEvent } from "./va.ts";

export interface MadeDraftsOptions {
  readonly sets: readonly ChosenFolders[];
  readonly seed: number;
  readonly command: string;
  readonly signal: AbortSignal;
}

interface Judged {
  readonly set: string;
  readonly draft: MadeDraft;
  readonly verdict: VerifiedSentence["verdict"];
  /** Checks that did not pass. */
  readonly found: readonly string[];
  readonly reason: string;
}

/** Runs sentences made from gold quotes through `verifyAnswer`; each cites its page, with the question's other pages as sources. */
export async function* evaluateMadeDrafts({ sets, seed, command, signal }: MadeDraftsOptions): AsyncGenerator<EvaluateEvent, void> {
  const judged: Judged[] = [];
  const keeper = createReaderKeeper();
  const support = createShippedSupport(keeper);
  for (const folders of sets) {
    const set = readGoldenSet(folders);
    yield { type: "progress", done: judged.length, total: judged.length, what: `${set.name}: making drafts` };
    const { files } = scanFolder(set.documents, set.corpus, textExtensions);
    const drafts = makeDrafts(
      set,
      files.map(({ path }) => path),
      createRandom(seed),
    );
    // Drafts with the same sources form one answer, so that the sources are parsed once.
    for (const [key, group] of Map.groupBy(drafts, ({ question, sources }) => JSON.stringify([question, ...sources]))) {
      await setImmediate();
      yield { type: "progress", done: judged.length, total: judged.length + drafts.length, what: `${set.name}: ${key}` };
      judged.push(...(await judgeGroup(set.name, set.corpus, group, { support, signal })));
    }
  }
  await keeper.close();
  yield { type: "report", ...summarize(judged, seed, command) };
}

async function judgeGroup(set: string, corpus: string, drafts: readonly MadeDraft[], options: VerifyOptions): Promise<Judged[]> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-drafts-"));
  try {
    const pages = [...new Set(drafts.flatMap(({ pages: cited, sources }) => [...cited, ...sources]))].sort();
    // Sources are numbered in the order of their names.
    const names = pages.map((page, i) => `${String(i).padStart(3, "0")}${extname(page)}`);
    for (const [i, page] of pages.entries()) cpSync(join(corpus, page), join(folder, names[i] as string));
    const starts: number[] = [];
    let answer = "";
    for (const { text, pages: cited } of drafts) {
      starts.push(answer.length);
      answer += `${text.replace(/\.$/, "")} ${cited.map((page) => `[${pages.indexOf(page) + 1}]`).join("")}.\n\n`;
    }
    const [first] = drafts;
    const { sentences, sources: read } = await verifyAnswer(first?.question ?? "", answer, folder, options);
    if (read.map(({ path }) => path).join("\n") !== names.join("\n"))
      throw new Error(`not every page of ${set} was read as one source: ${pages.join(", ")}`);
    return drafts.flatMap((draft, i): Judged[] => {
      const [start, end] = [starts[i] as number, starts[i + 1] ?? answer.length];
      const own = sentences.filter((sentence) => sentence.start >= start && sentence.start < end);
      const worst = (["fail", "warn", "repaired"] as const).find((verdict) => own.some((one) => one.verdict === verdict));
      const checks = own.flatMap((one) => one.checks.filter(({ verdict }) => verdict !== "pass"));
      const found = [...new Set(checks.map(({ name }) => name))];
      return own.length === 0
        ? []
        : [{ set, draft, verdict: worst ?? "pass", found, reason: checks.map(({ reason }) => reason).join("; ") }];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summarize(judged: readonly Judged[], seed: number, command: string) {
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const count = (name: string, some: readonly Judged[], note?: string) => {
    const hits = some.filter(({ verdict }) => verdict !== "pass").length;
    metrics[name] = some.length === 0 ? null : hits / some.length;
    table.push(countRow(name, hits, some.length, note));
  };
  const kinds = [...new Set(judged.map(({ draft }) => draft.fault))].sort(
    (a, b) => Number(a === "none") - Number(b === "none") || (a < b ? -1 : 1),
  );
  const sets = [...new Set(judged.map(({ set }) => set))];
  const nameOf = (kind: string) => (kind === "none" ? "faithful.touched" : `${kind}.caught`);
  for (const kind of kinds) {
    const some = judged.filter(({ draft }) => draft.fault === kind);
    count(nameOf(kind), some, layersOf(some));
    for (const from of ["quote", "answer"])
      count(
        `  ${nameOf(kind)}.${from}`,
        some.filter(({ draft }) => draft.from === from),
        from === "quote" ? "of sentences of gold quotes" : "of answers that people wrote",
      );
    for (const rule of [...new Set(some.map(({ draft }) => draft.rule))])
      count(
        `  ${kind === "none" ? "faithful" : kind}.${rule}`,
        some.filter(({ draft }) => draft.rule === rule),
      );
  }
  for (const set of sets)
    for (const kind of kinds)
      count(
        `${set}.${nameOf(kind)}`,
        judged.filter((one) => one.set === set && one.draft.fault === kind),
      );
  const items = judged.map(({ set, draft, ...rest }) => ({ set, ...draft, ...rest }));
  const n = Object.fromEntries(kinds.map((kind) => [kind, judged.filter(({ draft }) => draft.fault === kind).length]));
  const named = Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name.trim(), value]));
  return { report: makeReport({ name: "drafts", command, seed, n, metrics: named, items }), table };
}

function layersOf(judged: readonly Judged[]): string {
  const layers = new Map<string, number>();
  for (const name of judged.flatMap(({ found }) => found)) layers.set(name, (layers.get(name) ?? 0) + 1);
  const listed = [...layers].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name, hits]) => `${name} ${hits}`);
  return listed.length === 0 ? "" : `by ${listed.join(", ")}`;
}
