import type { ReactNode } from "react";
import { type Disagreement, joinConflicts, type WireAnswer } from "../../src/client/index.ts";
import { formatDate, toHttpUrl } from "../format.ts";
import { Linked } from "../kit/message.tsx";

/** Shows the conflicts between sources of an answer, and the results of checking passages on the web. */
export default function Conflicts({ number, answer: { conflicts, web } }: { readonly number: number; readonly answer: WireAnswer }) {
  return (
    <>
      <ConflictList number={number} conflicts={conflicts} />
      {web === undefined ? null : <WebList web={web} />}
    </>
  );
}

export interface WebListProps {
  readonly web: NonNullable<WireAnswer["web"]>;
}

const SAYS = { confirmed: "confirms it", contradicted: "contradicts it" } as const;

/** Shows the results of checking uncertain passages on the web. They are not sources of the answer, and labelled so. */
export function WebList({ web }: WebListProps) {
  const pages = web.flatMap(({ sid, pages: found }) => found.map((page) => ({ sid, ...page })));
  const silent = web.filter((said) => said.pages.length === 0);
  if (web.length === 0) return null;
  return (
    <section className="conflict web-evidence">
      <h3>On the web (not a source of this answer)</h3>
      <ul>
        {pages.map(({ sid, url, title, verdict, quote, retrieved_at }) => (
          <Side key={`${sid} ${url}`} value={SAYS[verdict]} quote={quote} date={`retrieved on ${formatDate(retrieved_at.slice(0, 10))}`}>
            <Linked text={title} href={toHttpUrl(url)} />
          </Side>
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

interface SideProps {
  readonly value: ReactNode;
  readonly quote: string;
  readonly date: string;
  readonly children: ReactNode;
}

/** Shows one side of a comparison: value, quote and date. */
function Side({ value, quote, date, children }: SideProps) {
  return (
    <li className="card">
      {value === null ? null : <span className="conflict-value">{value}</span>}
      <q className="conflict-quote">{quote}</q>
      <span>{children}</span>
      <span className="muted">{date}</span>
    </li>
  );
}

export interface ConflictListProps {
  /** Number of the turn, from 1. */
  readonly number: number;
  readonly conflicts: WireAnswer["conflicts"];
}

/** Shows each conflict in a section, with the conflicting sources side by side. */
export function ConflictList({ number, conflicts }: ConflictListProps) {
  return joinConflicts(conflicts).map((one, i) => (
    <section key={keyOf(one)} className="conflict" aria-label={`Conflict ${i + 1} of answer ${number}`}>
      <h3>{one.heading}</h3>
      <ul>
        {one.sides.map(({ document_id, start, value, quote, title, url, as_of: date }) => (
          <Side
            key={`${document_id} ${start} ${value}`}
            value={value}
            quote={quote}
            date={date === null ? "no date stated" : `as of ${formatDate(date)}`}
          >
            <Linked text={title} href={toHttpUrl(url)} />
          </Side>
        ))}
      </ul>
      <p>
        {one.decidedBy === null
          ? `The sources disagree, and no rule says which one takes precedence. Read ${one.sides.length === 2 ? "both" : "all"}.`
          : decidedBy(one, one.decidedBy)}
      </p>
    </section>
  ));
}

function keyOf({ sides }: Disagreement): string {
  return sides.map(({ document_id, start, value }) => `${document_id} ${start} ${value}`).join(" ");
}

function decidedBy({ sides }: Disagreement, rule: NonNullable<Disagreement["decidedBy"]>): string {
  const holding = new Set(sides.filter(({ holds }) => holds).map(({ value, title }) => value ?? title));
  const reason = rule === "newer" ? "the newer source takes precedence" : `a source of type "${rule}" takes precedence`;
  return `These sources disagree. By the configured rule (${reason}), this applies: ${[...holding].join(", ")}`;
}
