import type { WireAnswer } from "../../src/client/index.ts";
import { formatDate } from "../format.ts";

/** An answer as text to be pasted elsewhere, with the sources of each sentence and where they can be read. */
export function copiedText({ question, sentences, citations, refusal, warnings }: WireAnswer): string {
  if (refusal !== null) return `${question}\n\n${refusal.message}\n${refusal.note}`.trim();
  const noteOf = ({ message }: WireAnswer["warnings"][number]) => `Note: ${message}`;
  const text = sentences
    .flatMap(({ text, citations: cited }, i) => [
      `${text} ${cited.map((n) => `[${n}]`).join("")}`.trim(),
      ...warnings.filter(({ sentence }) => sentence === i).map(noteOf),
    ])
    .join("\n");
  const notes = warnings.filter(({ sentence }) => sentence === undefined).map(noteOf);
  const sources = citations.map(({ n, title, quote, url, as_of: date, page, original }) => {
    const place = [page === null || page === undefined ? "" : `page ${page}`, date === null ? "" : `as of ${formatDate(date)}`];
    return `[${n}] ${[title, ...place].filter((part) => part !== "").join(", ")}: “${quote}” ${url ?? fileOf(original)}`;
  });
  return [question, text, ...(notes.length === 0 ? [] : [notes.join("\n")]), `Sources\n${sources.join("\n")}`].join("\n\n");
}

function fileOf({ path, part }: WireAnswer["citations"][number]["original"]): string {
  return part === undefined ? path : `${path}, ${part}`;
}
