/** The API as it travels: snake_case. The schemas are the documentation; `…ToWire` alone convert. */

export {
  askResponseSchema,
  type WireAnswer,
  type WireCitation,
  type WireRefusal,
  type WireWarning,
} from "./answer.ts";
export { answerToWire, createAnswerWriter } from "./answer-to-wire.ts";
export { askRequestSchema, type WireAskRequest } from "./ask.ts";
export { errorResponseSchema, eventToWire, type WireError, type WireEvent } from "./events.ts";
export { refreshRequestSchema, refreshResponseSchema, refreshToWire } from "./service.ts";
