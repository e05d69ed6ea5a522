import { type RefObject, useCallback, useEffect, useState } from "react";
import type { WireAnswer, WireCitationStates } from "../../src/client/index.ts";
import { useAccount } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";

export type CitationState = WireCitationStates["citations"][number];

const NONE: ReadonlyMap<number, CitationState> = new Map();
/** Milliseconds that an answer must stay on screen before the states of its quotes are requested. Quick scrolling requests nothing. */
const REST_MS = 300;

export interface AskedAbout {
  /** A number; a new number loads the states again. `null`: the answer is new and needs no check. */
  readonly round: number | null;
  readonly place: RefObject<HTMLElement | null>;
}

/**
 * Loads the current state of each quote of an answer, by citation number. The map is empty for a new answer, while loading,
 * and after an error.
 */
export function useCitationStates(answer: WireAnswer | null, { round, place }: AskedAbout): ReadonlyMap<number, CitationState> {
  const { api } = useAccount();
  const id = round !== null && answer !== null && answer.citations.length > 0 ? answer.id : null;
  const isSeen = useSeen(place, id === null ? null : round);
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (id === null || !isSeen) return NONE;
      const { citations } = await api.get<WireCitationStates>(`/v1/answers/${encodeURIComponent(id)}/citations`, signal);
      return new Map(citations.map((citation) => [citation.n, citation]));
    },
    [api, id, isSeen],
  );
  const [state] = useLoaded(load, isSeen ? null : NONE);
  return state.type === "ready" ? state.value : NONE;
}

/** Returns whether the element stayed on screen for `REST_MS` since `round` changed. @param round `null`: do not observe */
function useSeen(place: RefObject<HTMLElement | null>, round: number | null): boolean {
  const [seen, setSeen] = useState<number | null>(null);
  const isSeen = round !== null && seen === round;
  useEffect(() => {
    const element = place.current;
    if (round === null || isSeen || element === null) return;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(rest);
      if (entries.at(-1)?.isIntersecting) rest = setTimeout(() => setSeen(round), REST_MS);
    });
    observer.observe(element);
    return () => {
      clearTimeout(rest);
      observer.disconnect();
    };
  }, [place, round, isSeen]);
  return isSeen;
}
