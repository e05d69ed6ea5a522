import { tongueOf } from "../guard/tongue.ts";
import { type Finding, finding } from "./finding.ts";

/**
 * A sentence in another language than the quotes that it cites cannot be held against them: no other check reads it. `null`: nothing to say, because the
 * languages are the same or one of them is not told.
 * @param cited texts of the quotes that it cites
 * @param offered texts of all quotes that it could cite; they decide where the cited ones show no language
 */
export function checkLanguage(text: string, cited: readonly string[], offered: readonly string[]): Finding | null {
  const spoken = tongueOf(text);
  const quoted = spoken === null ? null : (tongueOf(cited.join("\n")) ?? tongueOf(offered.join("\n")));
  if (quoted === null || quoted === spoken) return null;
  return finding("language", "fail", null, `is ${spoken}, its sources are ${quoted}: its wording cannot be checked`);
}
