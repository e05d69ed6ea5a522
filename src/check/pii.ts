import { findPersonalData, type PersonalData, type PersonalKind } from "../guard/pii.ts";
import { plainView } from "../text/plain-view.ts";
import { type Finding, finding } from "./finding.ts";

/** By these one reaches an office as well as a person. Every other kind identifies somebody, whoever publishes it. */
const CONTACT_KINDS: ReadonlySet<PersonalKind> = new Set(["email", "phone", "address"]);

/**
 * Personal data in a sentence. A contact that stands verbatim in a cited quote, or among the domain's contacts and hotlines, is none:
 * it was published to be used. A number that identifies somebody (social security, file, card, account) is personal data even there.
 * @param quotes texts of the quotes that the sentence cites
 * @param contacts texts of the domain's contacts and hotlines
 */
export function checkPii(text: string, quotes: readonly string[], contacts: readonly string[], mode: "remove" | "warn"): Finding {
  const found = findPersonalData(text);
  const published = found.length === 0 ? [] : [...quotes, ...contacts].map(bare);
  const personal = found.filter((one) => !(CONTACT_KINDS.has(one.kind) && isPublished(one, published)));
  if (personal.length === 0) return finding("pii", "pass", 1, "holds no personal data");
  const kinds = [...new Set(personal.map(({ kind }) => kind))].join(", ");
  const spans = personal.map(({ start, end }) => ({ start, end }));
  return finding("pii", mode === "remove" ? "fail" : "warn", 0, `holds what looks like personal data: ${kinds}`, spans);
}

/** The contact stands as a whole in one of the texts: a longer number or address that only begins with it is another. */
function isPublished({ text }: PersonalData, published: readonly string[]): boolean {
  const sought = bare(text);
  return published.some((source) => {
    for (let at = source.indexOf(sought); at >= 0; at = source.indexOf(sought, at + 1)) {
      if (!/[\p{L}\p{N}]/u.test(source.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(source.charAt(at + sought.length))) return true;
    }
    return false;
  });
}

/** Letter case, and how blanks and dashes are typed, make no other contact. */
function bare(text: string): string {
  return plainView(text).plain.toLowerCase().replaceAll(/\s+/g, " ");
}
