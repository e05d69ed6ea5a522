import type { WireAnswer } from "../../src/client/index.ts";
import { formatDate, toHttpUrl } from "../format.ts";

export interface WebListProps {
  readonly web: NonNullable<WireAnswer["web"]>;
}

const SAYS = { confirmed: "says so", contradicted: "says otherwise" } as const;

/** What the web said of uncertain passages: beside the answer, and marked as no source of it. */
export function WebList({ web }: WebListProps) {
  const pages = web.flatMap(({ sid, pages: found }) => found.map((page) => ({ sid, ...page })));
  const silent = web.filter((said) => said.pages.length === 0);
  if (web.length === 0) return null;
  return (
    <section className="conflict web-evidence">
      <h3>On the web, not a source of this answer</h3>
      <ul>
        {pages.map(({ sid, url, title, verdict, quote, retrieved_at }) => (
          <li key={`${sid} ${url}`}>
            <span className="conflict-value">{SAYS[verdict]}</span>
            <q className="conflict-quote">{quote}</q>
            <WebSource url={url} title={title} />
            <span className="conflict-date">read on {formatDate(retrieved_at.slice(0, 10))}</span>
          </li>
        ))}
        {silent.map(({ sid, reason }) => (
          <li key={sid}>
            <span className="conflict-value">{sid}</span> {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

function WebSource({ url, title }: { readonly url: string; readonly title: string }) {
  const address = toHttpUrl(url);
  return (
    <span className="conflict-source">
      {address === null ? (
        title
      ) : (
        <a href={address} target="_blank" rel="noopener noreferrer nofollow">
          {title}
        </a>
      )}
    </span>
  );
}
