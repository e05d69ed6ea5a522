import { escapeUTF8 as escapeHtml } from "entities";
import { holdsKind } from "../language/answer-spans.ts";
import { askedValues } from "../language/question.ts";
import type { Answer, Citation, NamedCell, Refusal, Warning } from "../shared/types.ts";
import { httpUrl } from "../text/paths.ts";
import { tokenize } from "../text/tokens.ts";
import { isListItem, type Line, type LineSentence, type LineSource, lineText, quotedBy, splitRow } from "./lines.ts";

/** Returns the sentences of an answer as every client displays them. */
export function answerLines({ question, sentences, citations }: Pick<Answer, "question" | "sentences" | "citations">): Line[] {
  const lines: Line[] = [];
  for (const sentence of sentences) lines.push(nextLine(question, sentence, citations, lines.at(-1)));
  return lines;
}

function toLineSource({ row, ...citation }: Citation): LineSource {
  if (row === undefined) return citation;
  return { ...citation, row: { cells: row.cells, caption: row.caption?.text, headerStart: row.header.start } };
}

/** Returns the next line of an answer. @param above the line above it */
export function nextLine(question: string, sentence: LineSentence, citations: readonly Citation[], above: Line | undefined): Line {
  const cited = quotedBy(sentence, citations);
  const source = cited === null ? null : toLineSource(cited);
  const label = source === null ? null : labelOf(source, above);
  const askedCell = source?.row === undefined ? null : askedCellOf(question, source.row.cells);
  return { ...sentence, label, source, askedCell };
}

/**
 * Returns the label of a line: the caption of a table row, otherwise the nearest heading. Returns `null` if the text or the
 * line above already shows it or makes it unnecessary.
 */
function labelOf(source: LineSource, above: Line | undefined): string | null {
  const { row, quote, headingPath } = source;
  const before = above?.source ?? null;
  const isSameTable = row !== undefined && before?.row?.headerStart === row.headerStart && before.documentId === source.documentId;
  if (isSameTable || (row?.caption !== undefined && above?.text === row.caption)) return null;
  if (row?.caption !== undefined) return row.caption;
  const heading = headingPath.at(-1)?.trim() ?? "";
  if (heading === "" || heading.toLowerCase() === source.title.trim().toLowerCase() || quote.startsWith(heading)) return null;
  if (before?.documentId === source.documentId && before.headingPath.join("\n") === headingPath.join("\n")) return null;
  if (row !== undefined || (isListItem(source) && !/:\s*(?:\n|$)/.test(quote))) return heading;
  const isRightBelow = source.context.slice(0, source.quoteStart).trimEnd().endsWith(heading);
  if (above === undefined) return heading.endsWith("?") && isRightBelow ? heading : null;
  const own = new Set(tokenize(quote));
  return tokenize(heading).some((token) => own.has(token)) ? null : heading;
}

/**
 * Returns the index of the cell that answers, or `null`. The question must name the row, by its label or by all words of
 * a cell. It must also ask for exactly one column: the one whose full name it contains. Without such a column, it is the
 * column that shares most words with the question or contains the requested kind of value.
 */
function askedCellOf(question: string, cells: readonly NamedCell[]): number | null {
  const asked = new Set(tokenize(question));
  const namesRow = (text: string) => tokenize(text).some((token) => asked.has(token));
  // Question words that name a column do not name the row too. A value of that column in the question is a condition.
  const isNamed = ({ name, text }: NamedCell, index: number) =>
    namesRow(text) && (index === 0 || (!namesRow(name) && tokenize(text).every((token) => asked.has(token))));
  const ofRow = new Set(tokenize(cells.find(isNamed)?.text ?? ""));
  if (ofRow.size === 0) return null;
  const kinds = askedValues(question);
  const columns = cells.flatMap(({ name, text }, index) => {
    const words = tokenize(name);
    const named = words.filter((word) => asked.has(word) && !ofRow.has(word));
    const isGiven = tokenize(text).every((token) => asked.has(token));
    if (index === 0 || isGiven || (named.length === 0 && cells.length > 2)) return [];
    // Include the column's name, because it often contains the unit.
    const isKind = kinds.some((kind) => holdsKind(text, kind) || holdsKind(`${text} ${name}`, kind));
    return kinds.length > 0 && !isKind ? [] : [{ index, named: named.length, isWhole: words.every((word) => asked.has(word)), isKind }];
  });
  const whole = columns.filter(({ isWhole }) => isWhole);
  const candidates = whole.length > 0 ? whole : columns.filter(({ named, isKind }) => named > 0 || isKind);
  const most = Math.max(...candidates.map(({ named }) => named));
  const found = candidates.filter(({ named }) => named === most);
  return found.length === 1 ? (found[0]?.index ?? null) : null;
}

