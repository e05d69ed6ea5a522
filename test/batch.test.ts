import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Engine } from "../src/engine/engine.ts";
import { silentLog } from "../src/server/access/guard.ts";
import { withAsk } from "../src/server/admission/admit-questions.ts";
import { createApp } from "../src/server/app.ts";
import { RequestError } from "../src/shared/errors.ts";
import { eventsOf, sampleAnswer } from "../src/testing/answers.ts";
import { createFakeAskEngine } from "../src/testing/fake-ask-engine.ts";
import { runCli } from "./support/cli.ts";
import { libraryForAll } from "./support/engine.ts";
import { LIBRARY_QUESTIONS } from "./support/library.ts";

interface Line {
  readonly id: string;
  readonly done: number;
  readonly total: number;
  readonly answer?: { readonly question: string; readonly status: string };
  readonly error?: { readonly code: string };
}
const linesOf = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

describe("POST /v1/batch", () => {
  const setUp = () => {
    let running = 0;
    let most = 0;
    const fake = createFakeAskEngine(async function* ({ request: { question } }) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (question.includes("broken")) throw new RequestError("question_empty", "No.");
      yield* eventsOf(sampleAnswer({ question }));
    });
    const engine = withAsk({ ...fake, config: { batch: { parallel: 2, questions: 4 } } as Engine["config"] }, fake.ask);
    const app = createApp({ engine, log: silentLog, webRoot: "/nowhere", withoutKeys: "anyone" });
    const post = (body: string, type = "application/x-ndjson") =>
      app.request("/v1/batch", { method: "POST", body, headers: { "content-type": type } });
    return { post, fake, most: () => most };
  };
  const batch = (...questions: object[]) => questions.map((one) => JSON.stringify(one)).join("\n");

  it("answers each line with its id or line number, limits parallel questions, and isolates failures", async () => {
    const { post, fake, most } = setUp();
    const response = await post(
      batch({ id: "a", question: "One?" }, { question: "broken" }, { id: "c", question: "Three?", write: "quotes" }),
    );
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const lines = linesOf(await response.text());
    const said = lines.map(({ id, answer, error }) => `${id} ${answer?.question ?? error?.code}`);
    expect(said.sort()).toEqual(["2 question_empty", "a One?", "c Three?"]);
    expect(lines.map(({ done, total }) => [done, total])).toEqual([1, 2, 3].map((n) => [n, 3]));
    expect([most(), fake.calls.length]).toEqual([2, 3]);
  });

  it.each([
    ["text", "Is this a question?", /Line 1 .* no JSON object/],
    ["a line without a question", batch({ question: "One?" }, { id: "b" }), /Line 2 .*question/],
    ["an id that occurs twice", batch({ id: "a", question: "One?" }, { id: "a", question: "Two?" }), /Line 2 .*"a" occurs twice/],
    ["too many questions", batch(...Array.from({ length: 5 }, () => ({ question: "One?" }))), /more than 4 questions/],
  ])("refuses %s as a whole", async (_what, body, message) => {
    const { post, fake } = setUp();
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toMatch(message);
    expect(fake.calls).toEqual([]);
  });

  it("refuses other content types", async () => {
    expect((await setUp().post("{}", "text/plain")).status).toBe(415);
  });
});

describe("ask --file", () => {
  const library = libraryForAll();
  const run = (...args: string[]) => runCli(args, { cwd: library.sandbox.folder, env: library.sandbox.env });

  it("prints one line per question; with --out, a repeated run asks only unanswered questions", async () => {
    const [first, second] = LIBRARY_QUESTIONS.map((one) => (typeof one === "string" ? one : one.question));
    const file = join(library.sandbox.folder, "questions.jsonl");
    writeFileSync(file, `${JSON.stringify({ id: "a", question: first })}\n\n${JSON.stringify({ question: second })}\n`);
    const printed = await run("ask", "--file", file);
    expect(printed.code).toBe(0);
    const asked = linesOf(printed.stdout).map(({ id, answer }) => `${id} ${answer?.question}`);
    expect(asked.sort()).toEqual([`3 ${second}`, `a ${first}`]);
    const out = join(library.sandbox.folder, "answers.jsonl");
    const [line = ""] = printed.stdout.split("\n").filter((one) => one.includes('"id":"a"'));
    writeFileSync(out, `${line}\n{"id":"3","ans`);
    expect((await run("ask", "--file", file, "--out", out)).code).toBe(0);
    const complete = readFileSync(out, "utf8")
      .split("\n")
      .filter((one) => one.endsWith("}"));
    expect(complete.map((one) => (JSON.parse(one) as Line).id)).toEqual(["a", "3"]);
    expect((await run("ask", "--file", file, "What else?")).code).toBe(2);
  });
});
