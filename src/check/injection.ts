import { documentOrders } from "../guard/injection.ts";
import { plainView } from "../text/plain-view.ts";
import { type Finding, finding } from "./finding.ts";

/**
 * Does a sentence pass on orders that a document gave? They are none of an answer's business, in a quote as little as in a model's words;
 * addresses and claims that a document smuggles in are the matter of the checks of addresses and citations.
 */
export function checkInjection(text: string, mode: "remove" | "warn"): Finding {
  const orders = documentOrders(plainView(text).plain);
  if (orders.length === 0) return finding("injection", "pass", 1, "gives no orders");
  return finding("injection", mode === "remove" ? "fail" : "warn", 0, `passes on what reads like an order: ${orders.join(", ")}`);
}
