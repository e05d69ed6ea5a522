import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import type { WireCaller, WireDomains } from "../../src/client/index.ts";
import { createApi, type Failure, failureOf } from "./api.ts";
import type { FirstLook } from "./first-look.ts";
import { applyTheme, type Preferences, readKey, readPreferences, writeKey, writePreferences } from "./preferences.ts";

/** The user, the available domains and the preferences. */
export type Account = ReturnType<typeof useNewAccount>;

type ChosenDocument = Readonly<Record<"id" | "title", string>>;

export const AccountContext = createContext<Account | null>(null);

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === null) throw new Error("useAccount needs an AccountContext");
  return account;
}

/** Fetches JSON, and again when the path changes. Returns the state and a function that fetches again. */
export function useFetched<T>(path: string): readonly [Loaded<T>, () => void] {
  const { api } = useAccount();
  return useLoaded<T>(useCallback((signal) => api.get<T>(path, signal), [api, path]));
}

/** Creates the state of the user. @param first the requests that were sent before the first render */
export function useNewAccount(first: FirstLook) {
  const [key, setKey] = useState(readKey);
  const api = useMemo(() => createApi(key), [key]);
  const [preferences, setPreferences] = useState(readPreferences);
  // Documents to which the user limits questions; empty: no limit.
  const [only, choose] = useState<readonly ChosenDocument[]>([]);
  const [caller, reloadCaller] = useLoaded(
    useCallback((signal) => first.caller.take() ?? api.get<WireCaller>("/v1/whoami", signal), [api, first]),
    first.caller.known,
  );
  const [domains, reloadDomains] = useLoaded(
    useCallback((signal) => first.domains.take() ?? api.get<WireDomains>("/v1/domains", signal), [api, first]),
    first.domains.known,
  );

  useEffect(() => {
    applyTheme(preferences.theme);
    writePreferences(preferences);
  }, [preferences]);

  const use = useCallback((next: string | null, keep: boolean) => {
    writeKey(next, keep);
    setKey(next);
  }, []);

  // The selected domain; `null` until it is known.
  const all = domains.type === "ready" ? domains.value.domains : [];
  const domain = all.find(({ name }) => name === preferences.domain) ?? all.find((one) => one.default) ?? all[0] ?? null;
  return {
    ...{ api, caller, domains, domain, preferences, only, choose, signedIn: key !== null },
    /** Owner of the stored conversations: the public part of the key. A user sees only the conversations of the current key. */
    owner: key === null ? "no key" : (/^sb_([0-9a-f]+)_/.exec(key)?.[1] ?? "administrator"),
    /** The selected tenant of the domain; `null`: no tenant. */
    tenant: domain?.tenants.find(({ name }) => name === preferences.tenant)?.name ?? null,
    /** Roles of the user. Until the server has stated them, only `ask`. */
    roles: caller.type === "ready" ? caller.value.roles : ["ask"],
    prefer: useCallback((change: Partial<Preferences>) => {
      setPreferences((before) => ({ ...before, ...change }));
      if (change.domain !== undefined || change.tenant !== undefined) choose([]);
    }, []),
    /** Checks a key at the server, then stores it. @throws the server's error, without storing the key */
    signIn: useCallback(
      async (given: string, keep: boolean) => {
        await createApi(given).get<WireCaller>("/v1/whoami");
        use(given, keep);
      },
      [use],
    ),
    signOut: useCallback(() => use(null, false), [use]),
    reload: useCallback(() => {
      reloadCaller();
      reloadDomains();
    }, [reloadCaller, reloadDomains]),
  };
}

export type Loaded<T> =
  | { readonly type: "loading" }
  | { readonly type: "ready"; readonly value: T }
  | ({ readonly type: "failed" } & Failure);

/**
 * Calls `load` and returns the state of the call, and a function that calls it again. The result of an older call is ignored.
 * @param known the result, if it is known already, so that the first call is skipped; `null`: not known
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, known: NoInfer<T> | null = null): readonly [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>(known === null ? { type: "loading" } : { type: "ready", value: known });
  const [attempt, setAttempt] = useState({ load, isKnown: known !== null });
  const due = attempt.load === load ? attempt : { load, isKnown: false };
  if (due !== attempt) setAttempt(due);
  useEffect(() => {
    if (due.isKnown) return;
    const abort = new AbortController();
    setState((before) => (before.type === "failed" ? { type: "loading" } : before));
    due.load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ type: "ready", value });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ type: "failed", ...failureOf(error) });
      },
    );
    return () => abort.abort();
  }, [due]);
  return [state, useCallback(() => setAttempt(({ load: same }) => ({ load: same, isKnown: false })), [])];
}
