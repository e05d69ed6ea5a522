import { type Command, InvalidArgumentError } from "commander";
import { calibrationFolder } from "../../engine/gate-thresholds.ts";
import type { CalibrationReport } from "../../grading/calibrate.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { DOMAIN, define, printResult } from "../command.ts";
import { type CliContext, configOf, EXIT, pathOf, withEngine } from "../context.ts";

/** Significance level: probability that the guarantee does not hold. */
const DEFAULT_DELTA = 0.05;

export function addCalibrateCommand(program: Command, context: CliContext): void {
  define(program, context, "calibrate", {
    description: "choose from which confidence on questions are answered, so that at most a given share of the answers is wrong",
    options: [
      ["--risk <share>", "most that may be wrong among the answers, such as .05", { parse: parseShare, required: true }],
      DOMAIN,
      ["--profile <name>", "profile with the learned gate"],
      [
        "--golden <path>",
        "labelled questions: a file of JSON lines, or a folder of *answerable*.jsonl (default: those of the domain pack)",
      ],
      ["--delta <share>", "chance that the promise does not hold", { parse: parseShare, default: DEFAULT_DELTA }],
      ["--out <file>", "write the calibration there; the engine does not look for it there (default: the data folder, where it does)"],
      ["--json", "the report as JSON on stdout"],
    ],
    help: HELP,
    async run({ flags: { json, golden, out: given, ...rest }, command }) {
      const { terminal, signal } = context;
      const options = { ...rest, golden: pathOf(context, golden) };
      const out = pathOf(context, given);
      const config = configOf(context, command);
      const { calibrate, writeCalibration } = await import("../../grading/calibrate.ts");
      const { calibrationTable } = await import("../../grading/calibration-table.ts");
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
}

const HELP = `
Asks every labelled question of the documents that were ingested, with nothing refused for want of confidence; a configured model writes, and is paid. Nothing is stored.
An answerable question has id, question, gold_pages, and gold_quotes or key_values; one to refuse has id, question and kind (near_miss, out_of_scope, injection, nonsense).
Wrong is: answered although nothing answers it, a key value missing, or without key values no quote that overlaps a gold quote.
A threshold is tried from where a fifth of the labelled questions is answered on.

Exit code: 0 a threshold was chosen and written, 3 too few labels for this risk (nothing is written), 1 failed, 2 wrong usage.

Examples:
  sourcebound calibrate --risk .2
  sourcebound calibrate --domain veterans --risk .05 --golden labels.jsonl --json`;

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() === "" || !(share > 0 && share < 1)) throw new InvalidArgumentError("It must be a share between 0 and 1, such as .05.");
  return share;
}

function toJson({ calibrationError, calibration, ...report }: CalibrationReport, written: string | null): object {
  return Object.assign({}, toSnakeCase(report), { calibration_error: { raw: calibrationError }, calibration, written });
}
