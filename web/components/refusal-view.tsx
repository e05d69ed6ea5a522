import type { WireRefusal } from "../../src/client/index.ts";
import { formatCount, toContactUrl, toHttpUrl } from "../format.ts";

export interface RefusalViewProps {
  readonly refusal: WireRefusal;
}

const HEADINGS: Readonly<Record<WireRefusal["reason"], string>> = {
  nothing_relevant: "No reliable answer was found",
  evidence_too_weak: "The evidence is too weak to answer",
  not_reliable: "No reliable answer could be made",
  empty_corpus: "There are no documents yet",
  injection: "This question is not answered",
};

/** Why there is no answer: what was searched, what came nearest and what it lacks, whom to ask. */
export function RefusalView({ refusal: { reason, message, searched, nearest, contacts } }: RefusalViewProps) {
  return (
    <section className="refusal" aria-label="Not answered">
      <h3>{HEADINGS[reason]}</h3>
      <p>{message}</p>
      <p className="searched">
        Searched: {formatCount(searched.documents, "document")}, {formatCount(searched.chunks, "passage")} (revision {searched.revision}).
      </p>
      {searched.unreadable.length === 0 ? null : (
        <details className="unreadable" open={searched.unreadable.length <= 3}>
          <summary>Not searched, because unreadable: {formatCount(searched.unreadable.length, "file")}</summary>
          <ul>
            {searched.unreadable.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {nearest.length === 0 ? null : (
        <>
          <h4>What came nearest</h4>
          <ul className="nearest">
            {nearest.map(({ title, url, missing }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes; two misses may have the same title
              <li key={index}>
                <Linked text={title} href={toHttpUrl(url)} />
                {missing.length === 0 ? null : (
                  <span className="missing">does not mention {missing.map((word) => `“${word}”`).join(", ")}</span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {contacts.length === 0 ? null : (
        <>
          <h4>Whom to ask</h4>
          <ul className="contacts">
            {contacts.map(({ name, contact }) => (
              <li key={`${name} ${contact}`}>
                {name}: <Linked text={contact} href={toContactUrl(contact)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Linked({ text, href }: { readonly text: string; readonly href: string | null }) {
  if (href === null) return text;
  return (
    <a href={href} target={href.startsWith("http") ? "_blank" : undefined} rel="noopener noreferrer">
      {text}
    </a>
  );
}
