/** Scrolls a place of the pane into sight; the conversation beside it stays where one reads it. */
export function showInPane(target: Element | null | undefined, block: "center" | "start"): void {
  if (!target) return;
  const { scrollX: left, scrollY: top } = window;
  target.scrollIntoView({ block });
  const pane = target.closest(".pane");
  // On a narrow screen the pane is the page, and scrolls with it.
  const scrollsAlone = pane !== null && getComputedStyle(pane).overflowY !== "visible";
  if (scrollsAlone) window.scrollTo({ left, top, behavior: "instant" });
}
