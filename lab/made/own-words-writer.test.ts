import { expect, onTestFinished, test } from "vitest";
import { startOwnWordsWriter } from "./own-words-writer.ts";

const PROMPT = "Sources:\n[1] (Prices) Two kilograms cost 7 euros.\n[2] (Cards) Cards are free.\n\nQuestion: What does it cost?\nAnswer:";

async function start() {
  const writer = await startOwnWordsWriter((text) => text.length);
  onTestFinished(() => writer.close());
  const ask = async (content: string) => {
    const body = JSON.stringify({ model: "any", messages: [{ role: "user", content }], stream: true });
    return (await fetch(`${writer.url}/chat/completions`, { method: "POST", body })).text();
  };
  return { writer, ask };
}

test("writes the right answer beside the sources in which a marked quote stands, and keeps it without them", async () => {
  const { writer, ask } = await start();
  writer.begin({ answer: "You pay seven euros. That is for two kilograms.", goldQuotes: ["Two kilograms cost 7 euros."] });
  expect(await ask(PROMPT)).toContain("You pay seven euros [1]. That is for two kilograms [1].");
  expect([writer.knows, writer.prompts, writer.written]).toEqual([true, [PROMPT], ["You pay seven euros.", "That is for two kilograms."]]);
});

test("says that the sources are not enough where none holds a marked quote: the prompt is kept, and no sentence", async () => {
  const { writer, ask } = await start();
  writer.begin({ answer: "You pay nine euros.", goldQuotes: ["Three kilograms cost 9 euros."] });
  expect(await ask(PROMPT)).toContain("INSUFFICIENT");
  expect([writer.prompts, writer.written]).toEqual([[PROMPT], []]);
  writer.begin({ answer: "", goldQuotes: [] });
  expect(writer.prompts).toEqual([]);
});

test("keeps nothing of a call that is for no answer", async () => {
  const { writer, ask } = await start();
  writer.begin({ answer: "You pay seven euros.", goldQuotes: ["Two kilograms cost 7 euros."] });
  expect(await ask(`${PROMPT}\nPassages:\n[1] Two kilograms cost 7 euros.`)).toContain("{}");
  expect([writer.prompts, writer.written]).toEqual([[], []]);
});
