import type { CliContext } from "../../src/cli/context.ts";
import { renderTable, writeReport } from "../../src/grade/report.ts";
import type { RefusalEvent } from "../runs/refusal.ts";
import type { RetrievalEvent } from "../runs/retrieval.ts";
import type { EvaluateEvent } from "../runs/va.ts";

/** Progress on stderr, the table on stdout, the report into the file. */
export async function showEvaluation(
  events: AsyncIterable<EvaluateEvent | RefusalEvent | RetrievalEvent>,
  json: string | undefined,
  { terminal }: CliContext,
): Promise<void> {
  for await (const event of events) {
    if (event.type === "progress") terminal.progress("done" in event ? `${event.done}/${event.total} ${event.what}` : event.what);
    else {
      const { report, table } = event;
      terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
      terminal.print(renderTable(table));
      if (json !== undefined) writeReport(json, report);
    }
  }
}
