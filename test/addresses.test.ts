import { expect, it } from "vitest";
import { answerToWire } from "../src/wire/index.ts";
import { openInTest } from "./support/engine.ts";

const HOSTILE = [
  "javascript:alert(1)",
  "data:text/html;base64,PHNjcmlwdD4=",
  "JAVASCRIPT://x%0aalert(1)",
  "https://bank.example@evil.example/",
];
const file = {
  md: (url: string) => `---\nurl: ${JSON.stringify(url)}\n---\n# Boats\n\nA rowing boat costs 12 dollars per hour.\n`,
  html: (url: string) =>
    `<!doctype html><title>Boats</title><link rel="canonical" href="${url}"><h1>Boats</h1><p>A rowing boat costs 12 dollars per hour.</p>`,
  json: (url: string) =>
    JSON.stringify([
      { entry_id: "boats", topic: "Boats", subtopic: "Prices", content: "A rowing boat costs 12 dollars per hour.", url, type: "policy" },
    ]),
};

it.each(HOSTILE.flatMap((url) => Object.keys(file).map((kind) => [url, kind as keyof typeof file] as const)))(
  "omits the unsafe address %s of a document in %s",
  async (url, kind) => {
    const library = await openInTest({ documents: { [`boats.${kind}`]: file[kind](url) } });
    const answer = await library.ask("What does a rowing boat cost per hour?");
    expect(answer.status).toBe("ok");
    // The domain pack supplies the address, because the document's own is unsafe.
    expect(answer.citations[0]?.url).toMatch(/^https:\/\/library\.example\//);
    expect(JSON.stringify(answerToWire(answer)).toLowerCase()).not.toMatch(/javascript:|data:text|evil\.example/);
  },
);

it("omits unsafe addresses of answers that were stored before addresses were checked", async () => {
  const library = await openInTest();
  const answer = await library.ask("How much does a library card cost?");
  const [citation] = answer.citations;
  if (citation === undefined) throw new Error("no citation");
  const old = { ...answer, citations: [{ ...citation, url: "javascript:alert(1)", alsoIn: [{ ...citation, url: "data:text/html,x" }] }] };
  const wire = answerToWire(old);
  expect(wire.citations[0]).toMatchObject({ url: null, also_in: [{ url: null }] });
});
