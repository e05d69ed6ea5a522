import { literally } from "../text/literally.ts";

/**
 * Does the text hold the value as whole tokens, in any case? White space, quote marks, dashes and hyphens of any kind are equal, and so are "$5" and "$5.00"; the
 * digits of a longer number are no token of their own.
 */
export function holdsToken(text: string, value: string): boolean {
  const wanted = plain(value);
  const escaped = literally(wanted);
  const before = /^\d/.test(wanted) ? String.raw`(?<![\p{L}\p{N}])(?<!\d[.,])` : String.raw`(?<![\p{L}\p{N}])`;
  const after = /\d$/.test(wanted) ? String.raw`(?![\p{L}\p{N}])(?![.,]\d)` : String.raw`(?![\p{L}\p{N}])`;
  return new RegExp(before + escaped + after, "u").test(plain(text));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‐‑‒–—]/g, "-")
    .replaceAll(/(\$\d[\d,]*)\.00(?!\d)/g, "$1")
    .replaceAll(/\s+/g, " ");
}
