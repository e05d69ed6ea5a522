import { Dialog } from "@base-ui/react/dialog";
import { type SyntheticEvent, useId, useState } from "react";
import { ClientError } from "../../src/client/index.ts";
import { CheckField } from "../kit/controls.tsx";
import { DialogFrame } from "../kit/dialog.tsx";
import { messageOf } from "./api.ts";
import type { Account } from "./use-account.ts";

export interface SignInProps {
  readonly account: Pick<Account, "signIn" | "signOut" | "signedIn" | "caller">;
}

/** Dialog for signing in and out; open when mounted. */
export default function SignInDialog({ account: { signedIn, signIn, signOut, caller } }: SignInProps) {
  return (
    <DialogFrame trigger={signedIn ? "Signed in" : "Sign in"} title={signedIn ? "Signed in by key" : "Sign in by key"}>
      {(close) =>
        signedIn ? (
          <>
            <Dialog.Description>{describeKey(caller)}</Dialog.Description>
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
              <Dialog.Close className="quiet-button">Close</Dialog.Close>
            </div>
          </>
        ) : (
          <KeyForm signIn={signIn} onDone={close} />
        )
      }
    </DialogFrame>
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
        Your administrator creates keys with <code>sourcebound keys create NAME</code>. A key decides what is searched and which views are
        available: without <code>--role</code> it gives access to Ask only, with <code>--role admin</code> to every view.
      </Dialog.Description>
      <label htmlFor={id}>Key</label>
      <input
        id={id}
        className="field"
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        aria-invalid={state.error !== null}
        aria-describedby={`${id}-error`}
        onChange={(event) => setKey(event.target.value)}
      />
      <CheckField checked={keep} onChange={setKeep}>
        Stay signed in on this device
      </CheckField>
      <p id={`${id}-error`} role="alert" className={state.error === null ? "visually-hidden" : "message is-warning"}>
        {state.error}
      </p>
      <div className="row">
        <button type="submit" className="ask-button" disabled={state.busy || !/^[\x21-\x7e]{1,500}$/.test(key.trim())}>
          Sign in
        </button>
        <Dialog.Close className="quiet-button">Cancel</Dialog.Close>
      </div>
    </form>
  );
}
