import { mean, quantile } from "../../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type Report, type TableRow } from "../../../src/grading/report.ts";
import type { AblatedItem, AblatedQuestion, Writer } from "./ablated-item.ts";
import type { FaultCategory } from "./faults.ts";
import type { FaultType } from "./ladder-score.ts";
import type { Rung } from "./rungs.ts";
import type { FaultRates } from "./scripted-model.ts";

/** Fault rates of the source design's model without any layer (source 000, table 1). */
export const SOURCE_RATES: FaultRates = { hallucination: 0.12, number: 0.06, url: 0.08, citation: 0.05 };

/** The source design's claims for no layers, four and seven (table 1), verbatim. */
const CLAIMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  hallucination: { none: "12 %", four: "3.2 %", seven: "1.5 %" },
  url: { none: "8 %", four: "0.5 %", seven: "0.2 %" },
  number: { none: "6 %", four: "4 %", seven: "0.8 %" },
  stored: { none: "5 %", four: "3 %", seven: "0 %" },
  weak: { none: "15 %", four: "4 % (flagged)", seven: "0 % (refused)" },
  verification: { none: "78 %", four: "94 %", seven: "98 %" },
};

const FAULT_TYPES: readonly FaultType[] = ["claim", "negation", "entity", "number", "url", "nowhere", "swapped"];

/** Results of one writer under all profiles. */
export interface AblatedWriter {
  readonly writer: Writer;
  readonly rungs: readonly Rung[];
  readonly items: readonly AblatedItem[];
  readonly questions: readonly AblatedQuestion[];
  readonly rounds: number;
}

/** Rows and metrics of one writer, filled step by step. */
interface Sheet extends AblatedWriter {
  readonly table: TableRow[];
  readonly metrics: Record<string, number | null>;
  of(rung: Rung): readonly AblatedItem[];
}

export function summarizeAblation(
  writers: readonly AblatedWriter[],
  { command, seed, rates }: { readonly command: string; readonly seed: number; readonly rates: FaultRates },
): { report: Report; table: TableRow[] } {
  const sheets = writers.map(
    (one): Sheet => ({ ...one, table: [], metrics: {}, of: (rung) => one.items.filter((item) => item.rung === rung.name) }),
  );
  for (const sheet of sheets) {
    addHead(sheet, rates);
    addShown(sheet, "hallucination_rate", "hallucination", "answers that show an invented statement, a turned negation or another name");
    addWrongPassages(sheet);
    addShown(sheet, "false_urls", "url", "answers that show an address that no source has");
    addShown(sheet, "fabricated_numbers", "number", "answers that show a number that was changed or made up");
    addShown(sheet, "invalid_citations", "citation", "answers that show a citation to no source or to the wrong one");
    addStored(sheet);
    addWeak(sheet);
    addVerification(sheet);
    addFaithful(sheet);
    addCost(sheet);
    addRouting(sheet);
    if (sheet.writer === "scripted") addTypes(sheet);
  }
  const [first] = writers;
  const report = makeReport({
    name: "ablate",
    command,
    seed,
    n: {
      questions: first?.questions.length ?? 0,
      answerable: first?.questions.filter(({ kind }) => kind === "answerable").length ?? 0,
      rounds: first?.rounds ?? 0,
      ...Object.fromEntries(
        sheets.flatMap((sheet) => sheet.rungs.map((rung) => [`${sheet.writer}.${rung.name}.answered`, answeredOf(sheet.of(rung)).length])),
      ),
    },
    metrics: {
      ...Object.fromEntries(Object.entries(rates).map(([category, share]) => [`rate.${category}`, share])),
      ...Object.assign({}, ...sheets.map(({ metrics }) => metrics)),
    },
    timings: Object.fromEntries(
      sheets.flatMap((sheet) => sheet.rungs.map((rung) => [`${sheet.writer}.${rung.name}.ms_p50`, latency(sheet.of(rung))])),
    ),
    items: sheets.flatMap(({ writer, items }) => items.map((item) => ({ writer, ...toRow(item) }))),
  });
  return { report, table: sheets.flatMap(({ table }) => table) };
}

const WRITER_TITLES: Readonly<Record<Writer, string>> = {
  quotes: "quotes alone, no model; faults are told by our own checks",
  scripted: "a scripted model; faults are known because it says what it makes up",
  model: "the configured model; faults are told by our own checks",
};

function addHead({ table, writer, questions, rounds }: Sheet, rates: FaultRates): void {
  table.push({ name: `== ${writer}`, figure: "", note: WRITER_TITLES[writer] });
  const rate = Object.entries(rates).map(([category, share]) => `${category} ${decimal(share)}`);
  const note = writer === "scripted" ? `share of drafts with a fault: ${rate.join(", ")}` : "";
  table.push({ name: "asked", figure: `${questions.length} questions × ${rounds}`, note });
}

