import { type RefObject, useEffect } from "react";

/** Calls back at Escape inside an element, once for the innermost that listens. */
export function useEscape(of: RefObject<HTMLElement | null>, onEscape: () => void): void {
  useEffect(() => {
    const element = of.current;
    if (element === null) return;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      onEscape();
    };
    element.addEventListener("keydown", listen);
    return () => element.removeEventListener("keydown", listen);
  }, [of, onEscape]);
}
