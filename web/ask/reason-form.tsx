import { type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../kit/controls.tsx";
import { useEscape } from "../kit/pane.tsx";

const REASON_CHARACTERS = 500;

type ReasonFormProps = Readonly<{ onSend: (reason: string) => void; onClose: () => void }>;

/** Form for the reason why an answer is wrong. It appears after such a rating. */
export default function ReasonForm({ onSend, onClose }: ReasonFormProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEscape(form, onClose);

  function submit(event: SyntheticEvent) {
    event.preventDefault();
    onSend(reason.trim());
  }

  return (
    <form className="stack feedback-form" ref={form} onSubmit={submit}>
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
        <Button type="submit" disabled={reason.trim() === ""}>
          Send
        </Button>
        <Button onClick={onClose}>Skip</Button>
      </div>
    </form>
  );
}
