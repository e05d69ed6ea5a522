import { z } from "zod";

const digits = z.string().regex(/^\s*\d+(?:\.\d+)?\s*$/);
/** Schema of a number of at least 0 in a model's reply. Accepts a JSON number, or text such as `"0.8"`. */
export const writtenNumber = z.union([z.number(), digits.transform(Number)]).pipe(z.number().min(0));

/** Maximum number of opening brackets at which `readJson` tries to parse. */
const TRIES = 20;

/**
 * Returns the JSON object or list in a model's reply, ignoring surrounding text, code fences and reasoning. Returns
 * `undefined` if there is none, or if there are several, because it is then unclear which one is meant.
 * @example readJson('Sure: {"score": 1}') // { score: 1 }
 */
export function readJson(reply: string): unknown {
  const text = reply.split("</think>").at(-1) ?? "";
  let found: unknown;
  let tries = 0;
  for (let at = nextOpening(text, 0); at >= 0 && tries < TRIES; tries++) {
    const end = endOfValue(text, at);
    const value = end < 0 ? undefined : parseJson(text.slice(at, end));
    if (value !== undefined && found !== undefined) return undefined;
    found ??= value;
    at = nextOpening(text, value === undefined ? at + 1 : end);
  }
  return found;
}

function nextOpening(text: string, from: number): number {
  const at = text.slice(from).search(/[[{]/);
  return at < 0 ? -1 : from + at;
}

/** Returns the offset after the bracket that closes the bracket at `start`; -1 if none closes it. */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const letter = text[i];
    if (quoted) {
      if (letter === "\\") i++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) return i + 1;
  }
  return -1;
}

/** Parses JSON. Returns `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
