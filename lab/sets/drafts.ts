import { type CheckContext, type CheckedSentence, checkSentence } from "../../src/checks/check.ts";
import { createReader } from "../../src/checks/statements.ts";
import { type DomainPack, documentUrl } from "../../src/engine/domain.ts";
import { answerableSchema, readGolden } from "../../src/grading/golden.ts";
import { countRow, type TableRow } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { parseMarkers } from "../../src/text/markers.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { type Draft, draftSchema, FAULTS, type Fault } from "./golden-drafts.ts";
import { createPageQuotes } from "./page-quotes.ts";

/** Result of one section of `eval checks`. */
export interface ChecksSection {
  readonly n: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly table: readonly TableRow[];
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

export interface DraftOptions {
  /** Folder with `pages/`. */
  readonly corpus: string;
  readonly golden: string;
  /** Base address of the pages. @default the domain's */
  readonly baseUrl?: string | undefined;
  readonly domain: Pick<DomainPack, "base_url" | "strip_prefix" | "hosts" | "home_page">;
  readonly profile: string;
  readonly support: CheckContext["support"];
}

/** Checks that may catch each kind of fault; findings of others do not count. */
const LISTED: Readonly<Record<Exclude<Fault, "none">, readonly string[]>> = {
  number: ["values", "support"],
  citation: ["citations", "values", "entities", "support"],
  url: ["urls"],
  entity: ["entities", "values", "support"],
  negation: ["support"],
  unsupported: ["values", "entities", "support"],
};

interface JudgedSentence {
  readonly text: string;
  readonly faulty: boolean;
  readonly checked: CheckedSentence;
  /** Checks that did not pass. */
  readonly fired: readonly string[];
}

/** Measures recall on faults of golden drafts and false positives on faithful ones. Evidence: every possible quote of the cited pages. */
export async function evaluateDrafts({ corpus, golden, baseUrl, domain, profile, support }: DraftOptions): Promise<ChecksSection> {
  const drafts = readGolden(golden, "va-drafts", draftSchema);
  const questions = new Map(readGolden(golden, "va-answerable", answerableSchema).map(({ id, question }) => [id, question]));
  const urlOf = (page: string) => documentUrl({ ...domain, base_url: baseUrl ?? domain.base_url }, page);
  const quotesOf = createPageQuotes(corpus, urlOf);
  const reader = createReader();
  const { check } = profileNamed(profile);
  const judged: { draft: Draft; sentences: JudgedSentence[] }[] = [];
  for (const draft of drafts) {
    const question = questions.get(draft.question_id) ?? "";
    const { hosts, home_page: homePage } = domain;
    const context: CheckContext = { settings: check, hosts, homePage, reader, question, support };
    const sentences: JudgedSentence[] = [];
    for (const range of splitSentences(draft.draft)) {
      const { text, numbers } = parseMarkers(draft.draft.slice(range.start, range.end));
      const pageOf = (n: number) => draft.source_pages[n - 1];
      const pages = numbers.flatMap((n) => pageOf(n) ?? []);
      const checked = await checkSentence(
        {
          text,
          cited: pages.flatMap(quotesOf),
          missing: numbers.filter((n) => pageOf(n) === undefined),
          others: draft.source_pages.filter((page) => !pages.includes(page)).map(quotesOf),
        },
        context,
      );
      const [from, to] = draft.faulty_span ?? [0, 0];
      const fired = checked.results.filter(({ verdict }) => verdict !== "pass").map(({ name }) => name);
      sentences.push({ text, faulty: from < range.end && range.start < to, checked, fired });
    }
    judged.push({ draft, sentences });
  }
  return summarize(judged);
}

function summarize(judged: readonly { draft: Draft; sentences: readonly JudgedSentence[] }[]): ChecksSection {
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const table: TableRow[] = [];
  const items: Record<string, unknown>[] = [];
  for (const fault of FAULTS) {
    const some = judged.filter(({ draft }) => draft.fault === fault);
    n[`faults.${fault}`] = some.length;
    const layers = new Map<string, number>();
    let hits = 0;
    for (const { draft, sentences } of some) {
      const looked = fault === "none" ? sentences : sentences.filter(({ faulty }) => faulty);
      const fired = new Set(looked.flatMap((sentence) => sentence.fired));
      const hit = fault === "none" ? fired.size > 0 || looked.some(isChanged) : LISTED[fault].some((name) => fired.has(name));
      if (hit) hits++;
      for (const name of fired) layers.set(name, (layers.get(name) ?? 0) + 1);
      items.push({ id: draft.id, fault, hit, found: looked.flatMap(foundIn) });
    }
    const name = `faults.${fault}.${fault === "none" ? "touched" : "caught"}`;
    metrics[name] = some.length === 0 ? null : hits / some.length;
    for (const [layer, count] of layers) metrics[`faults.${fault}.by.${layer}`] = count / some.length;
    const by = [...layers].map(([layer, count]) => `${layer} ${count}`).join(", ");
    table.push(countRow(name, hits, some.length, by === "" ? "" : `found by: ${by}`));
  }
  return { n, metrics, table, items };
}

function isChanged({ text, checked }: JudgedSentence): boolean {
  return !checked.kept || checked.text !== text || checked.recited !== null;
}

function foundIn({ text, checked }: JudgedSentence): { sentence: string; check: string; verdict: string; reason: string }[] {
  return checked.results
    .filter(({ verdict }) => verdict !== "pass")
    .map(({ name, verdict, reason }) => ({ sentence: text, check: name, verdict, reason }));
}
