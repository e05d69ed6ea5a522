import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";

export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** Schema of a price in US dollars per million tokens, with its source and the date that the source states. */
const priceSchema = z.object({ input: z.number().min(0), output: z.number().min(0), date: z.iso.date(), source: z.string().min(1) });
type Price = z.infer<typeof priceSchema>;
const tableSchema = z.object({ unit: z.literal("USD per 1,000,000 tokens"), models: z.record(z.string(), priceSchema) });

export type PriceTable = Readonly<Record<string, Price>>;

const TOKENS_PER_PRICE = 1_000_000;

/** Loads the price table that ships with the program, `src/models/prices.json`. */
export function loadPrices(path: string = join(PACKAGE_ROOT, "src", "models", "prices.json")): PriceTable {
  return tableSchema.parse(JSON.parse(readFileSync(path, "utf8"))).models;
}

/**
 * Returns the price of a model, or `null` if it is unknown. A dated version (`name-2025-01-31`) without its own entry has
 * the price of `name`.
 */
export function priceOf(model: string, prices: PriceTable): Price | null {
  const family = model.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  return (Object.hasOwn(prices, model) ? prices[model] : Object.hasOwn(prices, family) ? prices[family] : null) ?? null;
}

/** Returns the cost in US dollars: Σ tokens · price / 10⁶. Returns `null`, never 0, if the price or a token count is unknown. */
export function costUsd(model: string, { inputTokens, outputTokens }: Usage, prices: PriceTable): number | null {
  const price = priceOf(model, prices);
  if (price === null || inputTokens === null || (outputTokens === null && price.output > 0)) return null;
  return (inputTokens * price.input + (outputTokens ?? 0) * price.output) / TOKENS_PER_PRICE;
}
