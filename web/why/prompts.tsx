import type { WireCalls } from "../../src/client/index.ts";
import { queryOf } from "../app/route.ts";
import { useFetched } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { formatCost } from "../kit/figures.ts";
import { numbered } from "../kit/numbered.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { Table } from "../kit/table.tsx";
import type { PassagesProps } from "./passages.tsx";

/** Shows which models were called, with their prompts and replies. */
export function Prompts({ answer, tenant }: PassagesProps) {
  const { calls, model } = answer;
  if (calls.length === 0) return <p>No language model was called. The answer consists of quotes, selected by the writer “{model}”.</p>;
  return (
    <>
      <Table
        caption="Calls of language models"
        columns={["Stage", "Model", "Tokens in", "Tokens out", "Cost"]}
        rows={calls.map(({ stage, model: called, input_tokens: sent, output_tokens: got, cost_usd: cost }, key) => ({
          key,
          cells: [stage, called, sent ?? "not reported", got ?? "not reported", formatCost(cost)],
        }))}
      />
      <Sent {...{ answer, tenant }} />
    </>
  );
}

function Sent({ answer: { id, domain }, tenant }: PassagesProps) {
  const [state, reload] = useFetched<WireCalls>(`/v1/answers/${encodeURIComponent(id)}/calls?${queryOf({ domain, tenant })}`);
  if (state.type !== "ready") return <StateLine state={state} what="the prompts" onRetry={reload} />;
  const { recorded, calls } = state.value;
  if (!recorded) return <p>The prompts of this answer were not recorded.</p>;
  if (calls.length === 0) return <p>This answer came from the cache. The original answer has the prompts.</p>;
  return numbered(calls).map(({ place, item: { model, prompt, prompt_sha256: hash, text, failure } }) => (
    <details key={place} className="outline">
      <summary>
        Prompt and output of {model} ({formatCount(text.length, "character")})
      </summary>
      <p className="muted">
        SHA-256 of the prompt: <code>{hash}</code>
      </p>
      {prompt === null ? <p>Only the hash of the prompt was kept.</p> : <Text title="Rules" text={prompt.system} />}
      {prompt === null ? null : <Text title="Question and passages" text={prompt.user} />}
      <Text title="Output" text={text} />
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
