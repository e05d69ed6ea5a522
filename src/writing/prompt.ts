import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChatPrompt, fillSlots } from "../models/chat.ts";
import { PACKAGE_ROOT } from "../package.ts";
import type { DraftSentence, Turn } from "../shared/types.ts";
import { type CompleteQuote, withNeighbours } from "./quotes.ts";
import { listSource, type OfferedSource, oneLine } from "./sources.ts";

/** Prompt files have named slots `{{name}}`. The built program reads them from `src` too. */
const PROMPTS = join(PACKAGE_ROOT, "src", "writing", "prompts");

/** A rejected sentence of a draft with the reason. */
export interface DraftFault {
  readonly text: string;
  /** Name of the check. */
  readonly check: string;
  readonly reason: string;
}

/** Maximum number of faults in a prompt, and maximum characters of each sentence. */
const NAMED_FAULTS = 8;
const FAULT_CHARACTERS = 300;

/** The content of a prompt. */
export interface Asked {
  readonly question: string;
  readonly sources: readonly OfferedSource[];
  /** Earlier turns, only for understanding the question. */
  readonly history: readonly Turn[];
  /** Additional rules of the profile, one line each. */
  readonly rules?: readonly string[] | undefined;
}

/** Builds the grounded prompt: rules, numbered sources, earlier turns and the question. */
export function groundedPrompt(asked: Asked): ChatPrompt {
  return { system: systemPrompt(asked), user: fillSlots(readPrompt("grounded.user.md"), slotsOf(asked)) };
}

/** Builds the prompt for a second draft. The sentences already shown stay, and every fault of the first draft is listed. */
export function againPrompt(asked: Asked, shown: readonly DraftSentence[], faults: readonly DraftFault[]): ChatPrompt {
  const numbers = ({ quotes }: DraftSentence) =>
    asked.sources.map(({ citable }, i) => (citable.some((quote) => quotes.includes(quote)) ? `[${i + 1}]` : "")).join("");
  const distinct = faults.filter(({ text }, i) => faults.findIndex((one) => one.text === text) === i);
  const named = distinct.slice(0, NAMED_FAULTS).map(({ text, check, reason }) => {
    const said = oneLine(text);
    return `- "${said.length > FAULT_CHARACTERS ? `${said.slice(0, FAULT_CHARACTERS)}…` : said}" – ${check}: ${oneLine(reason).slice(0, FAULT_CHARACTERS)}`;
  });
  return {
    system: systemPrompt(asked),
    user: fillSlots(readPrompt("again.user.md"), {
      ...slotsOf(asked),
      shown: shown.length === 0 ? "(nothing yet)" : shown.map((sentence) => `${oneLine(sentence.text)} ${numbers(sentence)}`).join("\n"),
      faults: named.join("\n"),
    }),
  };
}

/** Returns the fixed parts of the prompts. */
export function readFrame(): string {
  return [readPrompt("grounded.user.md"), readPrompt("again.user.md")].join("\n");
}

/** Builds the prompt for selecting numbered passages that answer. */
export function choosePrompt(question: string, candidates: readonly CompleteQuote[], most: number): ChatPrompt {
  const listed = candidates.map((candidate, i) => {
    const { passage } = candidate.quote;
    return listSource({ passage, stretches: withNeighbours(candidate), citable: [] }, i + 1);
  });
  return {
    system: readPrompt("choose.system.md"),
    user: fillSlots(readPrompt("choose.user.md"), { passages: listed.join("\n"), question, most: String(most) }),
  };
}

/** Returns the common rules, then those of the profile. */
function systemPrompt({ rules = [] }: Asked): string {
  const common = readPrompt("grounded.system.md");
  const last = common.match(/^\d+\. /gm)?.length ?? 0;
  return fillSlots(common, { further: rules.map((rule, i) => `${last + 1 + i}. ${rule}\n`).join("") });
}

function slotsOf({ question, sources, history }: Asked): Record<string, string> {
  const turns = history.map((turn) => `- Q: ${oneLine(turn.question)}\n  A: ${oneLine(turn.answer)}`).join("\n");
  return {
    history: turns === "" ? "" : `Earlier in this conversation (only to understand the question; never a source):\n${turns}\n\n`,
    sources: sources.map((source, i) => listSource(source, i + 1)).join("\n"),
    question,
  };
}

function readPrompt(name: string): string {
  return readFileSync(join(PROMPTS, name), "utf8");
}
