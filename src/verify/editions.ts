/** A title that names years: what it is without them, and which they are. */
export interface Edition {
  /** Lower case, words alone. */
  readonly name: string;
  /** As written, in order. */
  readonly years: readonly string[];
}

/** "2024", "2024-25", "2024/2025". */
const YEARS = /(?<![\p{L}\p{N}.,$€£])(?:19|20)\d\d(?:[-–/](?:(?:19|20)\d\d|\d\d))?(?![\p{L}\p{N}]|[.,]\d)/gu;

/** What a title is an edition of; `null`: it names no year, or nothing beside years. */
export function editionOf(title: string): Edition | null {
  const years = title.match(YEARS);
  const name = withoutYears(title)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return years === null || name === "" ? null : { name, years };
}

/** "Fees 2024" and "Fees 2025", and neither of them "Fees 2024" again. */
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
