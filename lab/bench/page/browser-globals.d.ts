import type { Recorded } from "./browser.ts";

declare global {
  /** What the measured page keeps for the bench: put there by its own scripts, before anything of the page runs. */
  interface Window {
    recorded: Recorded;
    /** Milliseconds between frames, once they are counted. */
    frameTimes: number[];
    /** Milliseconds from the navigation until the examples stood there. */
    shownAt: number;
  }

  /** Entries of Chromium's performance timeline that lib.dom does not name yet. */
  class LayoutShift extends PerformanceEntry {
    readonly value: number;
    readonly hadRecentInput: boolean;
    readonly sources: readonly { readonly node: Node | null }[];
  }

  class PerformanceLongAnimationFrameTiming extends PerformanceEntry {
    /** 0 where the frame came to no styles and no layout. */
    readonly styleAndLayoutStart: number;
  }
}
