import { mean } from "../../src/grade/metrics.ts";
import { countRow, decimal, type Report, type TableRow, versionsOf } from "../../src/grade/report.ts";
import type { FaultType } from "../judges/ladder-score.ts";
import type { FaultCategory } from "../made/faults.ts";
import type { FaultRates } from "../made/scripted-model.ts";
import type { LadderItem, LadderOptions, LadderQuestion } from "./ladder-item.ts";
import { LADDER, RUNGS, type Rung } from "./ladder-rungs.ts";

/** Rates at which the source design's model made things up without any layer (source 000, table 1). */
export const SOURCE_RATES: FaultRates = { hallucination: 0.12, number: 0.06, url: 0.08, citation: 0.05 };

/** What the source design claims for no layers, four and seven, in its words (table 1). */
type Claims = Readonly<Record<Exclude<Rung, "ours">, string>>;
const CLAIMED = {
  hallucination: { none: "12 %", four: "3.2 %", seven: "1.5 %" },
  url: { none: "8 %", four: "0.5 %", seven: "0.2 %" },
  number: { none: "6 %", four: "4 %", seven: "0.8 %" },
  stored: { none: "5 %", four: "3 %", seven: "0 %" },
  weak: { none: "15 %", four: "4 % (flagged)", seven: "0 % (refused)" },
  verification: { none: "78 %", four: "94 %", seven: "98 %" },
} as const satisfies Record<string, Claims>;

const FAULT_TYPES: readonly FaultType[] = ["claim", "negation", "entity", "number", "url", "nowhere", "swapped"];

/** Rows and flat metrics as they are made. */
interface Sheet {
  readonly table: TableRow[];
  readonly metrics: Record<string, number | null>;
}

export function summarizeLadder(
  items: readonly LadderItem[],
  questions: readonly LadderQuestion[],
  ingested: { readonly ms: number; readonly documents: number; readonly chunks: number },
  { command, rates, rounds, seed }: LadderOptions,
): { report: Report; table: TableRow[] } {
  const sheet: Sheet = { table: [], metrics: {} };
  const of = (rung: Rung) => items.filter((item) => item.rung === rung);
  addShown(sheet, of, "hallucination_rate", "hallucination", "answers that show an invented statement, a turned negation or another name");
  addShown(sheet, of, "false_urls", "url", "answers that show an address that no source has");
  addShown(sheet, of, "fabricated_numbers", "number", "answers that show a number that was changed or made up");
  addShown(sheet, of, "invalid_citations", "citation", "answers that show a citation to no source or to the wrong one");
  addStored(sheet, of);
  addWeak(sheet, of);
  addVerification(sheet, of);
  addFaithful(sheet, of);
  addTypes(sheet, of);
  addUnbuilt(sheet);
  const count = (kind: LadderQuestion["kind"]) => questions.filter((question) => question.kind === kind).length;
  const n = {
    questions: questions.length,
    answerable: count("answerable"),
    rounds,
    asked: questions.length * rounds,
    ...Object.fromEntries(RUNGS.map((rung) => [`answered.${rung}`, of(rung).filter(({ answered }) => answered).length])),
    documents: ingested.documents,
    chunks: ingested.chunks,
  };
  const rate = Object.entries(rates).map(([category, share]) => `${category} ${decimal(share)}`);
  const asked = { name: "asked", figure: `${n.questions} questions × ${rounds}`, note: `share of drafts with a fault: ${rate.join(", ")}` };
  const report = {
    name: "ladder",
    command,
    versions: versionsOf(),
    seed,
    date: new Date().toISOString(),
    n,
    metrics: { ...Object.fromEntries(Object.entries(rates).map(([category, share]) => [`rate.${category}`, share])), ...sheet.metrics },
    timings: { ingest_ms: ingested.ms },
    items: items.map(toRow),
  };
  return { report, table: [asked, ...sheet.table] };
}

type Of = (rung: Rung) => readonly LadderItem[];

