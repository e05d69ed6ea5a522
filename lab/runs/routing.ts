import { costUsd, loadPrices } from "../../src/models/prices.ts";
import type { Config } from "../../src/shared/config.ts";
import type { Answer } from "../../src/shared/types.ts";
import { sumOrNull } from "../../src/text/numbers.ts";

/** Which model wrote an answer, and what the large model alone would have cost. */
export interface Routing {
  /** US dollars at list prices if the large model had written everything; `null`: nothing was written, or a price is not known. */
  readonly largeCostUsd: number | null;
  /** Writing calls, and those of them that the small model answered. */
  readonly routed: { readonly small: number; readonly calls: number };
}

/** Returns which model wrote the answer, and the cost if the large model had written everything. */
export function routingOf({ calls }: Pick<Answer, "calls">, model: Config["model"]): Routing {
  const writing = calls.filter(({ stage }) => stage === "write");
  const prices = loadPrices();
  const large = model?.large ?? model?.small;
  const costs = calls.map((call) => costUsd(writing.includes(call) ? (large ?? call.model) : call.model, call, prices));
  const small = writing.filter((call) => call.model !== large).length;
  return { largeCostUsd: writing.length === 0 ? null : sumOrNull(costs), routed: { small, calls: writing.length } };
}
