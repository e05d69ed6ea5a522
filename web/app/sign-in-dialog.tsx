import { type SyntheticEvent, useId, useState } from "react";
import { ClientError } from "../../src/client/index.ts";
import { CheckField, TextField } from "../kit/controls.tsx";
import { DialogButton } from "../kit/dialog.tsx";
import { Alert, QuietButton } from "../kit/message.tsx";
import { messageOf } from "./api.ts";
import { type Account, useAccount } from "./use-account.ts";

/** A button that opens the dialog for signing in and out. */
export function SignIn() {
  const { signedIn, signOut, caller } = useAccount();
  return (
    <DialogButton label={signedIn ? "Signed in" : "Sign in"} title={signedIn ? "Signed in by key" : "Sign in by key"}>
      {(close) =>
        signedIn ? (
          <>
            <p>{describeKey(caller)}</p>
            <div className="row">
              <button
                type="button"
                className="ask-button"
                onClick={() => {
                  signOut();
                  close();
                }}
              >
                Sign out
              </button>
              <QuietButton onClick={close}>Close</QuietButton>
            </div>
          </>
        ) : (
          <KeyForm onDone={close} />
        )
      }
    </DialogButton>
  );
}

function describeKey(caller: Account["caller"]): string {
  if (caller.type === "failed") return caller.message;
  if (caller.type === "loading") return "Checking the permissions of the key…";
  const { roles, key_id: id } = caller.value;
  return `This key may: ${roles.join(", ")}.${id === null ? "" : ` Its id is ${id}.`}`;
}

/** Replaces the server's message for an unknown key, which is written for programs. */
function keyFault(error: unknown): string {
  if (error instanceof ClientError && WRONG_KEY.has(error.code))
    return "Unknown key. Check that you copied all of it, or ask your administrator for a new one.";
  return messageOf(error);
}

const WRONG_KEY: ReadonlySet<string> = new Set(["key_wrong", "key_missing", "admin_token_wrong", "admin_off"]);

function KeyForm({ onDone }: { readonly onDone: () => void }) {
  const { signIn } = useAccount();
  const [key, setKey] = useState("");
  const [keep, setKeep] = useState(false);
  const [state, setState] = useState<{ readonly busy: boolean; readonly error: string | null }>({ busy: false, error: null });
  const errorId = useId();

  async function submit(event: SyntheticEvent) {
    event.preventDefault();
    setState({ busy: true, error: null });
    await signIn(key.trim(), keep).then(onDone, (error) => setState({ busy: false, error: keyFault(error) }));
  }

  return (
    <form className="stack" onSubmit={submit}>
      <p>
        Your administrator creates keys with <code>sourcebound keys create NAME</code>. A key decides what is searched and which views are
        available: without <code>--role</code> it gives access to Ask only, with <code>--role admin</code> to every view.
      </p>
      <TextField
        {...{ label: "Key", type: "password", autoComplete: "off", spellCheck: false, value: key, onChange: setKey }}
        aria-invalid={state.error !== null}
        aria-describedby={errorId}
      />
      <CheckField checked={keep} onChange={setKeep}>
        Stay signed in on this device
      </CheckField>
      <div id={errorId}>
        <Alert text={state.error} />
      </div>
      <div className="row">
        <button type="submit" className="ask-button" disabled={state.busy || !/^[\x21-\x7e]{1,500}$/.test(key.trim())}>
          Sign in
        </button>
        <QuietButton onClick={onDone}>Cancel</QuietButton>
      </div>
    </form>
  );
}
