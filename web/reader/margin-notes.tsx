import { goTo } from "../app/use-route.ts";
import type { Highlight } from "./highlight.ts";

/** Which answers of this conversation quote what stands beside; one click away from them. */
export function MarginNotes({ highlights }: { readonly highlights: readonly Highlight[] }) {
  const byTurn = new Map(highlights.flatMap(({ turn, label }) => (turn === null ? [] : [[turn, label] as const])));
  if (byTurn.size === 0) return null;
  return (
    <ul className="margin-notes" aria-label="Answers that quote this">
      {[...byTurn].map(([turn, label]) => (
        <li key={turn}>
          <button type="button" className="margin-note" title={label} onClick={() => showTurn(turn)}>
            answer {turn}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** On a narrow screen the answer lies under the document: that is closed first. */
function showTurn(turn: number): void {
  const heading = () => document.getElementById(`question-${turn}`);
  if (heading()?.checkVisibility() !== true) goTo({ room: "ask" });
  requestAnimationFrame(() => heading()?.scrollIntoView({ block: "start" }));
}
