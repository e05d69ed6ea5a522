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
  /** Added after the factor, in the base unit: 0 °F is -17.8 °C. */
  readonly offset?: number;
}

/** Kind, base unit, and the factor of each unit name. */
const TABLE: readonly (readonly [ValueKind, string, Readonly<Record<string, number>>])[] = [
  ["duration", "minute", { second: 1 / 60, sec: 1 / 60, minute: 1, min: 1, hour: 60, hr: 60, hrs: 60, h: 60 }],
  ["duration", "day", { day: 1, week: 7, fortnight: 14 }],
  ["duration", "month", { month: 1, quarter: 3, year: 12, yr: 12, yrs: 12, decade: 120 }],
  [
    "length",
    "m",
    {
      ...{ m: 1, metre: 1, meter: 1, km: 1000, kilometre: 1000, kilometer: 1000, cm: 0.01, centimetre: 0.01, centimeter: 0.01, mm: 0.001 },
      ...{ millimetre: 0.001, millimeter: 0.001, mile: 1609.344, mi: 1609.344, yard: 0.9144, foot: 0.3048, feet: 0.3048, ft: 0.3048 },
      ...{ inch: 0.0254, inche: 0.0254 },
    },
  ],
  [
    "mass",
    "g",
    {
      ...{
        g: 1,
        gram: 1,
        gramme: 1,
        kg: 1000,
        kilogram: 1000,
        kilo: 1000,
        mg: 0.001,
        milligram: 0.001,
        mcg: 1e-6,
        microgram: 1e-6,
        µg: 1e-6,
      },
      ...{ tonne: 1e6, pound: 453.59237, lb: 453.59237, lbs: 453.59237, ounce: 28.349523, oz: 28.349523 },
    },
  ],
  [
    "volume",
    "l",
    { l: 1, liter: 1, litre: 1, ml: 0.001, milliliter: 0.001, millilitre: 0.001, cl: 0.01, gallon: 3.785411784, pint: 0.473176473 },
  ],
  ["area", "m²", { hectare: 10_000, ha: 10_000, acre: 4046.8564224 }],
  ["temperature", "°C", { "°c": 1, "degrees celsius": 1, "degree celsius": 1, "degrees c": 1 }],
  [
    "speed",
    "km/h",
    { "km/h": 1, kmh: 1, kph: 1, "kilometres per hour": 1, "kilometers per hour": 1, mph: 1.609344, "miles per hour": 1.609344 },
  ],
  ["data", "byte", { byte: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kilobyte: 1e3, megabyte: 1e6, gigabyte: 1e9, terabyte: 1e12 }],
  ["energy", "kWh", { kwh: 1, "kilowatt hour": 1, "kilowatt-hour": 1 }],
  ["power", "W", { watt: 1, kw: 1000, kilowatt: 1000 }],
  ["voltage", "V", { volt: 1 }],
  ["percent", "", { "%": 1, percent: 1, "per cent": 1, "percentage point": 1 }],
  ["money", "$", { $: 1, dollar: 1, cent: 0.01 }],
  ["money", "USD", { usd: 1, us$: 1, "u.s. dollar": 1, "us dollar": 1 }],
  ["money", "CAD", { cad: 1, c$: 1, ca$: 1, "canadian dollar": 1 }],
  ["money", "AUD", { aud: 1, a$: 1, au$: 1, "australian dollar": 1 }],
  ["money", "NZD", { nzd: 1, nz$: 1 }],
  ["money", "HKD", { hkd: 1, hk$: 1 }],
  ["money", "SGD", { sgd: 1, s$: 1 }],
  ["money", "EUR", { eur: 1, "€": 1, euro: 1 }],
  ["money", "GBP", { gbp: 1, "£": 1, "pounds sterling": 1, "pound sterling": 1 }],
  ["money", "JPY", { jpy: 1, "¥": 1, yen: 1 }],
  ["money", "INR", { inr: 1, "₹": 1, rupee: 1 }],
  ...["CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "CNY", "MXN", "BRL", "ZAR"].map(
    (code) => ["money", code, { [code.toLowerCase()]: 1 }] as const,
  ),
];

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

/** One-letter units count in lower case only ("5 M" and "5G" have no unit). The litre is the exception. */
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
