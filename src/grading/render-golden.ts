import type { GoldenItem } from "./golden-item.ts";
import type { GoldenSet } from "./golden-set.ts";
import type { AskedItem } from "./run-golden.ts";

/** Renders questions with answers, verdicts and labels as Markdown. */
export function renderGolden(sets: readonly { readonly set: GoldenSet; readonly asked: readonly AskedItem[] }[]): string {
  return sets.map(({ set, asked }) => `# ${set.name}\n\n${asked.map(({ item }) => renderItem(item, set)).join("\n")}`).join("\n");
}

function renderItem(item: GoldenItem, set: GoldenSet): string {
  const lines = [`## ${item.id}: ${verdictOf(item)}`, "", `**${oneLine(item.question)}**  `, `${describeItem(item)}`, ""];
  for (const { text, citations } of item.sentences) lines.push(`- ${oneLine(text)} ${citations.map((n) => `[${n}]`).join("")}`);
  for (const { n, path, start, end, heading, quote } of item.citations)
    lines.push(`  [${n}] ${path} ${start}–${end}${heading === "" ? "" : ` › ${oneLine(heading)}`}: “${oneLine(quote)}”`);
  return [...lines, "", ...goldLines(item, set), ""].join("\n");
}

function verdictOf({ kind, shown, right, quoted, page, lacks, holds }: GoldenItem): string {
  if (kind !== "answerable") return shown ? (right ? "premise corrected" : `WRONG, ${kind} answered`) : `refused ${kind}, right`;
  if (!shown) return "refused, though answerable";
  if (right === null) return "shown; no label to judge it by";
  if (right) return "right";
  const reasons = [
    ...(quoted === true ? ["gold quoted"] : page === true ? ["right page, other passage"] : page === false ? ["other page"] : []),
    ...(lacks.length > 0 ? [`missing ${lacks.join(", ")}`] : []),
    ...(holds.length > 0 ? [`contains ${holds.join(", ")}`] : []),
  ];
  return `WRONG (${reasons.join("; ")})`;
}

function describeItem({ needs, confidence, refusal, words }: GoldenItem): string {
  const parts = [
    ...(needs === "" ? [] : [`needs ${needs}`]),
    `confidence ${confidence === null ? "none" : confidence.toFixed(2)}`,
    refusal === null ? `${words} words` : `refused: ${refusal}`,
  ];
  return parts.join(", ");
}

function goldLines({ id }: GoldenItem, { answerable, unanswerable }: GoldenSet): string[] {
  const question = answerable.find((one) => one.id === id);
  if (question !== undefined)
    return [
      `Gold: ${oneLine(question.answer)} (${question.gold_pages.join(", ")})`,
      ...question.gold_quotes.map((quote) => `> ${oneLine(quote)}`),
      ...(question.key_values.length > 0 ? [`key values: ${question.key_values.join(" | ")}`] : []),
    ];
  const refused = unanswerable.find((one) => one.id === id);
  return refused === undefined
    ? []
    : [`Gold: must be refused. ${oneLine(refused.why)}`, ...refused.contradicting_quotes.map((quote) => `> ${oneLine(quote)}`)];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
