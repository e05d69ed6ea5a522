import { expect, onTestFinished, test } from "vitest";
import { createFileReader } from "./file-reader.ts";

function openReader(options: Parameters<typeof createFileReader>[0]) {
  const reader = createFileReader(options);
  onTestFinished(() => reader.close());
  return reader;
}

const never = new AbortController().signal;
const file = (path: string, text: string) => ({ path, bytes: Buffer.from(text) });

test("a thread continues after a file that fails", async () => {
  const reader = openReader({ timeoutMs: 600_000 });
  for (let i = 0; i < 4; i++) {
    const [draft] = await reader.read(file(`${i}.md`, `# Number ${i}\n\nText.`), never);
    expect(draft).toMatchObject({ path: `${i}.md`, text: `Number ${i}\n\nText.`, chunks: [{ ordinal: 0 }] });
    await expect(reader.read(file("a.json", "{"), never)).rejects.toMatchObject({
      code: "bad_json",
      message: expect.stringMatching(/^a\.json: line 1/),
    });
  }
});

test("a file that takes too long is stopped, and the next one is read", async () => {
  const reader = openReader({ timeoutMs: 1 });
  await expect(reader.read(file("slow.md", "word ".repeat(200_000)), never)).rejects.toMatchObject({
    code: "read_timeout",
    message: /slow\.md could not be read: it took longer than/,
  });
  const patient = openReader({ timeoutMs: 600_000 });
  const cancelled = new AbortController();
  const reading = patient.read(file("a.md", "word ".repeat(200_000)), cancelled.signal);
  cancelled.abort(new Error("stop"));
  await expect(reading).rejects.toThrow("stop");
  expect(await patient.read(file("b.md", "Text."), never)).toHaveLength(1);
});

test("more files than threads wait their turn", async () => {
  const reader = openReader({ timeoutMs: 600_000, threads: 2 });
  const read = await Promise.all(Array.from({ length: 7 }, (_, i) => reader.read(file(`${i}.txt`, `Text ${i}.`), never)));
  expect(read.map(([draft]) => draft?.text)).toEqual(Array.from({ length: 7 }, (_, i) => `Text ${i}.`));
});

test("a large file is read alone: later ones wait until its memory is free", async () => {
  const reader = openReader({ timeoutMs: 600_000, threads: 3 });
  const done: string[] = [];
  const read = (path: string, text: string) => reader.read(file(path, text), never).then(() => done.push(path));
  await Promise.all([read("large.txt", `${"word ".repeat(60)}. `.repeat(14_000)), read("a.txt", "Text."), read("b.txt", "Text.")]);
  expect(done[0]).toBe("large.txt");
  expect(done).toHaveLength(3);
});

test("files that waited behind one that ends its thread are read by another", async () => {
  const reader = openReader({ timeoutMs: 600_000, threads: 1 });
  const cancelled = new AbortController();
  const first = reader.read(file("first.md", "word ".repeat(6_000)), cancelled.signal);
  // As from `fs.readFile`: the bytes have a buffer of their own, which a thread would take over.
  const second = reader.read({ path: "b.md", bytes: Buffer.from(new TextEncoder().encode("Text of b.").buffer) }, never);
  cancelled.abort(new Error("stop"));
  await expect(first).rejects.toThrow("stop");
  expect((await second).map(({ text }) => text)).toEqual(["Text of b."]);
});
