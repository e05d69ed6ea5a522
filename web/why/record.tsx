import { useState } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { type Api, messageOf } from "../app/api.ts";
import type { Turn } from "../ask/conversation/state.ts";
import { formatCost, formatDuration, formatNumber } from "../format.ts";
import { download } from "../kit/download.ts";

export interface AnswerRecordProps {
  readonly answer: WireAnswer;
  readonly turn: Turn | null;
  readonly api: Pick<Api, "get">;
}

/** What there is of the answer to be kept: the record, and the proof that others can check. */
export function AnswerRecord({ answer, turn, api }: AnswerRecordProps) {
  const [said, setSaid] = useState<{ readonly failed: boolean; readonly text: string } | null>(null);
  const { id, domain, token_usage: tokens } = answer;
  const save = () => download(`answer-${id}.json`, "application/json", JSON.stringify({ answer, stages: turn?.stages ?? [] }, null, 2));

  async function prove() {
    setSaid({ failed: false, text: "Making the proof…" });
    try {
      const scope = new URLSearchParams({ domain, ...(turn?.asked.tenant === undefined ? {} : { tenant: turn.asked.tenant }) });
      const proof = await api.get<unknown>(`/v1/answers/${encodeURIComponent(id)}/proof?${scope}`);
      download(`proof-${id}.json`, "application/json", JSON.stringify(proof));
      setSaid({ failed: false, text: "The proof was saved." });
    } catch (error) {
      setSaid({ failed: true, text: messageOf(error) });
    }
  }

  return (
    <>
      <dl className="facts">
        <Fact name="Answer" value={id} />
        <Fact name="Documents" value={domain} />
        <Fact name="Method" value={answer.profile} />
        <Fact name="Written by" value={answer.model} />
        <Fact name="Time" value={formatDuration(answer.latency_ms)} />
        <Fact name="Tokens" value={tokens.total === null ? "not counted" : formatNumber(tokens.total)} />
        <Fact name="Cost" value={formatCost(answer.cost_usd)} />
      </dl>
      <p>The record holds the answer with every quote, its place and hash, every check and what each stage reported.</p>
      <p>
        The proof is signed, and whoever has the documents can run its checks again offline:{" "}
        <code>sourcebound prove verify proof-{id}.json --documents FOLDER</code>
      </p>
      <div className="actions">
        <button type="button" className="quiet-button" onClick={save}>
          Download the record
        </button>
        <button type="button" className="quiet-button" onClick={prove}>
          Download the proof
        </button>
      </div>
      <p role={said?.failed ? "alert" : "status"} className={said?.failed ? "message is-warning" : "muted"}>
        {said?.text}
      </p>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
