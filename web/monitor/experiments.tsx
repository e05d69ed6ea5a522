import { useEffect } from "react";
import type { WireExperiment } from "../../src/client/index.ts";
import { useFetched } from "../app/use-account.ts";
import { formatNumber } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { FigureTable } from "../kit/table.tsx";

/** Shows the experiments: settings compared on shares of the readers, with intervals and a verdict. @param round changes when the data must reload */
export function Experiments({ round }: { readonly round: number }) {
  const [state, reload] = useFetched<{ items: readonly WireExperiment[] }>("/v1/experiments");
  useEffect(() => {
    if (round > 0) reload();
  }, [round, reload]);
  return (
    <>
      <h2>Experiments</h2>
      <StateLine state={state} what="the experiments" onRetry={reload} />
      {state.type === "ready" && state.value.items.length === 0 ? (
        <p className="muted">
          None is configured. An experiment gives some users different settings and shows whether these are better. To start one, set{" "}
          <code>experiments</code> in the configuration.
        </p>
      ) : null}
      {state.type === "ready" ? state.value.items.map((one) => <Experiment key={one.name} {...one} />) : null}
    </>
  );
}

function Experiment({ name, metric, better, planned, variants, verdict }: WireExperiment) {
  return (
    <>
      <FigureTable
        title={name}
        columns={["Variant", "Sessions", "Questions", metric.replaceAll("_", " "), "Difference from control"]}
        rows={variants.map(({ name: variant, sessions, questions, compared }) => ({
          name: variant,
          cells: [
            `${formatNumber(sessions)} of ${formatNumber(planned)}`,
            formatNumber(questions),
            compared === null ? "control" : figure(compared.mean),
            compared === null ? "–" : `${figure(compared.difference)} [${figure(compared.low)}, ${figure(compared.high)}]`,
          ],
        }))}
        note={`Better: ${better}. Brackets: 95 % intervals.`}
      />
      <p className={verdict.code === "guardrail_breached" || verdict.code === "assignment_broken" ? "message is-warning" : "message"}>
        {verdict.text}
      </p>
      <Guardrails variants={variants} />
    </>
  );
}

const STATES = { holds: "holds", breached: "breached", open: "undecided" } as const;

/** Lists the metrics that a variant must not worsen. */
function Guardrails({ variants }: Pick<WireExperiment, "variants">) {
  const rows = variants.flatMap(({ name, guardrails }) =>
    guardrails.map(({ metric, difference, low, high, margin, state }) => ({
      name: `${name}: ${metric.replaceAll("_", " ")}`,
      cells: [`${figure(difference)} [${figure(low)}, ${figure(high)}]`, figure(margin), STATES[state]],
    })),
  );
  if (rows.length === 0) return null;
  return <FigureTable title="Guardrails" columns={["Variant", "Difference", "Limit", "State"]} rows={rows} />;
}

function figure(value: number): string {
  return (Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(3)).replace("-", "−");
}
