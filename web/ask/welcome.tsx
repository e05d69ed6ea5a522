import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";

export interface WelcomeProps {
  readonly account: Account;
  readonly onAsk: (question: string) => void;
}

/** Examples that are shown. */
const EXAMPLES = 3;

/** What is asked here; stands still while the rest is looked up. */
export function Welcome({ account: { domain } }: Pick<WelcomeProps, "account">) {
  return (
    <div className="welcome">
      <h1>{domain === null ? "Ask the documents." : `Ask about ${domain.title}.`}</h1>
      <p>Every sentence of an answer is checked against an exact quote that you can open. When the documents are not enough, it says so.</p>
    </div>
  );
}

/** What this is about, and three questions that its own documents answer; below the box, so that nothing moves when it comes. */
export function WelcomeMore({ account, onAsk }: WelcomeProps) {
  const { domain, domains, reload } = account;
  return (
    <div className="welcome-more">
      <StateLine state={domains} what="what there is to ask" onRetry={reload} />
      {domain?.documents === 0 ? (
        <p className="message is-warning">
          There are no documents yet:{" "}
          {mayIngest(account) ? (
            <a href={formatRoute({ room: "library" })}>add some in the Library</a>
          ) : (
            "whoever runs the server adds some in the Library, or with the command ingest"
          )}
          .
        </p>
      ) : null}
      {domain === null || domain.documents === 0 || domain.examples.length === 0 ? null : (
        <ul className="examples" aria-label="Example questions">
          {domain.examples.slice(0, EXAMPLES).map((question) => (
            <li key={question}>
              <button type="button" onClick={() => onAsk(question)}>
                {question}
              </button>
            </li>
          ))}
        </ul>
      )}
      {domain === null || domain.documents === 0 ? null : (
        <p className="welcome-about">
          {domain.description === "" ? "" : `${domain.description} `}
          {formatCount(domain.documents, "document")} can be searched.
        </p>
      )}
    </div>
  );
}

function mayIngest({ caller }: Account): boolean {
  return caller.type === "ready" && caller.value.roles.includes("ingest");
}
