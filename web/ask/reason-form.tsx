import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { QuietButton } from "../kit/message.tsx";

const REASON_CHARACTERS = 500;

interface ReasonFormProps {
  readonly onSend: (reason: string) => void;
  readonly onClose: () => void;
}

/** Form for the reason why an answer is wrong. It appears after such a rating. */
export default function ReasonForm({ onSend, onClose }: ReasonFormProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);

  function submit(event: SyntheticEvent) {
    event.preventDefault();
    onSend(reason.trim());
  }

  function onKey(event: KeyboardEvent) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onClose();
  }

  return (
    <form className="stack feedback-form" onSubmit={submit} onKeyDown={onKey}>
      <label htmlFor={`${id}-reason`}>What is wrong? (optional)</label>
      <textarea
        ref={field}
        id={`${id}-reason`}
        className="field"
        rows={2}
        maxLength={REASON_CHARACTERS}
        value={reason}
        aria-describedby={`${id}-note`}
        onChange={(event) => setReason(event.target.value)}
      />
      <p id={`${id}-note`} className="muted">
        Numbers, e-mail addresses and postal addresses are removed before your reason is stored. Do not enter names.
      </p>
      <div className="row">
        <button type="submit" className="quiet-button" disabled={reason.trim() === ""}>
          Send
        </button>
        <QuietButton onClick={onClose}>Skip</QuietButton>
      </div>
    </form>
  );
}
