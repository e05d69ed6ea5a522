import units from "./units.json" with { type: "json" };

/** Kind of a value. Only values of the same kind can be equal or contradict each other. */
export type ValueKind =
  | "number"
  | "ordinal"
  | "share"
  | "times"
  | "percent"
  | "money"
  | "duration"
  | "age"
  | "date"
  | "time"
  | "length"
  | "area"
  | "mass"
  | "volume"
  | "temperature"
  | "speed"
  | "data"
  | "energy"
  | "power"
  | "voltage"
  | "code"
  | "form"
  | "phone"
  | "version";

/**
 * A unit as a factor of the base unit of its kind. Days, months and minutes have no fixed ratio, so each has its own
 * base.
 */
export interface Unit {
  readonly kind: ValueKind;
  readonly base: string;
  readonly factor: number;
  /** Added after multiplying, in the base unit: 0 °F is -17.8 °C. */
  readonly offset?: number;
}

/** Kind, base unit, and the factor of each unit name. */
const TABLE = units as unknown as readonly (readonly [ValueKind, string, Readonly<Record<string, number>>])[];

const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...TABLE.flatMap(([kind, base, names]) => Object.entries(names).map(([name, factor]) => [name, { kind, base, factor }] as const)),
  ...["°f", "degrees fahrenheit", "degree fahrenheit", "degrees f"].map(
    (name) => [name, { kind: "temperature", base: "°C", factor: 5 / 9, offset: -160 / 9 } as const] as const,
  ),
]);

const escaped = (name: string) => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const longestFirst = (names: readonly string[]) =>
  names
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join("|");
const names = [...UNITS.keys()];
/** Regular expression source for a lower-case unit after a number. */
export const UNIT = String.raw`(?:(?:(?:square|cubic|sq\.?|cu\.?)\s)?(?:(?:${longestFirst(names.filter((name) => name.length > 2))})s?|${longestFirst(names.filter((name) => name.length <= 2))})(?![\p{L}\d$])(?:[²³]|\^[23])?|(?:[kcm]?m|ft|mi)[23](?![\p{L}\d]))`;
/** Regular expression source for a currency before a number: signs in either case, codes in capitals only. */
export const CURRENCY_BEFORE = String.raw`(?:(?:(?<![A-Za-z])(?:US|CA|AU|NZ|HK|[CAS])\s?)?\$|[€£¥₹]|\b(?:${[...UNITS.values()].flatMap(({ kind, base }) => (kind === "money" && base.length === 3 ? [base] : [])).join("|")}))`;

/** Matches one-letter units, which count in lower case only ("5 M" and "5G" have no unit). The litre is the exception. */
const LETTER = /^[mghl]$/;

/** Returns the unit of a match of `UNIT` or `CURRENCY_BEFORE`, or `null` if its spelling rules a unit out. */
export function unitOf(written: string): Unit | null {
  const text = written.trim();
  const name = text.toLowerCase().replaceAll(/\s+/g, " ");
  const [, power, plain = name] = /^(square|cubic|sq\.?|cu\.?)\s(.+)$/.exec(name) ?? [];
  const [, root = plain, raised = ""] = /^(.*?)(?:\^?([23²³]))?$/.exec(plain) ?? [];
  const unit = UNITS.get(root) ?? UNITS.get(root.replace(/s$/, "")) ?? UNITS.get(root.replaceAll(/\s/g, ""));
  if (unit === undefined || (LETTER.test(root) && !text.startsWith(root) && root !== "l")) return null;
  if (/^[A-Za-z]{3}$/.test(text) && unit.kind === "money" && unit.base === text.toUpperCase() && text !== unit.base) return null;
  const exponent = power?.startsWith("s") || raised === "2" || raised === "²" ? 2 : power === undefined && raised === "" ? 1 : 3;
  if (exponent === 1) return unit;
  if (unit.kind !== "length") return power === undefined ? unit : null;
  return exponent === 2
    ? { kind: "area", base: "m²", factor: unit.factor ** 2 }
    : { kind: "volume", base: "l", factor: unit.factor ** 3 * 1000 };
}
