import { readFileSync } from "node:fs";
import { type CheckContext, checkSentence } from "../../src/checks/check.ts";
import type { CitedQuote } from "../../src/checks/finding.ts";
import { createReader } from "../../src/checks/statements.ts";
import { createReaderKeeper, createShippedSupport } from "../../src/engine/local-models.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { usesSupport } from "../../src/profiles/guards.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import type { EvaluateEvent } from "./va.ts";

export interface OwnSentencesOptions {
  /** Tab-separated, with a header: domain, kind, title, quote, false, true. */
  readonly file: string;
  readonly profile: string;
  /** Sentences cite nothing; the quote is only available to the checks. */
  readonly uncited: boolean;
  readonly command: string;
}

interface Row {
  readonly domain: string;
  readonly kind: string;
  readonly title: string;
  readonly quote: string;
  readonly false: string;
  readonly true: string;
}

/** Outcome of a sentence: removed, shown with a warning, or shown without one. */
type Outcome = "struck" | "doubted" | "shown";

interface Judged extends Row {
  readonly falseOutcome: Outcome;
  readonly trueOutcome: Outcome;
  readonly why: readonly string[];
}

/** Runs sentences that contradict their quote in various ways, and true paraphrases, through every check. */
export async function* evaluateOwnSentences({ file, profile, uncited, command }: OwnSentencesOptions): AsyncGenerator<EvaluateEvent, void> {
  const settings = profileNamed(profile).check;
  const keeper = createReaderKeeper();
  const support = usesSupport({ check: settings }) ? createShippedSupport(keeper) : null;
  const context: CheckContext = { settings, hosts: [], homePage: null, reader: createReader(), question: "", support };
  const judged: Judged[] = [];
  for (const row of readRows(file)) {
    const wrong = await judge(row.false, row, uncited, context);
    const right = await judge(row.true, row, uncited, context);
    judged.push({ ...row, falseOutcome: wrong.outcome, trueOutcome: right.outcome, why: [...wrong.why, "|", ...right.why] });
  }
  await keeper.close();
  yield { type: "report", ...summarize(judged, command) };
}

function readRows(file: string): Row[] {
  const [head = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = head.split("\t");
  const cell = (cells: readonly string[], name: string) => {
    const text = cells[names.indexOf(name)];
    if (text === undefined || text === "") throw new Error(`${file}: a row lacks "${name}": ${cells.join(" | ").slice(0, 80)}`);
    return text;
  };
  return lines.map((line) => {
    const cells = line.split("\t");
    const of = (name: string) => cell(cells, name);
    return { domain: of("domain"), kind: of("kind"), title: of("title"), quote: of("quote"), false: of("false"), true: of("true") };
  });
}

async function judge(
  text: string,
  { quote, title }: Row,
  uncited: boolean,
  context: CheckContext,
): Promise<{ outcome: Outcome; why: string[] }> {
  const given: CitedQuote[] = [{ text: quote, url: null, exact: true, above: [title] }];
  const { kept, results } = await checkSentence(uncited ? { text, cited: [], others: [given] } : { text, cited: given }, context);
  const found = results.filter(({ verdict }) => verdict !== "pass");
  return { outcome: !kept ? "struck" : found.length > 0 ? "doubted" : "shown", why: found.map(({ name }) => name) };
}

function summarize(judged: readonly Judged[], command: string) {
  const n: Record<string, number> = { sentences: judged.length * 2 };
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const add = (name: string, rows: readonly Judged[]) => {
    const of = (outcome: "falseOutcome" | "trueOutcome", ...wanted: Outcome[]) =>
      rows.filter((row) => wanted.includes(row[outcome])).length;
    const figures = {
      "false.caught": of("falseOutcome", "struck", "doubted"),
      "false.struck": of("falseOutcome", "struck"),
      "true.touched": of("trueOutcome", "struck", "doubted"),
      "true.struck": of("trueOutcome", "struck"),
    };
    for (const [figure, count] of Object.entries(figures)) {
      metrics[`${name}.${figure}`] = count / rows.length;
      table.push(countRow(`${name} ${figure}`, count, rows.length));
    }
    n[name] = rows.length;
  };
  add("all", judged);
  for (const by of ["domain", "kind"] as const)
    for (const name of [...new Set(judged.map((row) => row[by]))])
      add(
        name,
        judged.filter((row) => row[by] === name),
      );
  return {
    report: makeReport({ name: "sentences", command, n, metrics, items: judged.map((item) => ({ ...item })) }),
    table,
  };
}
