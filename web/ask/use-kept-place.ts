import { useEffect, useLayoutEffect, useRef } from "react";

/** Pixels below the top of the window at which one is taken to be reading. */
const READING_PX = 140;

interface Place {
  readonly element: Element;
  readonly top: number;
}

/** What one reads stays where it is when something opens or closes beside it and everything is laid out anew. */
export function useKeptPlace(isBeside: boolean): void {
  const place = useRef<Place | null>(null);
  useEffect(() => {
    const note = () => {
      place.current = placeOf(document.activeElement) ?? placeAt(READING_PX);
    };
    // Before anything else hears of it, while the old layout still stands.
    window.addEventListener("hashchange", note, { capture: true });
    return () => window.removeEventListener("hashchange", note, { capture: true });
  }, []);
  const before = useRef(isBeside);
  useLayoutEffect(() => {
    if (before.current === isBeside) return;
    before.current = isBeside;
    const { element, top } = place.current ?? {};
    if (element === undefined || top === undefined || !element.checkVisibility()) return;
    window.scrollBy({ top: element.getBoundingClientRect().top - top, behavior: "instant" });
  }, [isBeside]);
}

/** Where the pressed button or link of an answer stands, if one can see it. */
function placeOf(element: Element | null): Place | null {
  if (element === null || element.closest(".turn") === null) return null;
  const { top } = element.getBoundingClientRect();
  return top < 0 || top > window.innerHeight ? null : { element, top };
}

function placeAt(y: number): Place | null {
  const conversation = document.querySelector(".conversation")?.getBoundingClientRect();
  if (conversation === undefined) return null;
  const found = document.elementFromPoint(conversation.left + conversation.width / 3, y);
  const element = found?.closest(".turn :not(.turn-columns, .turn-main, .answer)") ?? found?.closest(".turn") ?? null;
  return element === null ? null : { element, top: element.getBoundingClientRect().top };
}
