import { z } from "zod";
import { messageOf } from "../../src/shared/errors.ts";
import type { EndpointRequest } from "../../src/testing/fake-endpoint.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { type KeptWriter, startKept } from "./kept-writing.ts";

/** Connection to a real model. */
interface RealModel {
  readonly base_url: string;
  readonly api_key: string;
  readonly timeout_ms: number;
}

const MARK = /\s*\[+\d+\]+/g;

const REPLY = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }), finish_reason: z.string().nullish() })).min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

/** Starts a proxy to a real model. It returns the replies unchanged and records them, including those that a user never sees. */
export function startKeptWriter(model: RealModel): Promise<KeptWriter> {
  return startKept(false, async ({ request }) => {
    const reply = await askModel(request, model).catch((error: unknown) => messageOf(error));
    if (typeof reply === "string") {
      return { chat: { type: "status", status: 502, body: JSON.stringify({ error: { message: reply } }) }, sentences: null };
    }
    const { text, finishReason, usage } = reply;
    const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end).replaceAll(MARK, ""));
    return { chat: { type: "stream", pieces: [text], finishReason, usage }, sentences };
  });
}

async function askModel({ body }: EndpointRequest, { base_url, api_key, timeout_ms }: RealModel) {
  const response = await fetch(`${base_url.replace(/\/$/, "")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(api_key !== "" && { authorization: `Bearer ${api_key}` }) },
    body: JSON.stringify({ ...body, stream: false, stream_options: undefined }),
    signal: AbortSignal.timeout(timeout_ms),
  });
  if (!response.ok) throw new Error(`${base_url} answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
  const { choices, usage } = REPLY.parse(await response.json());
  const [first] = choices;
  return { text: first?.message.content ?? "", finishReason: first?.finish_reason ?? "stop", usage: usage ?? null };
}
