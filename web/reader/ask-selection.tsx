import { type SyntheticEvent, useId, useState } from "react";
import { formatCount } from "../format.ts";
import type { TextStretch } from "./read-selection.ts";

export interface AskSelectionProps {
  readonly selected: TextStretch;
  readonly busy: boolean;
  readonly onAsk: (question: string) => void;
  readonly onClose: () => void;
}

/** Asks about the text that was selected, and searches nothing else. */
export function AskSelection({ selected, busy, onAsk, onClose }: AskSelectionProps) {
  const [question, setQuestion] = useState("");
  const id = useId();
  const typed = question.trim();
  return (
    <form
      className="ask-selection"
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault();
        if (typed !== "" && !busy) onAsk(typed);
      }}
    >
      <p className="selected-text">“{selected.text}”</p>
      <label htmlFor={id}>Ask about this selection ({formatCount(selected.end - selected.start, "character")})</label>
      <input id={id} value={question} maxLength={500} onChange={(event) => setQuestion(event.target.value)} />
      <div className="dialog-row">
        <button type="submit" className="ask-button" disabled={busy || typed === ""}>
          Ask about it
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  );
}
