import { useId, useState } from "react";
import type { WireEvaluation } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import type { Account } from "../app/use-account.ts";
import { goTo } from "../app/use-route.ts";
import { StateLine } from "../kit/state-line.tsx";

export interface StartFormProps {
  readonly account: Account;
  readonly isRunning: boolean;
  readonly onStarted: () => void;
}

/** What a file of questions looks like. */
const EXAMPLE = `questions:
  - question: How long is a card valid?
    gold_pages: [cards.md]
    gold_quotes: ["A card is valid for two years."]
  - question: What does a lost card cost?
    key_values: ["$5"]
  - question: Do you lend skis?
    kind: out_of_scope`;

/** Begins a run over the golden set that the documents bring, or over a file of questions of one's own. */
export function StartForm({ account: { api, domain, domains, reload }, isRunning, onStarted }: StartFormProps) {
  const [profile, setProfile] = useState("");
  const [failed, setFailed] = useState<string | null>(null);
  const id = useId();
  const profiles = domains.type === "ready" ? domains.value.profiles : [];

  async function start(file: File | null) {
    setFailed(null);
    try {
      const questions = file === null ? {} : { questions: { name: file.name, text: await file.text() } };
      const body = { ...(domain === null ? {} : { domain: domain.name }), ...(profile === "" ? {} : { profile }), ...questions };
      const run = await api.send<WireEvaluation>("POST", "/v1/evaluations", body);
      onStarted();
      goTo({ room: "evaluate", id: run.id });
    } catch (error) {
      setFailed(messageOf(error));
    }
  }

  return (
    <>
      <div className="filters">
        <label htmlFor={id}>Method</label>
        <select id={id} className="field" value={profile} onChange={(event) => setProfile(event.target.value)}>
          <option value="">The usual one of these documents</option>
          {profiles.map(({ name, title: what }) => (
            <option key={name} value={name}>
              {name} – {what}
            </option>
          ))}
        </select>
        {domain?.golden ? (
          <button type="button" className="ask-button" disabled={isRunning} onClick={() => start(null)}>
            {isRunning ? "A run is on its way" : `Run the golden set of ${domain.title}`}
          </button>
        ) : null}
      </div>
      {domains.type === "failed" ? <StateLine state={domains} what="what can be asked about" onRetry={reload} /> : null}
      {domains.type === "ready" ? <QuestionsFile {...{ domain, isRunning }} onChosen={(file) => void start(file)} /> : null}
      {failed === null ? null : (
        <p role="alert" className="message is-warning">
          {failed}
        </p>
      )}
    </>
  );
}

interface QuestionsFileProps extends Pick<Account, "domain"> {
  readonly isRunning: boolean;
  readonly onChosen: (file: File) => void;
}

/** Questions of one's own, and how they are written down. */
function QuestionsFile({ domain, isRunning, onChosen }: QuestionsFileProps) {
  const id = useId();
  return (
    <>
      <p className="muted">
        {domain?.golden
          ? "Or ask questions of your own:"
          : `No set of questions comes with ${domain?.title ?? "these documents"}: choose a file of your own.`}
      </p>
      <div className="filters">
        <label htmlFor={id}>File of questions</label>
        <input
          id={id}
          type="file"
          className="field"
          accept=".yaml,.yml,.json,.jsonl"
          disabled={isRunning}
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = "";
            if (file !== undefined) onChosen(file);
          }}
        />
      </div>
      <details>
        <summary>What such a file looks like</summary>
        <p className="muted">
          YAML, JSON or JSON lines. A question names its right answer by pages and quotes, by values, or by an answer in words; one with a
          kind is to be refused. It is asked of the documents{domain === null ? "" : ` of ${domain.title}`} that everybody may read here, in
          a copy of their own.
        </p>
        <pre className="prompt">{EXAMPLE}</pre>
      </details>
    </>
  );
}