/** Adds a heading and a row per profile; `put` sets a metric of the profile. */
function addRows(
  { table, metrics, writer, rungs, of }: Sheet,
  [name, note]: readonly [string, string],
  rowOf: (some: readonly AblatedItem[], put: (name: string, value: number | null) => void, rung: Rung) => TableRow,
): void {
  table.push({ name, figure: "", note });
  for (const rung of rungs) {
    const put = (figure: string, value: number | null) => {
      metrics[`${writer}.${rung.name}.${figure}`] = value;
    };
    table.push({ ...rowOf(of(rung), put, rung), name: `  ${rung.title}` });
  }
}

function answeredOf(items: readonly AblatedItem[]): readonly AblatedItem[] {
  return items.filter(({ answered }) => answered);
}

/** Adds the share of answers that show a fault of a category, with the number written, shown without a warning, and the source's claim. */
function addShown(sheet: Sheet, name: string, category: FaultCategory, what: string): void {
  addRows(sheet, [name.replaceAll("_", " "), what], (some, put, rung) => {
    const having = (keep: (fate: AblatedItem["score"]["faults"][number]) => boolean) =>
      some.filter(({ score }) => score.faults.some((fate) => fate.category === category && keep(fate))).length;
    const answered = answeredOf(some).length;
    const [written, shown, quiet] = [having(() => true), having((fate) => fate.shown), having((fate) => fate.quiet)];
    put(name, ratio(shown, answered));
    put(`${name}.quiet`, ratio(quiet, answered));
    const claimed = category === "citation" ? "" : claim(category, rung);
    if (sheet.writer !== "scripted") return countRow("", shown, answered, `unflagged ${quiet}${claimed}`);
    const atSourceRate = ratio(shown, written, SOURCE_RATES[category]);
    const quietAtSourceRate = ratio(quiet, written, SOURCE_RATES[category]);
    put(`${name}.written`, written);
    put(`${name}.of_written`, ratio(shown, written));
    put(`${name}.at_source_rate`, atSourceRate);
    put(`${name}.quiet.at_source_rate`, quietAtSourceRate);
    const projected = written === 0 ? "" : `; at the source's rate ${percent(atSourceRate)}, unflagged ${percent(quietAtSourceRate)}`;
    return countRow("", shown, answered, `written in ${written}, unflagged ${quiet}${projected}${claimed}`);
  });
}

/** Adds hallucinations as a user sees them: fabrications, or quotes of a passage that does not answer. */
function addWrongPassages(sheet: Sheet): void {
  const note = "made up, or no gold quote is quoted, or nothing answers; of answers that can be told";
  addRows(sheet, ["hallucination, wrong passages included", note], (some, put, rung) => {
    const told = answeredOf(some).filter(({ wrongPassage }) => wrongPassage !== null);
    const elsewhere = told.filter(({ wrongPassage }) => wrongPassage === true).length;
    const isMadeUp = ({ score }: AblatedItem) =>
      score.faults.some(({ category, shown }) => shown && (category === "hallucination" || category === "number"));
    const wrong = told.filter((item) => item.wrongPassage === true || isMadeUp(item)).length;
    put("wrong_passages", ratio(elsewhere, told.length));
    put("hallucination_or_wrong_passage", ratio(wrong, told.length));
    return countRow("", wrong, told.length, `wrong passage ${elsewhere}${claim("hallucination", rung)}`);
  });
}

/** Adds invalid citations in stored interactions, and in cached answers to the repeated question. */
function addStored(sheet: Sheet): void {
  addRows(sheet, ["invalid citations stored", "remembered answers that hold one"], (some, put, rung) => {
    const answered = answeredOf(some);
    const served = answered.flatMap(({ servedInvalid }) => servedInvalid ?? []);
    const stored = answered.filter(({ storedInvalid }) => storedInvalid > 0).length;
    const bad = served.filter((invalid) => invalid > 0).length;
    put("invalid_citations_stored", ratio(stored, answered.length));
    put("invalid_citations_cached", ratio(bad, served.length));
    const cache = rung.profile.caches.length === 0 ? "no cache on this rung" : `${bad} of ${served.length} served from the cache`;
    return countRow("", stored, answered.length, `${cache}${claim("stored", rung)}`);
  });
}

/** Adds answers to questions for which retrieval cannot have found anything: out of scope, nonsense, or with their page missed. */
function addWeak(sheet: Sheet): void {
  addRows(sheet, ["answers on weak retrieval", "out of scope or nonsense, and answered all the same"], (all, put, rung) => {
    const some = all.filter(({ question: { kind } }) => kind === "out_of_scope" || kind === "nonsense");
    const missed = all.filter(({ pageFound }) => pageFound === false);
    const answered = answeredOf(some);
    const flagged = answered.filter(({ weakFlagged }) => weakFlagged).length;
    const answeredMissed = answeredOf(missed).length;
    put("weak_retrieval_answers", ratio(answered.length, some.length));
    put("weak_retrieval_answers.flagged", ratio(flagged, answered.length));
    put("missed_page_answers", ratio(answeredMissed, missed.length));
    const note = `${flagged} flagged; right page not retrieved: ${answeredMissed} of ${missed.length} answered${claim("weak", rung)}`;
    return countRow("", answered.length, some.length, note);
  });
}

