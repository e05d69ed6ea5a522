import { type RefObject, useCallback, useEffect, useState } from "react";
import type { WireAnswer, WireCitationStates } from "../../src/client/index.ts";
import { useAccount, useLoaded } from "../app/use-account.ts";

export type CitationState = WireCitationStates["citations"][number];

/** Current state of each quote, by citation number. A missing entry means that the state is unknown. */
export type CitationStates = ReadonlyMap<number, CitationState>;

const NONE: CitationStates = new Map();
/** Milliseconds that an answer must stay on screen before the states of its quotes are requested. Quick scrolling requests nothing. */
const REST_MS = 300;

type Place = RefObject<HTMLElement | null>;

/**
 * Loads the current state of each quote of an answer once the answer at `place` was seen. The map is empty for a new answer,
 * while loading, and after an error.
 * @param round a new number loads the states again; `null`: the answer is new and needs no check
 */
export function useCitationStates(answer: WireAnswer | null, round: number | null, place: Place): CitationStates {
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
function useSeen(place: Place, round: number | null): boolean {
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
