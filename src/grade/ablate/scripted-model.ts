import { type EndpointRequest, startFakeEndpoint } from "../../testing/fake-endpoint.ts";
import { sha256Hex } from "../../text/hash.ts";
import { createRandom } from "../random.ts";
import { FAULT_CATEGORIES, type FaultCategory, type WrittenSentence } from "./faults.ts";
import { draftText, readPrompt, writeDraft } from "./scripted-draft.ts";

/** Share of drafts that get a fault, by category. */
export type FaultRates = Readonly<Record<FaultCategory, number>>;

/** A model that writes from the quotes it is given and makes things up at known rates, behind HTTP like any other. */
export interface ScriptedModel {
  /** Base address of the endpoint. */
  readonly url: string;
  /** Forgets the drafts so far; the same key draws the same faults, whatever the quotes are. */
  begin(key: string): void;
  /** What it wrote since `begin`: the ground truth. */
  readonly drafts: readonly (readonly WrittenSentence[])[];
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  readonly rates: FaultRates;
  readonly seed: number;
  /** Host of the documents, on which it invents addresses. */
  readonly host: string;
  /** Tokens of a text, so that it counts what it reads and writes; without it every call counts the same. */
  readonly countTokens?: (text: string) => number;
}

/** Characters of one piece of the stream. */
const PIECE = 24;

/** Starts the model on a free port of this machine. It reads nothing but the prompt, and never refuses while there is a sentence to copy. */
export async function startScriptedModel({ rates, seed, host, countTokens }: ScriptedModelOptions): Promise<ScriptedModel> {
  let drafts: (readonly WrittenSentence[])[] = [];
  let key = "";
  const write = (request: EndpointRequest) => {
    const randomOf = (what: string) => createRandom(Number.parseInt(sha256Hex(`${seed} ${key} ${drafts.length} ${what}`).slice(0, 8), 16));
    const faults = new Set(FAULT_CATEGORIES.filter((category) => randomOf(`${category}?`)() < rates[category]));
    return writeDraft(readPrompt(userMessage(request.body)), { faults, host, randomOf });
  };
  const endpoint = await startFakeEndpoint({
    chat: (request) => {
      const draft = write(request);
      drafts.push(draft);
      const text = draft.length === 0 ? "INSUFFICIENT" : draftText(draft);
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, "g")) ?? [];
      if (countTokens === undefined) return { type: "stream", pieces };
      const usage = { prompt_tokens: countTokens(JSON.stringify(request.body.messages)), completion_tokens: countTokens(text) };
      return { type: "stream", pieces, usage };
    },
  });
  return {
    url: endpoint.url,
    get drafts() {
      return drafts;
    },
    begin(next) {
      key = next;
      drafts = [];
    },
    close: endpoint.close,
  };
}

function userMessage({ messages }: Record<string, unknown>): string {
  const last = Array.isArray(messages) ? messages.at(-1) : null;
  return typeof last?.content === "string" ? last.content : "";
}
