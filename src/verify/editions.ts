/** A title as one of an edition: what it is without years, and which it names. */
export interface Edition {
  /** Lower case, words alone. */
  readonly name: string;
  /** As written, in order; none where the title is undated. */
  readonly years: readonly string[];
}

/** "2024", "2024-25", "2024/2025". */
const YEARS = /(?<![\p{L}\p{N}.,$€£])(?:19|20)\d\d(?:[-–/](?:(?:19|20)\d\d|\d\d))?(?![\p{L}\p{N}]|[.,]\d)/gu;

/** What a title is an edition of, dated or not; `null`: it names nothing beside years. */
export function readEdition(title: string): Edition | null {
  const name = withoutYears(title)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return name === "" ? null : { name, years: title.match(YEARS) ?? [] };
}

/** What a title that names a year is an edition of; `null`: it names no year, or nothing beside years. */
export function editionOf(title: string): Edition | null {
  const edition = readEdition(title);
  return edition === null || edition.years.length === 0 ? null : edition;
}

/** "Fees 2024" and "Fees 2025", or "Fees" of no year, and neither of them "Fees 2024" again. */
export function areEditions(one: Edition, other: Edition): boolean {
  return one.name === other.name && one.years.join(" ") !== other.years.join(" ");
}

/** A title or heading with blanks where its years stood. */
export function withoutYears(text: string): string {
  return text.replaceAll(YEARS, " ").replaceAll(/\s+/g, " ").trim();
}

/** Which of two titles is the later edition of the same; `null`: they are no editions of the same. */
export function laterEdition(a: string, b: string): "a" | "b" | null {
  const [one, other] = [editionOf(a), editionOf(b)];
  if (one === null || other === null || !areEditions(one, other)) return null;
  return one.years.join(" ") > other.years.join(" ") ? "a" : "b";
}
