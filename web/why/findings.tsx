import type { WireAnswer } from "../../src/client/index.ts";
import { checkInWords, claimInWords } from "../ask/plain-words.ts";
import { formatCount, formatShare, toHttpUrl } from "../format.ts";
import { numbered } from "../kit/numbered.ts";

const VERDICTS = { verified: "answers", uncertain: "may answer", rejected: "does not answer" } as const;
const CHECK_VERDICTS = { pass: "passed", repaired: "repaired", warn: "doubt", fail: "failed" } as const;

/** Every passage that was weighed, with its scores, and what was read of it. */
export function Passages({ evidence, citations }: Pick<WireAnswer, "evidence" | "citations">) {
  if (evidence.length === 0) return <p>No passage was weighed.</p>;
  const rows = [...evidence].sort((a, b) => b.final - a.final);
  return (
    <>
      <p>{formatCount(evidence.length, "passage")} weighed, the strongest first.</p>
      <ol className="weighed">
        {rows.map(({ sid, title, url, rel, consistency, agreement, cross, final, verdict, reason }) => {
          const href = toHttpUrl(url);
          const scores = { relevance: rel, consistency, agreement, "reranker score": cross };
          const read = citations.filter((citation) => citation.title === title);
          return (
            <li key={sid}>
              <p>
                <span className={`verdict is-${verdict}`}>{VERDICTS[verdict]}</span>{" "}
                {href === null ? (
                  <strong>{title}</strong>
                ) : (
                  <a href={href} target="_blank" rel="noopener noreferrer">
                    {title}
                  </a>
                )}
              </p>
              <p className="muted">{reason}</p>
              <p className="muted">
                score {formatShare(final)}
                {Object.entries(scores)
                  .map(([name, score]) => (score === null ? "" : `, ${name} ${formatShare(score)}`))
                  .join("")}
              </p>
              {read.map(({ n, quote }) => (
                <blockquote key={n} className="read">
                  [{n}] {quote}
                </blockquote>
              ))}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Every check on its sentence, then those of the answer as a whole. */
export function Checks({ answer: { sentences, claims, checks } }: { readonly answer: WireAnswer }) {
  const whole = checks.filter(({ sentence }) => sentence === null);
  return (
    <>
      <ol className="weighed">
        {numbered(sentences).map(({ place: index, item: { text } }) => {
          const claim = claims.find(({ sentence }) => sentence === index);
          return (
            <li key={index}>
              <p>{text}</p>
              {claim === undefined ? null : (
                <p className="muted">
                  {claimInWords(claim.status)} {claim.reason === "" ? "" : `(${claim.reason})`}
                </p>
              )}
              <CheckList checks={checks.filter(({ sentence }) => sentence === index)} />
            </li>
          );
        })}
      </ol>
      {whole.length === 0 ? null : (
        <>
          <h3>The answer as a whole</h3>
          <CheckList checks={whole} />
        </>
      )}
      {sentences.length + whole.length === 0 ? <p>Nothing was checked: there is no sentence to check.</p> : null}
    </>
  );
}

function CheckList({ checks }: { readonly checks: WireAnswer["checks"] }) {
  return (
    <ul className="checks">
      {numbered(checks).map(({ place, item: check }) => (
        <li key={place}>
          <span className={`verdict is-${check.verdict}`}>{CHECK_VERDICTS[check.verdict]}</span> <strong>{check.name}</strong>
          {check.score === null ? "" : ` ${formatShare(check.score)}`}: {check.reason}
          {check.verdict === "warn" || check.verdict === "fail" ? ` ${checkInWords(check)}` : ""}
        </li>
      ))}
    </ul>
  );
}
