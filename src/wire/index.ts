/** The API as it travels: snake_case. The schemas are the documentation; `…ToWire` alone convert. */

export {
  askResponseSchema,
  citationSchema,
  type WireAnswer,
  type WireCitation,
  type WireRefusal,
  type WireWarning,
  warningSchema,
} from "./answer.ts";
export { createAnswerWriter } from "./answer-json.ts";
export { answerToWire } from "./answer-to-wire.ts";
export { askRequestSchema, type WireAskRequest } from "./ask.ts";
export { errorResponseSchema, type WireError } from "./errors.ts";
export { eventToWire, type WireEvent } from "./events.ts";
export { type RefreshRequest, refreshRequestSchema, refreshResponseSchema, refreshToWire } from "./refresh.ts";
