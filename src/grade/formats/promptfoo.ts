import { z } from "zod";
import {
  answerableSchema,
  type GoldenAnswerable,
  type GoldenFile,
  type GoldenUnanswerable,
  parseRow,
  unanswerableSchema,
} from "./golden-rows.ts";

const assertionSchema = z.looseObject({ type: z.string(), value: z.unknown().optional() });
type Assertion = z.infer<typeof assertionSchema>;

/** A test of a promptfoo configuration (https://www.promptfoo.dev/docs/configuration/reference/). */
const testSchema = z.looseObject({
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).default({}),
  assert: z.array(assertionSchema).default([]),
});
const fileSchema = z.looseObject({ tests: z.array(z.unknown()) });

/** Variables under which tests keep the question, the first that is there. */
const QUESTION_NAMES = ["question", "query", "input", "user_input", "prompt", "message"];

export function isPromptfoo(value: unknown): boolean {
  return fileSchema.safeParse(value).success;
}

/**
 * Tests as questions: `contains` and `icontains` (`-all`) are key values, `not-contains` what must not stand, `equals`, `similar` and `factuality` the reference
 * answer, `is-refusal` a question to be refused. Other assertions cannot be judged without running somebody's code or a model, and are named.
 */
export function readPromptfoo(path: string, value: unknown): GoldenFile {
  const answerable: GoldenAnswerable[] = [];
  const unanswerable: GoldenUnanswerable[] = [];
  const unread = new Map<string, number>();
  fileSchema.parse(value).tests.forEach((given, i) => {
    const test = parseRow(path, i, given, testSchema);
    const { asserts, unread: left } = readAssertions(test.assert);
    for (const type of left) unread.set(type, (unread.get(type) ?? 0) + 1);
    const question = QUESTION_NAMES.map((name) => test.vars[name]).find((one) => typeof one === "string") ?? "";
    const row = { id: `q${i + 1}`, question, topic: test.description ?? "" };
    if (asserts.refusal) unanswerable.push(parseRow(path, i, { ...row, kind: "out_of_scope" }, unanswerableSchema));
    else answerable.push(parseRow(path, i, { ...row, ...asserts.labels }, answerableSchema));
  });
  const notices = [...unread].map(([type, n]) => `${n} assertions of type "${type}" are not read: nothing is said of them`);
  return { answerable, unanswerable, notices };
}

function readAssertions(assertions: readonly Assertion[]) {
  const labels = { key_values: [] as string[], must_not: [] as string[], answer: "" };
  const unread: string[] = [];
  let refusal = false;
  for (const { type, value } of assertions) {
    const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string" && one.trim() !== "") as string[];
    if (type === "is-refusal") refusal = true;
    else if (texts.length === 0) unread.push(type);
    else if (/^i?contains(?:-all)?$/.test(type)) labels.key_values.push(...texts);
    else if (/^not-i?contains(?:-any)?$/.test(type)) labels.must_not.push(...texts);
    else if (/^(?:equals|similar|factuality)$/.test(type)) labels.answer ||= texts.join(" ");
    else unread.push(type);
  }
  return { asserts: { labels, refusal }, unread };
}
