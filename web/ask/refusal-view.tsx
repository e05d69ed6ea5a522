import type { WireRefusal } from "../../src/client/index.ts";
import { formatRoute, type Scope } from "../app/route.ts";
import { formatCount, formatDate, toContactUrl, toHttpUrl } from "../format.ts";
import { Linked, Recognised } from "../kit/message.tsx";
import { CellRow, isRow } from "../kit/table.tsx";
import { isOneLine } from "./plain-words.ts";
import { FilePlace } from "./source-list.tsx";

/** `number`: of the turn, from 1. `scope`: domain and tenant of the question, for links to its documents. */
type RefusalViewProps = Readonly<{ refusal: WireRefusal; number: number; scope: Scope }>;

function headingOf({ reason, searched: { documents } }: WireRefusal): string {
  const where = documents === 0 ? "" : ` in ${formatCount(documents, "document")}`;
  const headings: Readonly<Record<WireRefusal["reason"], string>> = {
    nothing_relevant: `Not found${where}`,
    evidence_too_weak: `No sure answer${where}`,
    not_reliable: "No reliable answer could be written",
    empty_corpus: "There are no documents to search yet",
    injection: "This question cannot be answered here",
    language: "Only English is supported",
    small_talk: "",
    crisis: "",
  };
  return headings[reason];
}

/** Shows a refusal: the reason, the nearest passages with the question's words that they lack, contacts, and what was searched. */
export default function RefusalView({ number, scope, refusal }: RefusalViewProps) {
  const { reason, message, note, searched, nearest, contacts } = refusal;
  if (isOneLine(reason)) {
    return (
      <section className="refusal" aria-label={`Reply (${number})`}>
        <p>{message}</p>
      </section>
    );
  }
  return (
    <section className="refusal" aria-label={`Not answered (${number})`}>
      <h3>{headingOf(refusal)}</h3>
      <p>{message}</p>
      {note === "" ? null : <p className="muted">{note}</p>}
      {nearest.length === 0 ? null : (
        <>
          <h4>Nearest passages, which may not answer the question</h4>
          <ul className="cards">
            {nearest.map((miss) => (
              <NearMiss key={`${miss.document_id} ${miss.original.start} ${miss.quote}`} miss={miss} scope={scope} />
            ))}
          </ul>
        </>
      )}
      {contacts.length === 0 ? null : (
        <>
          <h4>Contacts</h4>
          <ul className="stack">
            {contacts.map(({ name, contact }) => (
              <li key={`${name} ${contact}`}>
                {name}: <Linked text={contact} href={toContactUrl(contact)} />
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary className="muted">What was searched</summary>
        <p className="muted">
          {formatCount(searched.documents, "document")}, {formatCount(searched.chunks, "passage")}
          {describeDates(searched.as_of)}
          {searched.within === undefined ? "" : `, only within ${searched.within}`}.
        </p>
      </details>
      {searched.unreadable_count === 0 ? null : (
        <details className="message is-warning" open={searched.unreadable_count <= 3}>
          <summary>Not searched, because unreadable: {formatCount(searched.unreadable_count, "file")}</summary>
          <ul>
            {searched.unreadable.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
            {searched.unreadable_count > searched.unreadable.length ? (
              <li>and {formatCount(searched.unreadable_count - searched.unreadable.length, "more", "more")}</li>
            ) : null}
          </ul>
        </details>
      )}
    </section>
  );
}

function NearMiss({ miss, scope }: Pick<RefusalViewProps, "scope"> & { readonly miss: WireRefusal["nearest"][number] }) {
  const { title, heading, url, original, quote, missing, missing_values, document_id: document, document_version: version } = miss;
  const lacks = [
    ...(missing.length === 0 ? [] : [`does not mention ${missing.map((word) => `“${word}”`).join(", ")}`]),
    ...(missing_values.length === 0 ? [] : [`does not contain what you asked for: ${missing_values.join("; ")}`]),
  ];
  return (
    <li className="card">
      <Linked text={title} href={toHttpUrl(url)} />
      {heading === null ? null : <span> – {heading}</span>}
      {quote === null ? null : (
        <blockquote className="read">{isRow(quote) ? <CellRow row={quote} start={0} pieces={(cell) => cell} /> : quote}</blockquote>
      )}
      {original.recognised === true ? <Recognised /> : null}
      {lacks.length === 0 ? null : <p className="muted">This passage {lacks.join(" and ")}.</p>}
      <p className="muted">
        <a href={formatRoute({ room: "read", document, start: null, end: null, version, quote, ...scope })}>Show in the document</a>
        {": "}
        <FilePlace original={original} />
      </p>
    </li>
  );
}

function describeDates({ from, to, undated }: WireRefusal["searched"]["as_of"]): string {
  if (from === null || to === null) return "";
  const range = from === to ? formatDate(from) : `${formatDate(from)} to ${formatDate(to)}`;
  return `, as of ${range}${undated === 0 ? "" : `, ${formatCount(undated, "document")} without a date`}`;
}
