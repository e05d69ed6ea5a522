import type { Recorded } from "./browser.ts";

declare global {
  /** Data that the benchmark's injected scripts keep in the measured page. */
  interface Window {
    recorded: Recorded;
    /** Milliseconds between frames, once counting has started. */
    frameTimes: number[];
    /** Milliseconds from navigation until the expected element appeared. */
    shownAt: number;
  }

  /** Performance entries of Chromium that lib.dom does not declare yet. */
  class LayoutShift extends PerformanceEntry {
    readonly value: number;
    readonly hadRecentInput: boolean;
    readonly sources: readonly { readonly node: Node | null }[];
  }

  class PerformanceLongAnimationFrameTiming extends PerformanceEntry {
    /** 0 if the frame had no style and layout phase. */
    readonly styleAndLayoutStart: number;
  }
}
