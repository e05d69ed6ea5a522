import { useEffect, useState } from "react";
import type { Client, WireHealth } from "../../../src/client/index.ts";

export type HealthState =
  | { readonly type: "unknown" }
  | { readonly type: "known"; readonly health: WireHealth }
  | { readonly type: "failed"; readonly message: string };

/** What the server has loaded; asked again whenever `trigger` changes. What was known stays shown until the reply. */
export function useHealth(client: Client, trigger: unknown): HealthState {
  const [state, setState] = useState<HealthState>({ type: "unknown" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the trigger is the reason to ask again
  useEffect(() => {
    const abort = new AbortController();
    client.health({ signal: abort.signal }).then(
      (health) => setState({ type: "known", health }),
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ type: "failed", message: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => abort.abort();
  }, [client, trigger]);
  return state;
}
