import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatPrompt } from "../models/chat.ts";
import { PACKAGE_ROOT } from "../root.ts";
import type { Quote, Turn } from "../types.ts";

/** Prompts are files with named slots `{{name}}`; they stay in `src` for the built program too. */
const PROMPTS = join(PACKAGE_ROOT, "src", "write", "prompts");

/** The grounded prompt: rules, numbered quotes, the question; earlier turns only to understand it. */
export function groundedPrompt(question: string, quotes: readonly Quote[], history: readonly Turn[]): ChatPrompt {
  const turns = history.map((turn) => `- Q: ${oneLine(turn.question)}\n  A: ${oneLine(turn.answer)}`).join("\n");
  return {
    system: readPrompt("grounded.system.md"),
    user: fillSlots(readPrompt("grounded.user.md"), {
      history: turns === "" ? "" : `Earlier in this conversation (only to understand the question; never a source):\n${turns}\n\n`,
      quotes: quotes.map((quote, i) => `[${i + 1}] (${oneLine(quote.passage.document.title)}) ${oneLine(quote.text)}`).join("\n"),
      question,
    }),
  };
}

/** Replaces every `{{name}}`; slots are filled once, so braces in a value stay as they are. */
export function fillSlots(template: string, slots: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => slots[name] ?? whole);
}

function readPrompt(name: string): string {
  return readFileSync(join(PROMPTS, name), "utf8");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
