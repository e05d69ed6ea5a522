import { describe, expect, it } from "vitest";
import type { ChatEvent, ChatModel } from "../models/chat.ts";
import { ModelError } from "../shared/errors.ts";

/** What the tested model does when it is called. */
export type ChatBehaviour =
  | {
      readonly type: "answer";
      readonly pieces: readonly string[];
      readonly usage: { readonly input: number; readonly output: number } | null;
    }
  | { readonly type: "cut"; readonly pieces: readonly string[] }
  | { readonly type: "broken" }
  /** Sends one text, then nothing, and does not end the stream. */
  | { readonly type: "stalled"; readonly piece: string };

export interface ChatUnderTest {
  readonly model: ChatModel;
  close(): Promise<void>;
}

const prompt = { system: "Answer from the quotes.", user: "Question: ?" };

/** Defines the tests that every `ChatModel` must pass. */
export function describeChatContract(name: string, open: (behaviour: ChatBehaviour) => Promise<ChatUnderTest>): void {
  const withModel = (behaviour: ChatBehaviour, use: (model: ChatModel) => Promise<void>) => async () => {
    const under = await open(behaviour);
    try {
      await use(under.model);
    } finally {
      await under.close();
    }
  };
  const start = (model: ChatModel, signal = new AbortController().signal) => model.stream(prompt, { temperature: 0.3, signal });

  describe(`${name}: chat model`, () => {
    it(
      "streams the text in order, then one end with the token counts",
      withModel({ type: "answer", pieces: ["Tinnitus ", "is rated\n", "10 % § "], usage: { input: 90, output: 7 } }, async (model) => {
        const { text, rest } = await readAll(start(model));
        expect(text).toBe("Tinnitus is rated\n10 % § ");
        expect(rest).toEqual([{ type: "end", inputTokens: 90, outputTokens: 7 }]);
      }),
    );

    it(
      "returns null for unknown counts",
      withModel({ type: "answer", pieces: ["Yes."], usage: null }, async (model) => {
        const { rest } = await readAll(start(model));
        expect(rest).toEqual([{ type: "end", inputTokens: null, outputTokens: null }]);
      }),
    );

    it(
      "throws a ModelError without any event when it cannot be reached",
      withModel({ type: "broken" }, async (model) => {
        const events: ChatEvent[] = [];
        await expect(collect(start(model), events)).rejects.toBeInstanceOf(ModelError);
        expect(events).toEqual([]);
      }),
    );

    it(
      "yields the text before a cut, then throws a ModelError",
      withModel({ type: "cut", pieces: ["One. ", "Two"] }, async (model) => {
        const events: ChatEvent[] = [];
        await expect(collect(start(model), events)).rejects.toMatchObject({ name: "ModelError", code: "model_cut" });
        expect(events.map((event) => (event.type === "text" ? event.text : event.type)).join("")).toBe("One. Two");
      }),
    );

    it(
      "throws the signal's reason when it is cancelled before the start",
      withModel({ type: "answer", pieces: ["Yes."], usage: null }, async (model) => {
        const reason = new Error("reader left");
        await expect(collect(start(model, AbortSignal.abort(reason)), [])).rejects.toBe(reason);
      }),
    );

    it(
      "throws the signal's reason when it is cancelled while streaming",
      withModel({ type: "stalled", piece: "One." }, async (model) => {
        const reason = new Error("reader left");
        const controller = new AbortController();
        const stream = start(model, controller.signal);
        expect(await stream.next()).toEqual({ done: false, value: { type: "text", text: "One." } });
        const next = stream.next();
        controller.abort(reason);
        await expect(next).rejects.toBe(reason);
      }),
    );

    it(
      "may be closed early",
      withModel({ type: "answer", pieces: ["One. ", "Two."], usage: null }, async (model) => {
        for await (const event of start(model)) {
          expect(event.type).toBe("text");
          break;
        }
        expect((await readAll(start(model))).text).toBe("One. Two.");
      }),
    );
  });
}

async function collect(stream: AsyncIterable<ChatEvent>, events: ChatEvent[]): Promise<void> {
  for await (const event of stream) events.push(event);
}

async function readAll(stream: AsyncIterable<ChatEvent>): Promise<{ text: string; rest: ChatEvent[] }> {
  const events: ChatEvent[] = [];
  await collect(stream, events);
  const first = events.findIndex(({ type }) => type !== "text");
  const texts = events.slice(0, first < 0 ? events.length : first);
  return { text: texts.map((event) => (event.type === "text" ? event.text : "")).join(""), rest: events.slice(texts.length) };
}
