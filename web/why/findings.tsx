import type { WireAnswer } from "../../src/client/index.ts";
import { checkInWords, claimInWords } from "../ask/plain-words.ts";
import { describeCheck, formatShare } from "../format.ts";
import { numbered } from "../kit/numbered.ts";

const CHECK_VERDICTS = { pass: "passed", repaired: "repaired", warn: "doubt", fail: "failed" } as const;

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
          <span className={`verdict is-${check.verdict}`}>{CHECK_VERDICTS[check.verdict]}</span>{" "}
          <strong>{describeCheck(check.name)}</strong>
          {check.score === null ? "" : ` ${formatShare(check.score)}`}: {check.reason}
          {check.verdict === "warn" || check.verdict === "fail" ? ` ${checkInWords(check)}` : ""}
        </li>
      ))}
    </ul>
  );
}
