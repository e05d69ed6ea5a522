import type { GoldenItem } from "../golden-item.ts";
import { decimal } from "../report.ts";
import { SCORES, type ScoreName } from "../score-answer.ts";
import { html } from "./text.ts";

/** What became of a question, for people and as the class by which it is filtered. */
export function verdictOf({ kind, shown, right, error }: GoldenItem): {
  readonly words: string;
  readonly style: "right" | "wrong" | "refused" | "untold";
} {
  if (error !== null) return { words: `not asked: ${error.replaceAll("_", " ")}`, style: "untold" };
  if (!shown) return kind === "answerable" ? { words: "refused", style: "refused" } : { words: "refused, right", style: "right" };
  if (right === null) return { words: "shown", style: "untold" };
  if (right) return { words: kind === "answerable" ? "right" : "premise corrected", style: "right" };
  return { words: kind === "answerable" ? "wrong" : `wrong: ${kind.replaceAll("_", " ")} answered`, style: "wrong" };
}

/** One question with everything that is known of it, closed. */
export function renderQuestion(item: GoldenItem, latencyMs: number | null): string {
  const { words, style } = verdictOf(item);
  const faulty = item.faults.some(({ fault }) => fault !== "unscored") ? " faulty" : "";
  const refused = item.shown ? "" : " refused";
  return [
    `<details class="${style}${refused}${faulty}"><summary><span class="verdict ${style}">${html(words)}</span><span dir="auto">${html(item.question)}</span><span class="soft mono">${html(item.id)}</span></summary><div>`,
    facts(item, latencyMs),
    section("Answer", answerOf(item)),
    section(
      "Cited",
      list(
        "ol",
        item.citations.map(
          ({ n, path, heading, quote }) =>
            `<b>[${n}]</b> <q dir="auto">${html(quote)}</q> <span class="soft mono">${html(path)}${heading === "" ? "" : ` › ${html(heading)}`}</span>`,
        ),
      ),
    ),
    section("Marked as right", goldOf(item)),
    section("Scores", scoresOf(item)),
    section("Live metrics", liveOf(item)),
    section("Passages found", retrievedOf(item)),
    "</div></details>",
  ].join("");
}

function facts({ kind, needs, confidence, refusal, words, cost_usd, lacks, holds }: GoldenItem, latencyMs: number | null): string {
  const parts = [
    kind.replaceAll("_", " "),
    ...(needs === "" ? [] : [`needs ${needs}`]),
    `confidence ${decimal(confidence)}`,
    refusal === null ? `${words} words` : `refused: ${refusal.replaceAll("_", " ")}`,
    ...(latencyMs === null ? [] : [`${latencyMs.toFixed(0)} ms`]),
    cost_usd === null ? "cost not known" : `$${cost_usd.toFixed(5)}`,
    ...(lacks.length === 0 ? [] : [`lacks ${lacks.join(", ")}`]),
    ...(holds.length === 0 ? [] : [`holds ${holds.join(", ")}`]),
  ];
  return `<p class="soft">${html(parts.join(" · "))}</p>`;
}

function answerOf({ sentences, faults }: GoldenItem): string {
  const lines = sentences.map(({ text, citations }, i) => {
    const fault = faults.find(({ sentence }) => sentence === i);
    const said =
      fault === undefined
        ? ""
        : `<br><span class="${fault.fault === "unscored" ? "soft" : "fault"}">${html(fault.fault ?? "")}: ${html(fault.reason)}</span>`;
    return `<span dir="auto">${html(text)}</span> ${citations.map((n) => `[${n}]`).join("")}${said}`;
  });
  return list("ul", lines);
}

function goldOf({ gold: { answer, quotes, pages } }: GoldenItem): string {
  return list("ul", [
    ...(answer === "" ? [] : [`<span dir="auto">${html(answer)}</span>`]),
    ...quotes.map((quote) => `<q dir="auto">${html(quote)}</q>`),
    ...(pages.length === 0 ? [] : [`<span class="mono soft">${html(pages.join(", "))}</span>`]),
  ]);
}

function scoresOf({ scores, unscored }: GoldenItem): string {
  const names = Object.keys(SCORES) as ScoreName[];
  return list(
    "ul",
    names.flatMap((name) => {
      const value = scores[name];
      if (value === undefined) return [];
      return [
        `${html(name.replaceAll("_", " "))}: ${value === null ? `not scored (${html(unscored[name] ?? "")})` : `<b>${decimal(value)}</b>`}`,
      ];
    }),
  );
}

function liveOf({ report }: GoldenItem): string {
  return list(
    "ul",
    Object.entries(report?.metrics ?? {}).map(([name, { passed, score, threshold, reason }]) => {
      const verdict = passed === null ? "not told" : passed ? "pass" : "fail";
      return `${html(name)}: <b>${verdict}</b>${score === null ? "" : ` ${decimal(score)}`}${threshold === null ? "" : ` (threshold ${html(String(threshold))})`} <span class="soft">${html(reason)}</span>`;
    }),
  );
}

function retrievedOf({ retrieved }: GoldenItem): string {
  return list(
    "ol",
    retrieved.map(
      ({ path, start, end, title, heading, verdict, score, gold }) =>
        `${html(title)}${heading === "" ? "" : ` › ${html(heading)}`} <span class="soft mono">${html(path)} ${start}–${end}</span> ${verdict} ${decimal(score)}${gold === true ? " <b>gold</b>" : ""}`,
    ),
  );
}

function list(tag: "ul" | "ol", lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<${tag}>${lines.map((line) => `<li>${line}</li>`).join("")}</${tag}>`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `<h3>${title}</h3>${body}`;
}
