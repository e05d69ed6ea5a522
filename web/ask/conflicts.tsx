import { type Disagreement, joinConflicts, type WireAnswer } from "../../src/client/index.ts";
import { formatDate, toHttpUrl } from "../format.ts";
import { Linked } from "../kit/message.tsx";

type ConflictsProps = Readonly<{ number: number; answer: Pick<WireAnswer, "conflicts" | "web"> }>;

/** Shows each conflict between sources of an answer in a section, and the results of checking passages on the web. */
export default function Conflicts({ number, answer: { conflicts, web = [] } }: ConflictsProps) {
  return (
    <>
      {joinConflicts(conflicts).map((one, i) => (
        <section key={keyOf(one)} className="conflict" aria-label={`Conflict ${i + 1} of answer ${number}`}>
          <h3>{one.heading}</h3>
          <ul className="cards">
            {one.sides.map(({ document_id, start, value, quote, title, url, as_of: date }) => (
              <Side
                key={`${document_id} ${start} ${value}`}
                {...{ value, quote, title, url }}
                date={date === null ? "no date stated" : `as of ${formatDate(date)}`}
              />
            ))}
          </ul>
          <p>
            {one.decidedBy === null
              ? `The sources disagree, and no rule says which one takes precedence. Read ${one.sides.length === 2 ? "both" : "all"}.`
              : decidedBy(one, one.decidedBy)}
          </p>
        </section>
      ))}
      {web.length === 0 ? null : <WebList web={web} />}
    </>
  );
}

const SAYS = { confirmed: "confirms it", contradicted: "contradicts it" } as const;

/** Shows the results of checking uncertain passages on the web. They are not sources of the answer, and labelled so. */
function WebList({ web }: { readonly web: NonNullable<WireAnswer["web"]> }) {
  const pages = web.flatMap(({ sid, pages: found }) => found.map((page) => ({ sid, ...page })));
  const silent = web.filter((said) => said.pages.length === 0);
  return (
    <section className="conflict is-web">
      <h3>On the web (not a source of this answer)</h3>
      <ul className="cards">
        {pages.map(({ sid, url, title, verdict, quote, retrieved_at: at }) => (
          <Side
            key={`${sid} ${url}`}
            value={SAYS[verdict]}
            {...{ quote, title, url }}
            date={`retrieved on ${formatDate(at.slice(0, 10))}`}
          />
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

type SideProps = Readonly<{ value: string | null; quote: string; title: string; url: string | null; date: string }>;

/** Shows one side of a comparison: value, quote, source and date. */
function Side({ value, quote, title, url, date }: SideProps) {
  return (
    <li className="card">
      {value === null ? null : <span className="conflict-value">{value}</span>}
      <q>{quote}</q>
      <span>
        <Linked text={title} href={toHttpUrl(url)} />
      </span>
      <span className="muted">{date}</span>
    </li>
  );
}

function keyOf({ sides }: Disagreement): string {
  return sides.map(({ document_id, start, value }) => `${document_id} ${start} ${value}`).join(" ");
}

function decidedBy({ sides }: Disagreement, rule: NonNullable<Disagreement["decidedBy"]>): string {
  const holding = new Set(sides.filter(({ holds }) => holds).map(({ value, title }) => value ?? title));
  const reason = rule === "newer" ? "the newer source takes precedence" : `a source of type "${rule}" takes precedence`;
  return `These sources disagree. By the configured rule (${reason}), this applies: ${[...holding].join(", ")}`;
}
