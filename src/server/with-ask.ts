import type { Engine } from "../engine/engine.ts";

/** An engine with another way of asking; its `answer` goes the same way. */
export function withAsk<Asking extends Engine>(engine: Asking, ask: Engine["ask"]): Asking {
  return {
    ...engine,
    ask,
    async answer(question: string, options: Parameters<Engine["ask"]>[1]) {
      for await (const event of ask(question, options)) if (event.type === "answer") return event.answer;
      throw new Error("the engine ended without an answer");
    },
  };
}