/** Share of the answers given that show a fault of a category; beside it how many were written, shown without a word, and the source's claim. */
function addShown({ table, metrics }: Sheet, of: Of, name: string, category: FaultCategory, what: string): void {
  table.push({ name: name.replaceAll("_", " "), figure: "", note: what });
  for (const rung of RUNGS) {
    const some = of(rung);
    const having = (keep: (fate: LadderItem["score"]["faults"][number]) => boolean) =>
      some.filter(({ score }) => score.faults.some((fate) => fate.category === category && keep(fate))).length;
    const answered = some.filter((item) => item.answered).length;
    const [written, shown, quiet] = [having(() => true), having((fate) => fate.shown), having((fate) => fate.quiet)];
    const atSourceRate = ratio(shown, written, SOURCE_RATES[category]);
    const quietAtSourceRate = ratio(quiet, written, SOURCE_RATES[category]);
    const key = `ladder.${rung}.${name}`;
    metrics[key] = ratio(shown, answered);
    metrics[`${key}.quiet`] = ratio(quiet, answered);
    metrics[`${key}.written`] = written;
    metrics[`${key}.of_written`] = ratio(shown, written);
    metrics[`${key}.at_source_rate`] = atSourceRate;
    metrics[`${key}.quiet.at_source_rate`] = quietAtSourceRate;
    const projected = written === 0 ? "" : `; at the source's rate ${percent(atSourceRate)}, unflagged ${percent(quietAtSourceRate)}`;
    const claimed = category === "citation" ? "" : claim(CLAIMED[category], rung);
    table.push(countRow(`  ${LADDER[rung].title}`, shown, answered, `written in ${written}, unflagged ${quiet}${projected}${claimed}`));
  }
}

/** Invalid citations in what is kept: in interactions, and in what the cache serves when the question is asked again. */
function addStored({ table, metrics }: Sheet, of: Of): void {
  table.push({ name: "invalid citations stored", figure: "", note: "remembered answers that hold one" });
  for (const rung of RUNGS) {
    const answered = of(rung).filter((item) => item.answered);
    const served = answered.flatMap(({ servedInvalid }) => servedInvalid ?? []);
    const stored = answered.filter(({ storedInvalid }) => storedInvalid > 0).length;
    const bad = served.filter((invalid) => invalid > 0).length;
    metrics[`ladder.${rung}.invalid_citations_stored`] = ratio(stored, answered.length);
    metrics[`ladder.${rung}.invalid_citations_cached`] = ratio(bad, served.length);
    const cache = LADDER[rung].profile.caches.length === 0 ? "no cache on this rung" : `${bad} of ${served.length} served from the cache`;
    table.push(countRow(`  ${LADDER[rung].title}`, stored, answered.length, `${cache}${claim(CLAIMED.stored, rung)}`));
  }
}

/** Answers where retrieval cannot have found anything: questions of another world, and questions whose pages were missed. */
function addWeak({ table, metrics }: Sheet, of: Of): void {
  table.push({ name: "answers on weak retrieval", figure: "", note: "out of scope or nonsense, and answered all the same" });
  for (const rung of RUNGS) {
    const some = of(rung).filter(({ question: { kind } }) => kind === "out_of_scope" || kind === "nonsense");
    const missed = of(rung).filter(({ pageFound }) => pageFound === false);
    const answered = some.filter((item) => item.answered);
    const flagged = answered.filter(({ weakFlagged }) => weakFlagged).length;
    const answeredMissed = missed.filter((item) => item.answered).length;
    metrics[`ladder.${rung}.weak_retrieval_answers`] = ratio(answered.length, some.length);
    metrics[`ladder.${rung}.weak_retrieval_answers.flagged`] = ratio(flagged, answered.length);
    metrics[`ladder.${rung}.missed_page_answers`] = ratio(answeredMissed, missed.length);
    const note = `${flagged} flagged; right page not retrieved: ${answeredMissed} of ${missed.length} answered${claim(CLAIMED.weak, rung)}`;
    table.push(countRow(`  ${LADDER[rung].title}`, answered.length, some.length, note));
  }
}