/** Adds the share of shown citations that support a correct sentence, with the product's own score. */
function addVerification(sheet: Sheet): void {
  const note = `citations shown that support their sentence, by ${sheet.writer === "scripted" ? "the labels" : "our checks"}`;
  addRows(sheet, ["verification score", note], (some, put, rung) => {
    const scores = some.map(({ score }) => score.citations);
    const [right, total] = [sum(scores.map((one) => one.right)), sum(scores.map((one) => one.total))];
    const own = mean(some.flatMap(({ reportedScore }) => reportedScore ?? []));
    put("verification_score", ratio(right, total));
    put("verification_score.reported", own);
    const reported = own === null ? "null: this rung does not compute one" : decimal(own);
    return countRow("", right, total, `its own mean ${reported}${claim("verification", rung)}`);
  });
}

/** Adds the cost of the layers: faithful sentences not shown, and questions not answered. */
function addFaithful(sheet: Sheet): void {
  const isKnown = sheet.writer === "scripted";
  const note = isKnown ? "of those that the model wrote" : "what was left out is not known";
  addRows(sheet, ["faithful sentences shown", note], (some, put) => {
    const total = (part: "written" | "shown" | "flagged") => sum(some.map(({ score }) => score.faithful[part]));
    const [written, shown, flagged] = [total("written"), total("shown"), total("flagged")];
    const answerable = some.filter(({ question }) => question.kind === "answerable");
    const answered = answeredOf(answerable).length;
    put("faithful_shown", isKnown ? ratio(shown, written) : null);
    put("faithful_flagged", ratio(flagged, shown));
    put("answered.answerable", ratio(answered, answerable.length));
    return countRow("", shown, written, `${flagged} with a warning; ${answered} of ${answerable.length} answerable questions answered`);
  });
}

/** Adds the savings of routing: answers of the small model, and their cost compared with the large model's price. */
function addRouting(sheet: Sheet): void {
  if (sheet.writer === "quotes") return;
  addRows(sheet, ["routing", "drafts that the small model wrote; cost beside the large one's for all of them"], (some, put) => {
    const small = sum(some.map(({ routed }) => routed.small));
    const calls = sum(some.map(({ routed }) => routed.calls));
    const priced = some.flatMap(({ costUsd, largeCostUsd }) =>
      costUsd === null || largeCostUsd === null ? [] : [{ costUsd, largeCostUsd }],
    );
    const saved = ratio(sum(priced.map((one) => one.largeCostUsd - one.costUsd)), sum(priced.map((one) => one.largeCostUsd)));
    put("routed_small", ratio(small, calls));
    put("routing_saves", saved);
    return countRow("", small, calls, `saves ${percent(saved)}, of ${priced.length} answers; source claims 70 % and 45 %`);
  });
}

function addCost(sheet: Sheet): void {
  const prices = sheet.writer === "scripted" ? "list prices of gpt-4.1 and gpt-4.1-mini as if they had written" : "list prices";
  addRows(sheet, ["cost and time", `mean of an answer by ${prices}; median time`], (some, put) => {
    const costs = some.flatMap(({ costUsd }) => costUsd ?? []);
    const cost = mean(costs);
    put("cost_usd", cost);
    const ms = latency(some);
    const note = `known of ${costs.length} of ${some.length}; ${ms === null ? "–" : `${ms.toFixed(0)} ms`}`;
    return { name: "", figure: cost === null ? "–" : `$${cost.toFixed(5)}`, note };
  });
}

function addTypes(sheet: Sheet): void {
  addRows(sheet, ["shown by kind of fault", FAULT_TYPES.join(" · ")], (some, put) => {
    const fates = some.flatMap(({ score }) => score.faults);
    const figures = FAULT_TYPES.map((type) => {
      const written = fates.filter((fate) => fate.type === type);
      const shown = written.filter((fate) => fate.shown).length;
      put(`shown.${type}`, ratio(shown, written.length));
      return `${shown} of ${written.length}`;
    });
    return { name: "", figure: figures.join(" · ") };
  });
}

function latency(items: readonly AblatedItem[]): number | null {
  return quantile(
    items.map(({ latencyMs }) => latencyMs),
    0.5,
  );
}

function toRow(item: AblatedItem) {
  const { score, question } = item;
  return {
    rung: item.rung,
    id: question.id,
    kind: question.kind,
    round: item.round,
    answered: item.answered,
    weak_flagged: item.weakFlagged,
    page_found: item.pageFound,
    wrong_passage: item.wrongPassage,
    faults: score.faults.map(({ type, written, shown, quiet }) => ({ type, written, shown, quiet })),
    faithful: score.faithful,
    written: item.written,
    citations: score.citations,
    reported_score: item.reportedScore,
    stored_invalid: item.storedInvalid,
    served_invalid: item.servedInvalid,
    cost_usd: item.costUsd,
    large_cost_usd: item.largeCostUsd,
    routed: item.routed,
  };
}

function claim(category: string, { name }: Rung): string {
  const claimed = CLAIMED[category]?.[name];
  return claimed === undefined ? "" : `; source claims ${claimed}`;
}

function ratio(part: number, whole: number, scale = 1): number | null {
  return whole === 0 ? null : (part / whole) * scale;
}

function percent(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
