const TAGS = { open: "<think>", close: "</think>" } as const;

/** Leaves out what a model thinks aloud, wherever its pieces are cut; what stands before and behind a thought is parted by a line's end. */
export function createThoughtFilter() {
  let held = "";
  let isThought = false;
  let isApart = false;
  let hasText = false;

  function shown(text: string): string {
    if (isThought || text === "") return "";
    const parted = isApart && hasText ? `\n${text}` : text;
    isApart = false;
    hasText = true;
    return parted;
  }

  return {
    next(piece: string): string {
      held += piece;
      let text = "";
      for (;;) {
        const tag = isThought ? TAGS.close : TAGS.open;
        const at = tagStart(held, tag);
        text += shown(held.slice(0, at));
        held = held.slice(at);
        if (held.length < tag.length) return text;
        held = held.slice(tag.length);
        isThought = !isThought;
        isApart = true;
      }
    },
    /** What was held back as the beginning of a tag that did not come. */
    end: () => shown(held),
  };
}

/** Where the tag begins in a text, or what may become it at the text's end; the text's length: nowhere. */
function tagStart(text: string, tag: string): number {
  const whole = text.indexOf(tag);
  if (whole >= 0) return whole;
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return text.length - length;
  return text.length;
}
