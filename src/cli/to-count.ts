import { InvalidArgumentError } from "commander";

/** A whole number from 1, as an option. */
export function toCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("give a whole number from 1 to 999999.");
  return Number(text);
}

/** A date or a time, as an option. */
export function toTime(text: string): string {
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isTime) throw new InvalidArgumentError('give a date such as 2026-11-01, or a time such as "2026-11-01T12:00:00Z".');
  return new Date(text).toISOString();
}
