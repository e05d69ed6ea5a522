import { type HTMLAttributes, type RefObject, useEffect, useRef } from "react";

export interface ScrollRegionProps extends Omit<HTMLAttributes<HTMLElement>, "tabIndex"> {
  readonly "aria-label": string;
  /** The element, for who scrolls it. */
  readonly region?: RefObject<HTMLElement | null>;
}

/** A part that may scroll by itself: it takes the keyboard's focus while there is something to scroll, and only then. */
export function ScrollRegion({ region, ...props }: ScrollRegionProps) {
  const own = useRef<HTMLElement>(null);
  const ref = region ?? own;
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const look = () => {
      const scrolls = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
      if (scrolls) element.tabIndex = 0;
      else element.tabIndex = -1;
    };
    // It calls once at the beginning too, when everything is laid out: asking here would have the whole page laid out for each region.
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [ref]);
  return <section {...props} ref={ref} />;
}
