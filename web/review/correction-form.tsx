import { type SyntheticEvent, useId, useMemo, useState } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { changesOf } from "../kit/changes.ts";
import { TextDiff } from "../kit/text-diff.tsx";

export interface CorrectionFormProps {
  readonly answer: WireAnswer;
  readonly onSend: (text: string) => Promise<void>;
}

/** Another answer in the place of the old one, with what changes shown beside it. */
export function CorrectionForm({ answer, onSend }: CorrectionFormProps) {
  const before = useMemo(
    () => answer.sentences.map(({ text, citations }) => `${text}${citations.map((n) => ` [${n}]`).join("")}`).join("\n"),
    [answer],
  );
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const changes = useMemo(() => changesOf(before, text, "words"), [before, text]);

  async function send(event: SyntheticEvent) {
    event.preventDefault();
    setBusy(true);
    await onSend(text);
    setBusy(false);
  }

  return (
    <form className="key-form" onSubmit={send}>
      <label htmlFor={id}>The right answer</label>
      <textarea
        id={id}
        className="field"
        rows={8}
        value={text}
        aria-describedby={`${id}-how`}
        onChange={(event) => setText(event.target.value)}
      />
      <p id={`${id}-how`} className="muted">
        Each sentence cites [n], a source of this answer. Another document is named by a last line such as{" "}
        <code>[5]: path/to/document.md</code>. What you write is bound to the documents and checked before it is kept.
      </p>
      <h3>What changes</h3>
      <TextDiff changes={changes} />
      <div className="dialog-row">
        <button type="submit" className="ask-button" disabled={busy || text.trim() === "" || text === before}>
          Keep this answer
        </button>
      </div>
    </form>
  );
}
