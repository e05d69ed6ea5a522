import type { ReactNode } from "react";

/** Drawn on a grid of 16 units, as outlines in the colour of the text. */
const PATHS = {
  up: "M5 7.2 8 1.8c1 0 1.7.8 1.6 1.8L9.3 6h3.4c.9 0 1.5.8 1.3 1.7l-1 4.6c-.1.7-.7 1.2-1.4 1.2H5zM2 7.2h3v6.3H2z",
  down: "M5 8.8 8 14.2c1 0 1.7-.8 1.6-1.8L9.3 10h3.4c.9 0 1.5-.8 1.3-1.7l-1-4.6c-.1-.7-.7-1.2-1.4-1.2H5zM2 8.8h3V2.5H2z",
  why: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.5M8 4.8v.9",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  review: "M3 13l.6-2.7L11 3l2 2-7.3 7.4zM9.5 4.5l2 2",
} as const;

/** An icon with its name. */
export function Named({ icon, children }: { readonly icon: keyof typeof PATHS; readonly children: ReactNode }) {
  return (
    <>
      <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        <path d={PATHS[icon]} fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" strokeLinecap="round" />
      </svg>
      {children}
    </>
  );
}
