import type { WireAnswer } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import { useFetched } from "../app/use-account.ts";
import { StateLine } from "../kit/message.tsx";
import type { Handed } from "./ask-room.tsx";
import type { Turn } from "./conversation/state.ts";
import { TurnView } from "./turn-view.tsx";

/**
 * Shows the answer behind a shared link, as it was given at that time.
 * @param onHand passes a question to the Ask view
 */
export default function SharedAnswer({ id, onHand }: Readonly<{ id: string; onHand: (handed: Handed) => void }>) {
  const [state, reload] = useFetched<WireAnswer>(`/v1/answers/${encodeURIComponent(id)}`);
  return (
    <main className="room-page" aria-label="Shared answer">
      <h1 className="visually-hidden">Shared answer</h1>
      <div className="row room-bar">
        <a className="quiet-button" href={formatRoute({ room: "ask" })}>
          Ask your own question
        </a>
      </div>
      <StateLine state={state} what="the answer" onRetry={reload} />
      {state.type === "ready" ? (
        <TurnView
          turn={asTurn(state.value)}
          onAsk={(question, how) => onHand({ question, how: { ...how, domain: state.value.domain } })}
          onEdit={(question) => onHand({ question, how: null })}
        />
      ) : null}
    </main>
  );
}

function asTurn(answer: WireAnswer): Turn {
  const { question, sentences, citations, warnings } = answer;
  return {
    ...{ id: 1, question, asked: {}, status: { type: "answered", answer } },
    ...{ sentences, citations, notices: [], warnings, stages: [], isOld: true },
  };
}
