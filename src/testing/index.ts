/**
 * Fakes that record their calls. The contract suites, which need vitest, are in `sourcebound/testing/contracts`.
 * @example
 * const model = fakeChatModel([["A card costs $5 [1]."]]);
 * const engine = await createEngine(loadProcessConfig(), { models: { small: model, large: model }, encoder: fakeEncoder() });
 */
export { eventsOf, type SamplePassage, sampleAnswer, sampleCitation, sampleNearMiss, sampleRefusal } from "./answers.ts";
export { type AskCall, type AskScript, createFakeAskEngine, type FakeAskEngine, waitFor } from "./fake-ask-engine.ts";
export { type ChatCall, type ChatStep, type FakeChatModel, type FakeChatOptions, fakeChatModel } from "./fake-chat-model.ts";
export { encoderDown, type FakeEncoder, type FakeEncoderOptions, fakeEncoder, hashedWords } from "./fake-encoder.ts";
export {
  brokenChatReplies,
  brokenEmbeddingsReplies,
  type ChatReply,
  deltaStream,
  type EmbeddingsReply,
  type EndpointRequest,
  type FakeEndpoint,
  type FakeEndpointOptions,
  startFakeEndpoint,
} from "./fake-endpoint.ts";
export { type FakeJudge, fakeJudge } from "./fake-judge.ts";
export { type FakeMatcher, fakeMatcher } from "./fake-matcher.ts";
export { type FakeReader, type FakeReaderOptions, fakeReader, fakeReadTexts } from "./fake-reader.ts";
export {
  type FakeHost,
  type FakeWeb,
  PUBLIC_ADDRESS,
  redirectTo,
  searxngReply,
  startFakeWeb,
  type WebHandler,
} from "./fake-web.ts";
export { samplePassage, sampleQuote } from "./quotes.ts";
