import { type RefObject, useCallback, useEffect, useState } from "react";
import type { WireAnswer, WireCitationStates } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { useLoaded } from "../app/use-loaded.ts";

export type CitationState = WireCitationStates["citations"][number];

const NONE: ReadonlyMap<number, CitationState> = new Map();
/** Milliseconds that an answer is in sight before it is asked about: what is scrolled past is not. */
const REST_MS = 300;

/** What became of an answer's quotes since, by number; empty for one that has just been given, and where the server cannot tell. */
export function useCitationStates(
  api: Pick<Api, "get">,
  answer: WireAnswer | null,
  { isOld, place }: { readonly isOld: boolean; readonly place: RefObject<HTMLElement | null> },
): ReadonlyMap<number, CitationState> {
  const id = isOld && answer !== null && answer.citations.length > 0 ? answer.id : null;
  const isSeen = useSeen(place, id !== null);
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

/** Whether an element has been in sight for a while; once it was, it stays so. */
function useSeen(place: RefObject<HTMLElement | null>, isWanted: boolean): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!isWanted || isSeen || element === null) return;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(rest);
      if (entries.at(-1)?.isIntersecting) rest = setTimeout(() => setSeen(true), REST_MS);
    });
    observer.observe(element);
    return () => {
      clearTimeout(rest);
      observer.disconnect();
    };
  }, [place, isWanted, isSeen]);
  return isSeen;
}