/** Share of the citations shown whose sentence is right and stands in what it cites, by the labels; the product's own score beside it. */
function addVerification({ table, metrics }: Sheet, of: Of): void {
  table.push({ name: "verification score", figure: "", note: "citations shown that support their sentence, by the labels" });
  for (const rung of RUNGS) {
    const scores = of(rung).map(({ score }) => score.citations);
    const [right, total] = [sum(scores.map((one) => one.right)), sum(scores.map((one) => one.total))];
    const own = mean(of(rung).flatMap(({ reportedScore }) => reportedScore ?? []));
    metrics[`ladder.${rung}.verification_score`] = ratio(right, total);
    metrics[`ladder.${rung}.verification_score.reported`] = own;
    const reported = own === null ? "null: this rung does not compute one" : decimal(own);
    table.push(countRow(`  ${LADDER[rung].title}`, right, total, `its own mean ${reported}${claim(CLAIMED.verification, rung)}`));
  }
}

/** What the layers cost: faithful sentences that are not shown, and questions left without an answer. */
function addFaithful({ table, metrics }: Sheet, of: Of): void {
  table.push({ name: "faithful sentences shown", figure: "", note: "of those that the model wrote" });
  for (const rung of RUNGS) {
    const faithful = of(rung).map(({ score }) => score.faithful);
    const total = (part: "written" | "shown" | "flagged") => sum(faithful.map((one) => one[part]));
    const [written, shown, flagged] = [total("written"), total("shown"), total("flagged")];
    const answerable = of(rung).filter(({ question }) => question.kind === "answerable");
    const answered = answerable.filter((item) => item.answered).length;
    metrics[`ladder.${rung}.faithful_shown`] = ratio(shown, written);
    metrics[`ladder.${rung}.faithful_flagged`] = ratio(flagged, shown);
    metrics[`ladder.${rung}.answered.answerable`] = ratio(answered, answerable.length);
    table.push(
      countRow(
        `  ${LADDER[rung].title}`,
        shown,
        written,
        `${flagged} with a warning; ${answered} of ${answerable.length} answerable questions answered`,
      ),
    );
  }
}

function addTypes({ table, metrics }: Sheet, of: Of): void {
  table.push({ name: "shown by kind of fault", figure: "", note: RUNGS.map((rung) => LADDER[rung].title).join(" · ") });
  for (const type of FAULT_TYPES) {
    const figures = RUNGS.map((rung) => {
      const fates = of(rung).flatMap(({ score }) => score.faults.filter((fate) => fate.type === type));
      const shown = fates.filter((fate) => fate.shown).length;
      metrics[`ladder.${rung}.shown.${type}`] = ratio(shown, fates.length);
      return `${shown} of ${fates.length}`;
    });
    table.push({ name: `  ${type}`, figure: figures.join(" · ") });
  }
}

/** Stages that a rung names and this build lacks: `null`, with the reason. */
function addUnbuilt({ table, metrics }: Sheet): void {
  for (const rung of RUNGS) {
    for (const { stage, what } of LADDER[rung].profile.unbuilt) {
      metrics[`ladder.${rung}.unbuilt.${stage}`] = null;
      table.push({ name: `null: ${LADDER[rung].title}, ${stage}`, figure: "–", note: `not built: ${what}` });
    }
  }
}

function toRow({
  rung,
  question,
  round,
  answered,
  weakFlagged,
  pageFound,
  score,
  reportedScore,
  storedInvalid,
  servedInvalid,
}: LadderItem) {
  return {
    rung,
    id: question.id,
    kind: question.kind,
    round,
    answered,
    weak_flagged: weakFlagged,
    page_found: pageFound,
    faults: score.faults.map(({ type, written, shown, quiet }) => ({ type, written, shown, quiet })),
    faithful: score.faithful,
    citations: score.citations,
    reported_score: reportedScore,
    stored_invalid: storedInvalid,
    served_invalid: servedInvalid,
  };
}

function claim(claims: Claims, rung: Rung): string {
  return rung === "ours" ? "" : `; source claims ${claims[rung]}`;
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
