import { tongueOf } from "../language/tongue.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";

/**
 * A sentence in another language than the quotes that it cites cannot be held against them: no other check reads it. `null`: nothing to say, because the
 * languages are the same or one of them is not told.
 */
export function checkLanguage(text: string, cited: readonly CitedQuote[]): Finding | null {
  const spoken = tongueOf(text);
  if (spoken === null) return null;
  const quoted = tongueOf(cited.map((quote) => quote.text).join("\n"));
  if (quoted === spoken || (quoted === null && (cited.length === 0 || spoken === "English"))) return null;
  const other = quoted === null ? "that of its sources" : quoted;
  return finding("language", "fail", null, `is ${spoken}, not ${other}: its wording cannot be checked`);
}
