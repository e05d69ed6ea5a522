import { oneLine } from "../writing/sources.ts";
import type { GoldenItem } from "./golden-item.ts";
import { itemsOf, type MeasuredSet } from "./golden-report.ts";

/** Renders questions with answers, verdicts and labels as Markdown. */
export function renderGolden(sets: readonly MeasuredSet[]): string {
  return sets.map((set) => `# ${set.name}\n\n${itemsOf(set).map(renderItem).join("\n")}`).join("\n");
}

function renderItem(item: GoldenItem): string {
  const lines = [`## ${item.id}: ${verdictOf(item)}`, "", `**${oneLine(item.question)}**  `, `${describeItem(item)}`, ""];
  for (const { text, citations } of item.sentences) lines.push(`- ${oneLine(text)} ${citations.map((n) => `[${n}]`).join("")}`);
  for (const { n, path, start, end, heading, quote } of item.citations)
    lines.push(`  [${n}] ${path} ${start}–${end}${heading === "" ? "" : ` › ${oneLine(heading)}`}: “${oneLine(quote)}”`);
  const { answer, quotes, pages } = item.gold;
  const wanted = item.kind === "answerable" ? `${oneLine(answer)} (${pages.join(", ")})` : `must be refused. ${oneLine(answer)}`;
  return [...lines, "", `Gold: ${wanted}`, ...quotes.map((quote) => `> ${oneLine(quote)}`), ""].join("\n");
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
