import { type HTMLAttributes, type RefObject, useEffect, useRef } from "react";

export interface ScrollRegionProps extends Omit<HTMLAttributes<HTMLElement>, "tabIndex"> {
  readonly "aria-label": string;
  /** Ref to the element, for callers that scroll it. */
  readonly region?: RefObject<HTMLElement | null>;
}

/** A scrollable region. The Tab key reaches it only if its contents are larger than the region. */
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
    // The observer calls `look` after the first layout too. A direct call would force an additional layout of the whole page.
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [ref]);
  return <section {...props} ref={ref} />;
}
