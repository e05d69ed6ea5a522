import { useCallback } from "react";
import type { WireAnswer, WireCalls } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCost, formatCount } from "../format.ts";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { numbered } from "../kit/numbered.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";

export interface PromptsProps {
  readonly answer: WireAnswer;
  readonly tenant: string | null;
  readonly api: Pick<Api, "get">;
}

/** Which model wrote, what it was sent and what it said. */
export function Prompts({ answer, tenant, api }: PromptsProps) {
  const { calls, model } = answer;
  if (calls.length === 0) return <p>No language model was called: the answer is made of quotes, by the writer “{model}”.</p>;
  return (
    <>
      <table className="plain">
        <caption>Calls of language models</caption>
        <ColumnHeads names={["Stage", "Model", "Tokens in", "Tokens out", "Cost"]} />
        <tbody>
          {numbered(calls).map(({ place, item: { stage, model: called, input_tokens, output_tokens, cost_usd } }) => (
            <tr key={place}>
              <td>{stage}</td>
              <td>{called}</td>
              <td>{input_tokens ?? "not counted"}</td>
              <td>{output_tokens ?? "not counted"}</td>
              <td>{formatCost(cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Sent {...{ answer, tenant, api }} />
    </>
  );
}

function Sent({ answer: { id, domain }, tenant, api }: PromptsProps) {
  const scope = new URLSearchParams({ domain, ...(tenant === null ? {} : { tenant }) }).toString();
  const path = `/v1/answers/${encodeURIComponent(id)}/calls?${scope}`;
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireCalls>(path, signal), [api, path]));
  if (state.type !== "ready") return <StateLine state={state} what="what the model was sent" onRetry={reload} />;
  const { recorded, calls } = state.value;
  if (!recorded) return <p>What the model was sent is not recorded for this answer.</p>;
  if (calls.length === 0) return <p>This answer came from memory: the one that it was made for holds what the model was sent.</p>;
  return numbered(calls).map(({ place, item: { model, prompt, prompt_sha256: hash, text, failure } }) => (
    <details key={place} className="outline">
      <summary>
        What {model} was sent, and said ({formatCount(text.length, "character")})
      </summary>
      <p className="muted">
        SHA-256 of the prompt: <code>{hash}</code>
      </p>
      {prompt === null ? <p>The prompt was not kept, only its hash.</p> : <Text title="Rules" text={prompt.system} />}
      {prompt === null ? null : <Text title="Question and passages" text={prompt.user} />}
      <Text title="What it said" text={text} />
      {failure === null ? null : <p className="message is-warning">{failure.message}</p>}
    </details>
  ));
}

function Text({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <h3>{title}</h3>
      <ScrollRegion className="prompt" aria-label={title}>
        {text}
      </ScrollRegion>
    </>
  );
}