/** Renders an answer as plain text: the refusal, or its lines in order with `[n]` and their warnings. */
export function renderAnswerPlain(answer: Answer): string {
  if (answer.refusal !== null) return answer.refusal.message;
  const lines = answerLines(answer).flatMap((line, i) => [citedLine(line), ...doubtsAt(answer, i).map((doubt) => `(${doubt})`)]);
  return [...prefixesOf(answer), lines.join("\n")].join("\n\n");
}

/** Formats a line with its citations: `Text [1] [2]`. */
export function citedLine(line: Line): string {
  return `${lineText(line)}${line.citations.map((n) => ` [${n}]`).join("")}`;
}

/** Formats the cited sources, one per line: `[1] Title, URL: “quote”`. */
export function sourceLines(citations: readonly Pick<Citation, "n" | "title" | "url" | "quote">[]): string[] {
  return citations.map(({ n, title, url, quote }) => `[${n}] ${title}${url === null ? "" : `, ${url}`}: “${quote}”`);
}

/** Renders a refusal as plain text: message, note, near misses, contacts. */
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

/** Returns the formatted warnings about one displayed sentence. @param at index of the sentence */
export function doubtsAt({ warnings }: Pick<Answer, "warnings">, at: number): string[] {
  return warnings.filter(({ sentence }) => sentence === at).map(doubtText);
}

/** Formats the warning about a sentence as plain text. */
export function doubtText({ message }: Pick<Warning, "message">): string {
  return `Not sure: ${message}`;
}

/** Returns the message that the profile puts before an answer of low confidence. */
function prefixesOf({ warnings }: Answer): string[] {
  return warnings.filter(({ code }) => code === "low_confidence").map(({ message }) => message);
}

/** Renders an answer as HTML. Every text is escaped; links are http(s) only. */
export function renderAnswerHtml(answer: Answer): string {
  if (answer.refusal !== null) return `<p>${escapeHtml(answer.refusal.message)}</p>`;
  const paragraphs = answerLines(answer).map((line, i) => {
    const doubts = doubtsAt(answer, i).map((doubt) => ` <em>(${escapeHtml(doubt)})</em>`);
    const marks = line.citations.map((n) => `<sup><a href="#citation-${n}">[${n}]</a></sup>`).join("");
    const label = line.label === null ? "" : `<small>${escapeHtml(line.label)}</small> `;
    return `<p>${label}${lineHtml(line)}${marks}${doubts.join("")}</p>`;
  });
  const sources = answer.citations.map(
    ({ n, title, url, quote, ...place }) =>
      `<li id="citation-${n}" value="${n}">${linked(title, url)}${escapeHtml(labelPlace({ title, ...place }))}: <q>${escapeHtml(quote)}</q></li>`,
  );
  const prefixes = prefixesOf(answer).map((message) => `<p>${escapeHtml(message)}</p>`);
  return `${prefixes.join("")}${paragraphs.join("")}${renderSeeAlso(answer)}${sources.length > 0 ? `<ol>${sources.join("")}</ol>` : ""}`;
}

function lineHtml({ text, source, askedCell }: Line): string {
  if (source?.row === undefined) return escapeHtml(text);
  const { first, rest } = splitRow(source.row.cells, askedCell);
  const said = first === null ? [] : [`${escapeHtml(first.label)}: <b>${escapeHtml(first.value)}</b> (${escapeHtml(first.column)})`];
  const named = rest.map(({ name, text: value }) => (name === "" ? "" : `<b>${escapeHtml(name)}:</b> `) + escapeHtml(value));
  return [...said, ...named].join("; ");
}

function renderSeeAlso({ seeAlso }: Answer): string {
  if (seeAlso === undefined || seeAlso === null) return "";
  const heading = seeAlso.heading === null || seeAlso.heading === seeAlso.title ? "" : ` – ${escapeHtml(seeAlso.heading)}`;
  return `<p>See also: ${linked(seeAlso.title, seeAlso.url)}${heading}</p>`;
}

/** Formats the place of a quote: ` – Filing › Time limits, page 5`; "" if only the title is known. */
export function labelPlace({ title, headingPath, page }: Pick<Citation, "title" | "headingPath" | "page">): string {
  const headings = headingPath.filter((heading) => heading !== title).join(" › ");
  return `${headings === "" ? "" : ` – ${headings}`}${page === undefined || page === null ? "" : `, page ${page}`}`;
}

function linked(title: string, url: string | null): string {
  const name = escapeHtml(title);
  const address = httpUrl(url);
  return address === null ? name : `<a href="${escapeHtml(address)}" rel="noopener">${name}</a>`;
}
