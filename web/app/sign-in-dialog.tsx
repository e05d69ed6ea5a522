import { Dialog } from "@base-ui/react/dialog";
import { type SyntheticEvent, useId, useState } from "react";
import { ClientError } from "../../src/client/index.ts";
import { messageOf } from "./api.ts";
import type { Account } from "./use-account.ts";

export interface SignInProps {
  readonly account: Pick<Account, "signIn" | "signOut" | "signedIn" | "caller">;
}

/** The way in by a key, and out again; begins open. */
export default function SignInDialog({ account }: SignInProps) {
  const [open, setOpen] = useState(true);
  const { signedIn, signOut, caller } = account;
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="quiet-button">{signedIn ? "Signed in" : "Sign in"}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title">{signedIn ? "Signed in by key" : "Sign in by key"}</Dialog.Title>
          {signedIn ? (
            <>
              <Dialog.Description>
                {caller.type === "ready"
                  ? `This key may: ${caller.value.roles.join(", ")}.${caller.value.key_id === null ? "" : ` Its id is ${caller.value.key_id}.`}`
                  : caller.type === "failed"
                    ? caller.message
                    : "Asking what it may do…"}
              </Dialog.Description>
              <div className="dialog-row">
                <button
                  type="button"
                  className="ask-button"
                  onClick={() => {
                    signOut();
                    setOpen(false);
                  }}
                >
                  Sign out
                </button>
                <Dialog.Close className="quiet-button">Close</Dialog.Close>
              </div>
            </>
          ) : (
            <KeyForm signIn={account.signIn} onDone={() => setOpen(false)} />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What the server says of an unknown key is meant for programs. */
function keyFault(error: unknown): string {
  if (error instanceof ClientError && WRONG_KEY.has(error.code))
    return "This key is not known here. Check that it was copied whole; whoever runs the server can make another.";
  return messageOf(error);
}

const WRONG_KEY: ReadonlySet<string> = new Set(["key_wrong", "key_missing", "admin_token_wrong", "admin_off"]);

function KeyForm({ signIn, onDone }: { readonly signIn: Account["signIn"]; readonly onDone: () => void }) {
  const [key, setKey] = useState("");
  const [keep, setKeep] = useState(false);
  const [state, setState] = useState<{ readonly busy: boolean; readonly error: string | null }>({ busy: false, error: null });
  const id = useId();

  async function submit(event: SyntheticEvent) {
    event.preventDefault();
    setState({ busy: true, error: null });
    try {
      await signIn(key.trim(), keep);
      onDone();
    } catch (error) {
      setState({ busy: false, error: keyFault(error) });
    }
  }

  return (
    <form className="key-form" onSubmit={submit}>
      <Dialog.Description>
        Whoever runs the server makes keys with <code>sourcebound keys create NAME</code>. A key decides what is searched and which rooms
        are open: without <code>--role</code> it opens Ask alone, with <code>--role admin</code> every room.
      </Dialog.Description>
      <label htmlFor={id}>Key</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        aria-invalid={state.error !== null}
        aria-describedby={`${id}-error`}
        onChange={(event) => setKey(event.target.value)}
      />
      <label className="check">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} />
        Keep it on this device, also when the window is closed
      </label>
      <p id={`${id}-error`} role="alert" className={state.error === null ? "visually-hidden" : "message is-warning"}>
        {state.error}
      </p>
      <div className="dialog-row">
        <button type="submit" className="ask-button" disabled={state.busy || !/^[\x21-\x7e]{1,500}$/.test(key.trim())}>
          Sign in
        </button>
        <Dialog.Close className="quiet-button">Cancel</Dialog.Close>
      </div>
    </form>
  );
}
