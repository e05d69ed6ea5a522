const VISIBLE = /[^\s\p{Cc}\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/** Where the last character ends that the normaliser keeps, white space aside. */
export function visibleEnd(text: string): number {
  let end = text.length;
  while (end > 0) {
    const width = end > 1 && /[\uDC00-\uDFFF]/.test(text[end - 1] as string) ? 2 : 1;
    if (isVisible(text, end - width, end)) break;
    end -= width;
  }
  return end;
}

/** Whether a range holds anything that the normaliser keeps besides white space. */
export function isVisible(text: string, start: number, end: number): boolean {
  return VISIBLE.test(start === 0 && end === text.length ? text : text.slice(start, end));
}
