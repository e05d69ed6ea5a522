import { useCallback, useEffect, useRef } from "react";
import type { Client } from "../../src/client/index.ts";
import { AskBox } from "./ask-box.tsx";
import { useConversation } from "./conversation/use-conversation.ts";
import { type HealthState, useHealth } from "./conversation/use-health.ts";
import { PageHeader } from "./page-header.tsx";
import { TurnView, type TurnViewProps } from "./turn-view.tsx";

export interface PageProps {
  readonly client: Client;
}

/** The one page: earlier questions above, the question box below. */
export function Page({ client }: PageProps) {
  const { conversation, running, ask, stop, clear } = useConversation(client);
  const { turns } = conversation;
  const health = useHealth(client, `${turns.length} ${running}`);
  const box = useRef<HTMLTextAreaElement>(null);
  const last = useRef<HTMLElement>(null);
  const lastId = turns.at(-1)?.id;

  useEffect(() => {
    if (lastId !== undefined) last.current?.scrollIntoView({ block: "start" });
  }, [lastId]);

  const stopAndReturn = useCallback(() => {
    stop();
    box.current?.focus();
  }, [stop]);

  const clearAndReturn = useCallback(() => {
    clear();
    box.current?.focus();
  }, [clear]);

  const rate = useCallback<TurnViewProps["onRate"]>(
    ({ id, session_id, domain }, verdict, reason) =>
      client.feedback({
        id,
        verdict,
        domain,
        ...(session_id === null ? {} : { session_id }),
        ...(reason === undefined ? {} : { reason }),
      }),
    [client],
  );

  return (
    <div className={turns.length === 0 ? "page is-empty" : "page"}>
      <a className="skip-link" href="#question">
        Skip to the question
      </a>
      <PageHeader health={health} onClear={turns.length === 0 ? null : clearAndReturn} />
      <main className="conversation" aria-label="Conversation">
        {turns.length === 0 ? <Welcome health={health} /> : null}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} busy={running} onRetry={ask} onRate={rate} ref={turn.id === lastId ? last : null} />
        ))}
      </main>
      <section className="ask" aria-label="Ask">
        {turns.length === 0 && health.type === "known" ? <Examples questions={health.health.examples} onAsk={ask} /> : null}
        <AskBox running={running} onAsk={ask} onStop={stopAndReturn} ref={box} />
      </section>
    </div>
  );
}

function Welcome({ health }: { readonly health: HealthState }) {
  const problem = describeProblem(health);
  return (
    <div className="welcome">
      <h1>Ask the documents.</h1>
      <p>Every sentence of an answer is bound to an exact quote that you can open. When the documents are not enough, it says so.</p>
      {problem === null ? null : <p className="message is-warning">{problem}</p>}
    </div>
  );
}

/** What keeps the server from answering, and what to do. */
function describeProblem(state: HealthState): string | null {
  switch (state.type) {
    case "unknown":
      return null;
    case "failed":
      return `${state.message} Start it with the command serve, then reload this page.`;
    case "known":
      return state.health.documents === 0 ? "There are no documents yet: add some with the command ingest." : null;
  }
}

function Examples({ questions, onAsk }: { readonly questions: readonly string[]; readonly onAsk: (question: string) => void }) {
  if (questions.length === 0) return null;
  return (
    <ul className="examples" aria-label="Example questions">
      {questions.map((question) => (
        <li key={question}>
          <button type="button" onClick={() => onAsk(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}
