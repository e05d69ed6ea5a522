import { useCallback } from "react";
import type { WireAnswer, WireCitationStates } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { useLoaded } from "../app/use-loaded.ts";

export type CitationState = WireCitationStates["citations"][number];

const NONE: ReadonlyMap<number, CitationState> = new Map();

/** What became of an answer's quotes since, by number; empty for one that has just been given, and where the server cannot tell. */
export function useCitationStates(api: Pick<Api, "get">, answer: WireAnswer | null, isOld: boolean): ReadonlyMap<number, CitationState> {
  const id = isOld && answer !== null && answer.citations.length > 0 ? answer.id : null;
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (id === null) return NONE;
      const { citations } = await api.get<WireCitationStates>(`/v1/answers/${encodeURIComponent(id)}/citations`, signal);
      return new Map(citations.map((citation) => [citation.n, citation]));
    },
    [api, id],
  );
  const [state] = useLoaded(load);
  return state.type === "ready" ? state.value : NONE;
}
