import { escapeUTF8 as escapeHtml } from "entities";
import type { Answer, AnswerSentence, Citation, CitedRow, Refusal } from "../shared/types.ts";
import { httpUrl } from "../text/paths.ts";
import { readCells } from "../text/units.ts";

/** Returns the table row behind a sentence, for display; `null` for any other sentence. */
export function rowOf({ text, citations: [n, ...others] }: AnswerSentence, citations: readonly Citation[]): CitedRow | null {
  if (n === undefined || others.length > 0) return null;
  const cited = citations.find((citation) => citation.n === n);
  return cited?.row !== undefined && cited.quote === text ? cited.row : null;
}

/** Renders an answer as plain text: the refusal, or the sentences in order with `[n]`, table rows with column names. */
export function renderAnswerPlain(answer: Answer): string {
  if (answer.refusal !== null) return answer.refusal.message;
  const lines = answer.sentences.flatMap((sentence, i) => [
    sentenceLine(sentence, answer.citations, answer.sentences[i - 1]),
    ...doubtsAt(answer, i).map((doubt) => `(${doubt})`),
  ]);
  return [...prefixesOf(answer), lines.join("\n")].join("\n\n");
}

/** Renders a sentence with its citations as `[n]`, the same in every plain text. @param before as in `readableText` */
export function sentenceLine(sentence: AnswerSentence, citations: readonly Citation[], before?: AnswerSentence): string {
  return `${readableText(sentence, citations, before)}${sentence.citations.map((n) => ` [${n}]`).join("")}`;
}

/** Returns the cited sources, one per line. */
export function sourceLines(citations: readonly Pick<Citation, "n" | "title" | "url" | "quote">[]): string[] {
  return citations.map(({ n, title, url, quote }) => `[${n}] ${title}${url === null ? "" : `, ${url}`}: “${quote}”`);
}

/** Renders a refusal as plain text: the message, the note, the near misses, the contacts. */
export function renderRefusalPlain({ message, note, nearest, contacts }: Refusal): string {
  const passages = nearest.map(({ title, heading, url, quote }) => {
    const place = `${title}${heading === null || heading === title ? "" : ` – ${heading}`}${url === null ? "" : `, ${url}`}`;
    return `- ${place}${quote === null ? "" : `: “${quote}”`}`;
  });
  const parts = [
    [message, note].filter((line) => line !== ""),
    passages.length === 0 ? [] : ["Nearest passages, which may not answer the question:", ...passages],
    contacts.map(({ name, contact }) => `You can also ask: ${name}, ${contact}`),
  ];
  return parts.flatMap((lines) => (lines.length === 0 ? [] : lines.join("\n"))).join("\n\n");
}

/** Returns the warnings of a displayed sentence. */
export function doubtsAt({ warnings }: Pick<Answer, "warnings">, at: number): string[] {
  return warnings.filter(({ sentence }) => sentence === at).map(({ message }) => `Not sure: ${message}`);
}

/** Returns the profile's prefix for answers of low confidence. */
function prefixesOf({ warnings }: Answer): string[] {
  return warnings.filter(({ code }) => code === "low_confidence").map(({ message }) => message);
}

/**
 * Renders a sentence; a table row becomes `Caption. Column: cell; Column: cell`. @param before the previous sentence: its caption is not
 * repeated
 */
export function readableText(sentence: AnswerSentence, citations: readonly Citation[], before?: AnswerSentence): string {
  const row = rowOf(sentence, citations);
  return row === null ? sentence.text : `${captionOf(row, citations, before)}${readCells(row.cells)}`;
}

/** Returns the caption with a trailing space; "" if there is none or the previous sentence shows it. */
function captionOf({ caption, header }: CitedRow, citations: readonly Citation[], before: AnswerSentence | undefined): string {
  if (caption === undefined) return "";
  const above = before === undefined ? null : rowOf(before, citations);
  const stands =
    above === null ? before?.text === caption.text : above.caption?.text === caption.text && above.header.start === header.start;
  return stands ? "" : `${caption.text} `;
}

/** Renders an answer as HTML from checked data only. Every text is escaped; links are http(s) only. */
export function renderAnswerHtml(answer: Answer): string {
  if (answer.refusal !== null) return `<p>${escapeHtml(answer.refusal.message)}</p>`;
  const paragraphs = answer.sentences.map((sentence, i) => {
    const doubts = doubtsAt(answer, i)
      .map((doubt) => ` <em>(${escapeHtml(doubt)})</em>`)
      .join("");
    const marks = sentence.citations.map((n) => `<sup><a href="#citation-${n}">[${n}]</a></sup>`).join("");
    const row = rowOf(sentence, answer.citations);
    return row === null
      ? `<p>${escapeHtml(sentence.text)}${marks}${doubts}</p>`
      : `<p>${renderRow(row, captionOf(row, answer.citations, answer.sentences[i - 1]))}${marks}${doubts}</p>`;
  });
  const sources = answer.citations.map(
    ({ n, title, url, quote, ...place }) =>
      `<li id="citation-${n}" value="${n}">${linked(title, url)}${escapeHtml(placeInWords({ title, ...place }))}: <q>${escapeHtml(quote)}</q></li>`,
  );
  const prefixes = prefixesOf(answer).map((message) => `<p>${escapeHtml(message)}</p>`);
  return `${prefixes.join("")}${paragraphs.join("")}${renderSeeAlso(answer)}${sources.length > 0 ? `<ol>${sources.join("")}</ol>` : ""}`;
}

function renderRow({ cells }: CitedRow, above: string): string {
  const named = cells.map(({ name, text }) => (name === "" ? escapeHtml(text) : `<b>${escapeHtml(name)}:</b> ${escapeHtml(text)}`));
  return escapeHtml(above) + named.join("; ");
}

function renderSeeAlso({ seeAlso }: Answer): string {
  if (seeAlso === undefined || seeAlso === null) return "";
  const heading = seeAlso.heading === null || seeAlso.heading === seeAlso.title ? "" : ` – ${escapeHtml(seeAlso.heading)}`;
  return `<p>See also: ${linked(seeAlso.title, seeAlso.url)}${heading}</p>`;
}

/** Formats the place of a quote: ` – Filing › Time limits, page 5`; "" if only the title is known. */
export function placeInWords({ title, headingPath, page }: Pick<Citation, "title" | "headingPath" | "page">): string {
  const headings = headingPath.filter((heading) => heading !== title).join(" › ");
  return `${headings === "" ? "" : ` – ${headings}`}${page === undefined || page === null ? "" : `, page ${page}`}`;
}

function linked(title: string, url: string | null): string {
  const name = escapeHtml(title);
  const address = httpUrl(url);
  return address === null ? name : `<a href="${escapeHtml(address)}" rel="noopener">${name}</a>`;
}
