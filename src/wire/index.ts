/** The wire format of the API, in snake_case. The schemas document it. Only functions named `…ToWire` convert to it. */

export * from "./answer.ts";
export * from "./answer-to-wire.ts";
export * from "./ask.ts";
export * from "./batch.ts";
export * from "./exploring.ts";
export * from "./memory.ts";
export * from "./reports.ts";
export * from "./service.ts";
export { toWire } from "./to-wire.ts";
