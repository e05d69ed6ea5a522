import { InvalidArgumentError } from "commander";
import { calibrationFolder } from "../../engine/gate-thresholds.ts";
import type { CalibrationReport } from "../../grading/calibrate.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { DOMAIN, define, printResult } from "../command.ts";
import { configOf, EXIT, pathOf, withEngine } from "../context.ts";

/** Significance level: probability that, despite calibration, the share of wrong answers exceeds the maximum. */
const DEFAULT_DELTA = 0.05;

export const addCalibrateCommand = define("calibrate", {
  description: "choose the confidence threshold above which at most a given share of the answers is wrong, from labelled questions",
  options: [
    ["--risk <share>", "maximum share of wrong answers, such as .05", { parse: parseShare, required: true }],
    DOMAIN,
    ["--profile <name>", "profile to calibrate; it must decide by confidence, as sourcebound does"],
    ["--golden <path>", "labelled questions, as for `eval golden`: one file, or a folder (default: those of the domain pack)"],
    [
      "--delta <share>",
      "accepted probability that more than --risk of the answers are wrong",
      { parse: parseShare, default: DEFAULT_DELTA },
    ],
    ["--out <file>", "write the calibration to this file; the engine uses it only after you move it to the data folder or pack"],
    ["--json", "print the report as JSON"],
  ],
  help: `
Asks every labelled question against the ingested documents, without refusing for low confidence. A configured model is called, which may cost
money. Nothing is stored. An answerable question has id, question, gold_pages, and gold_quotes or key_values; an unanswerable one has id, question and
kind (near_miss, out_of_scope, injection, nonsense). An answer is wrong if the question is unanswerable, if a key value is missing, or, without key
values, if no quote overlaps a gold quote. Only thresholds at which at least a fifth of the questions is answered are considered.

Exit code: 0 a threshold was chosen and written, 3 too few labels for this risk (nothing was written), 1 failed, 2 usage error.

Examples:
  sourcebound calibrate --risk .2
  sourcebound calibrate --domain veterans --risk .05 --golden labels.jsonl --json`,
  async run({ flags: { json, golden, out: given, ...rest }, command, context, terminal, signal }) {
    const options = { ...rest, golden: pathOf(context, golden) };
    const out = pathOf(context, given);
    const config = configOf(context, command);
    const { calibrate, calibrationTable, writeCalibration } = await import("../../grading/calibrate.ts");
    const { renderTable } = await import("../../grading/report.ts");
    await withEngine(context, config, async (engine) => {
      for await (const event of calibrate(engine, { ...options, date: new Date(), signal })) {
        if (event.type === "progress") {
          terminal.progress(`${event.done}/${event.total} ${event.what}`);
          continue;
        }
        const { report } = event;
        signal.throwIfAborted();
        const written =
          report.calibration === null ? null : await writeCalibration(report.calibration, calibrationFolder(config.data_dir), out);
        printResult(terminal, json, toJson(report, written), () =>
          [
            terminal.colors.bold(`calibrate: domain ${report.domain}, profile ${report.profile}, risk ${report.risk}`),
            renderTable(calibrationTable(report)),
            written === null ? "\nNothing was written." : `\nWritten to ${written}`,
          ].join("\n"),
        );
        if (written === null) context.exitCode = EXIT.refused;
      }
    });
  },
});

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() === "" || !(share > 0 && share < 1)) throw new InvalidArgumentError("Use a share between 0 and 1, such as .05.");
  return share;
}

function toJson({ calibrationError, calibration, ...report }: CalibrationReport, written: string | null): object {
  return Object.assign({}, toSnakeCase(report), { calibration_error: { raw: calibrationError }, calibration, written });
}
