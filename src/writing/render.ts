import { escapeUTF8 as escapeHtml } from "entities";
import type { Answer, AnswerSentence, Citation, CitedRow, Refusal } from "../shared/types.ts";
import { httpUrl } from "../text/paths.ts";
import { readCells } from "../text/units.ts";

/** The row of a table that a sentence is, for display; `null` for any other sentence. */
export function rowOf({ text, citations: [n, ...others] }: AnswerSentence, citations: readonly Citation[]): CitedRow | null {
  if (n === undefined || others.length > 0) return null;
  const cited = citations.find((citation) => citation.n === n);
  return cited?.row !== undefined && cited.quote === text ? cited.row : null;
}

/** What stands for the answer when it is a refusal, otherwise its sentences in order, a table's row by its header; citations as `[n]`. */
export function renderAnswerPlain(answer: Answer): string {
  if (answer.refusal !== null) return answer.refusal.message;
  const lines = answer.sentences.flatMap((sentence, i) => [
    sentenceLine(sentence, answer.citations, answer.sentences[i - 1]),
    ...doubtsAt(answer, i).map((doubt) => `(${doubt})`),
  ]);
  return [...prefixesOf(answer), lines.join("\n")].join("\n\n");
}

/** A sentence as people read it, with its citations as `[n]`: the same line in every plain text. @param before as in `readableText` */
export function sentenceLine(sentence: AnswerSentence, citations: readonly Citation[], before?: AnswerSentence): string {
  return `${readableText(sentence, citations, before)}${sentence.citations.map((n) => ` [${n}]`).join("")}`;
}

/** The sources that are cited, one a line. */
export function sourceLines(citations: readonly Pick<Citation, "n" | "title" | "url" | "quote">[]): string[] {
  return citations.map(({ n, title, url, quote }) => `[${n}] ${title}${url === null ? "" : `, ${url}`}: “${quote}”`);
}

/** A refusal as plain text: the message, how to read it, the nearest passages, and whom to ask. */
export function renderRefusalPlain({ message, note, nearest, contacts }: Refusal): string {
  const passages = nearest.map(({ title, heading, url, quote }) => {
    const place = `${title}${heading === null || heading === title ? "" : ` – ${heading}`}${url === null ? "" : `, ${url}`}`;
    return `- ${place}${quote === null ? "" : `: “${quote}”`}`;
  });
  const parts = [
    [message, note].filter((line) => line !== ""),
    passages.length === 0 ? [] : ["Nearest passages, which may not answer it:", ...passages],
    contacts.map(({ name, contact }) => `Ask instead: ${name}, ${contact}`),
  ];
  return parts.flatMap((lines) => (lines.length === 0 ? [] : lines.join("\n"))).join("\n\n");
}

/** What was found against a sentence that is shown all the same: it stands at the sentence. */
export function doubtsAt({ warnings }: Pick<Answer, "warnings">, at: number): string[] {
  return warnings.filter(({ sentence }) => sentence === at).map(({ message }) => `Not sure: ${message}`);
}

/** What a profile sets before an answer of low confidence. */
function prefixesOf({ warnings }: Answer): string[] {
  return warnings.filter(({ code }) => code === "low_confidence").map(({ message }) => message);
}

/**
 * A sentence as people read it: a table's row as `Caption. Column: cell; Column: cell`.
 * @param before the sentence that is shown above it, if any: a caption that stands there is not said again
 */
export function readableText(sentence: AnswerSentence, citations: readonly Citation[], before?: AnswerSentence): string {
  const row = rowOf(sentence, citations);
  return row === null ? sentence.text : `${captionOf(row, citations, before)}${readCells(row.cells)}`;
}

/** With the space that parts it from the row; "" where there is none, or where it stands above: in a row of the same table, or as a sentence. */
function captionOf({ caption, header }: CitedRow, citations: readonly Citation[], before: AnswerSentence | undefined): string {
  if (caption === undefined) return "";
  const above = before === undefined ? null : rowOf(before, citations);
  const stands =
    above === null ? before?.text === caption.text : above.caption?.text === caption.text && above.header.start === header.start;
  return stands ? "" : `${caption.text} `;
}

/** The same as HTML, built from the checked structure only; every text is escaped, links are http(s) only. */
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

/** Where a quote stands in its document: ` – Filing › Time limits, page 5`; nothing where only the title is known. */
export function placeInWords({ title, headingPath, page }: Pick<Citation, "title" | "headingPath" | "page">): string {
  const headings = headingPath.filter((heading) => heading !== title).join(" › ");
  return `${headings === "" ? "" : ` – ${headings}`}${page === undefined || page === null ? "" : `, page ${page}`}`;
}

function linked(title: string, url: string | null): string {
  const name = escapeHtml(title);
  const address = httpUrl(url);
  return address === null ? name : `<a href="${escapeHtml(address)}" rel="noopener">${name}</a>`;
}
