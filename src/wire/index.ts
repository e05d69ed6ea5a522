/** The API as it travels: snake_case. The schemas are the documentation; `…ToWire` alone convert. */

export * from "./answer.ts";
export * from "./answer-to-wire.ts";
export * from "./ask.ts";
export * from "./chat.ts";
export * from "./events.ts";
export * from "./exploring.ts";
export * from "./memory.ts";
export * from "./reports.ts";
export * from "./service.ts";
export { toWire } from "./to-wire.ts";
