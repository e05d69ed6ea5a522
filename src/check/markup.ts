import { Parser } from "htmlparser2";
import { type Finding, finding } from "./finding.ts";

/** What a browser could take for a tag, a comment or a declaration; "< 5 %" and "a <b" are none, nor is a tag without an end. */
const MAYBE_TAG = /<\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>|<!--|<!doctype|<\?/i;
/** Elements whose text is no text for readers. */
const HIDDEN = new Set(["script", "style", "template", "iframe", "noscript", "svg", "math", "object", "title"]);
const EACH_TAG = new RegExp(MAYBE_TAG, "gi");

/**
 * Takes markup out of a sentence: its allowlist is empty. An answer is text; whatever draws it escapes every character, and a tag
 * that a model wrote would only be read as words. What a cited quote says so itself, such as `Rc<T>`, is no markup but its words.
 */
export function removeMarkup(text: string, quotes: readonly string[] = []): { text: string; found: Finding | null } {
  const tags = text.match(EACH_TAG) ?? [];
  if (tags.every((tag) => quotes.some((quote) => quote.includes(tag)))) return { text, found: null };
  return takeOut(text);
}

function takeOut(text: string): { text: string; found: Finding | null } {
  let kept = "";
  const tags = new Set<string>();
  let hidden = 0;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        tags.add(name);
        if (HIDDEN.has(name)) hidden++;
      },
      onclosetag: (name) => {
        if (HIDDEN.has(name)) hidden--;
      },
      oncomment: () => {
        tags.add("comment");
      },
      onprocessinginstruction: (name) => {
        tags.add(name);
      },
      ontext: (piece) => {
        if (hidden === 0) kept += piece;
      },
    },
    { decodeEntities: false },
  );
  parser.end(text);
  const cleaned = kept.replaceAll(/[ \t]{2,}/g, " ").trim();
  if (cleaned === text) return { text, found: null };
  const names = [...tags].slice(0, 5).join(", ");
  return { text: cleaned, found: finding("html", "repaired", 0, `markup was taken out${names === "" ? "" : `: ${names}`}`) };
}
