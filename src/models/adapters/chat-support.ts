import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import type { TextRange } from "../../types.ts";
import type { ChatModel } from "../chat.ts";
import { readJson, writtenNumber } from "../read-json.ts";
import type { SupportPair, SupportScore, SupportScorer } from "../support.ts";

const SUPPORT_PROMPTS = join(PACKAGE_ROOT, "src", "models", "prompts");
/** Longest reason that is passed on, in characters. */
const REASON_CHARACTERS = 300;

/** Beyond 1 it is another scale, and no verdict. */
const score = writtenNumber.pipe(z.number().max(1));
const verdictSchema = z.object({ score, unsupported: z.array(z.string()).max(50), reason: z.string() });

/**
 * A model that writes, asked to judge. Its reply must be the JSON object that the prompt asks for; any other reply is `null`.
 * Parts that it calls unsupported become spans only where they stand in the claim word for word.
 */
export function createChatSupportScorer(chat: ChatModel): SupportScorer {
  const system = readFileSync(join(SUPPORT_PROMPTS, "support.system.md"), "utf8");
  const template = readFileSync(join(SUPPORT_PROMPTS, "support.user.md"), "utf8");

  async function ask({ claim, evidence }: SupportPair, signal: AbortSignal): Promise<string> {
    const slots: Record<string, string> = { claim, evidence: evidence.map((text, i) => `[${i + 1}] ${text}`).join("\n") };
    const user = template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => slots[name] ?? whole);
    let reply = "";
    for await (const event of chat.stream({ system, user }, { temperature: 0, signal })) if (event.type === "text") reply += event.text;
    return reply;
  }

  return {
    id: `chat/${chat.id}`,
    async score(pairs, { signal = new AbortController().signal, onFailure } = {}) {
      signal.throwIfAborted();
      const scores: (SupportScore | null)[] = [];
      for (const pair of pairs) {
        if (isBlank(pair)) {
          scores.push(null);
          continue;
        }
        const reply = await ask(pair, signal);
        const score = parseVerdict(reply, pair.claim);
        if (score === null) onFailure?.(`${chat.id} did not reply with the verdict that was asked for.`);
        scores.push(score);
      }
      return scores;
    },
  };
}

function isBlank({ claim, evidence }: SupportPair): boolean {
  return !/[\p{L}\p{N}]/u.test(claim) || !evidence.some((text) => /[\p{L}\p{N}]/u.test(text));
}

function parseVerdict(reply: string, claim: string): SupportScore | null {
  const parsed = verdictSchema.safeParse(readJson(reply));
  if (!parsed.success) return null;
  const { score, unsupported, reason } = parsed.data;
  return { score, spans: findParts(unsupported, claim), reason: reason.slice(0, REASON_CHARACTERS) };
}

/** In order, without overlaps. */
function findParts(parts: readonly string[], claim: string): TextRange[] {
  const found = parts.flatMap((part) => {
    const start = part === "" ? -1 : claim.indexOf(part);
    return start < 0 ? [] : [{ start, end: start + part.length }];
  });
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return found.filter(({ start }, i) => found.slice(0, i).every((before) => before.end <= start));
}
