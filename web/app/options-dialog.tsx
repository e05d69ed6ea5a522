import { type SyntheticEvent, useId, useState } from "react";
import { ClientError } from "../../src/client/index.ts";
import { Button, CheckField, SelectField, TextField } from "../kit/controls.tsx";
import { Alert } from "../kit/message.tsx";
import { messageOf } from "./api.ts";
import { type Account, useAccount } from "./use-account.ts";

const THEMES = [
  ["system", "Auto"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

const WRITES = [
  ["", "Default of this server"],
  ["answer", "Write the answer"],
  ["quotes", "Select the quotes that answer"],
] as const;

/**
 * Settings that are seldom changed: domain, tenant, profile, colours and the API key.
 * @param asks true if the current view asks questions
 */
export default function Options({ asks, onDone }: { readonly asks: boolean; readonly onDone: () => void }) {
  const { caller, domains, signedIn, signOut, preferences, prefer } = useAccount();
  const leave = () => {
    signOut();
    onDone();
  };
  return (
    <>
      <div className="choices">
        <Choices asks={asks} />
        {asks && domains.type === "ready" && domains.value.model ? (
          <SelectField label="Task of the model" value={preferences.write} options={WRITES} onChange={(write) => prefer({ write })} />
        ) : null}
        <SelectField label="Colours" value={preferences.theme} options={THEMES} onChange={(theme) => prefer({ theme })} />
      </div>
      {signedIn ? (
        <>
          <h3>Signed in by key</h3>
          <p>{describeKey(caller)}</p>
          <div className="row">
            <Button className="ask-button" onClick={leave}>
              Sign out
            </Button>
            <Button onClick={onDone}>Close</Button>
          </div>
        </>
      ) : (
        <KeyForm onDone={onDone} />
      )}
    </>
  );
}

/** Selectors of domain, tenant and profile. If there is only one option, the selector is hidden. */
function Choices({ asks }: { readonly asks: boolean }) {
  const { domain, domains, tenant, preferences, prefer } = useAccount();
  if (domains.type !== "ready" || domain === null) return null;
  const titled = (all: readonly { readonly name: string; readonly title: string }[]) =>
    all.map(({ name, title }) => [name, title] as const);
  const profiles = domains.value.profiles.map(({ name, title }) =>
    name === domain.profile ? (["", `Default (${name})`] as const) : ([name, `${name} – ${title}`] as const),
  );
  const choices = [
    ["Documents", domain.name, titled(domains.value.domains), (name: string) => prefer({ domain: name, tenant: "" })],
    ["For", tenant ?? "", [["", "Everybody"] as const, ...titled(domain.tenants)], (name: string) => prefer({ tenant: name })],
    ...(asks ? [["Method", preferences.profile, profiles, (profile: string) => prefer({ profile })] as const] : []),
  ] as const;
  return choices.map(([label, value, options, onChange]) =>
    options.length < 2 ? null : <SelectField key={label} {...{ label, value, options, onChange }} />,
  );
}

function describeKey(caller: Account["caller"]): string {
  if (caller.type === "failed") return caller.message;
  if (caller.type === "loading") return "Checking the permissions of the key…";
  const { roles, key_id: id } = caller.value;
  return `This key may: ${roles.join(", ")}.${id === null ? "" : ` Its id is ${id}.`}`;
}

/** Returns the message for a failed sign-in. The server's message for a wrong key addresses programmers, so it is replaced. */
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
      <h3>Sign in by key</h3>
      <p className="muted">
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
        <Button type="submit" className="ask-button" disabled={state.busy || !/^[\x21-\x7e]{1,500}$/.test(key.trim())}>
          Sign in
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
