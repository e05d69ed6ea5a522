/** The wire format of the API, in snake_case. The schemas are its documentation; only `…ToWire` functions convert to it. */

export * from "./answer.ts";
export * from "./answer-to-wire.ts";
export * from "./ask.ts";
export * from "./batch.ts";
export * from "./exploring.ts";
export * from "./memory.ts";
export * from "./reports.ts";
export * from "./service.ts";
export { toWire } from "./to-wire.ts";
