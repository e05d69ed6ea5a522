import type { Command } from "commander";
import { type DomainPack, listDomains } from "../../engine/domain.ts";
import { calibrationFolder } from "../../engine/gate-thresholds.ts";
import type { FindingLevel, PackReport } from "../../engine/packs/check-pack.ts";
import { RequestError } from "../../errors.ts";
import { isOpenToOthers } from "../../store/private.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import type { Terminal } from "../terminal.ts";

interface DoctorFlags {
  documents?: string;
  strict?: boolean;
  json?: boolean;
}

/** Places of one finding that are shown; `--json` has all. */
const SHOWN_ITEMS = 5;

export function addDoctorCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  program
    .command("doctor")
    .description(
      "check domain packs: schema, documents, tenants' terms, vocabulary, addresses, golden set, calibration; and who may look into the data folder",
    )
    .argument("[domain]", "one pack (default: every pack that is found)")
    .option("--documents <folder>", "check its words against these documents instead of the pack's own")
    .option("--strict", "warnings count as faults")
    .option("--json", "as JSON, with every place")
    .addHelpText(
      "after",
      `
Exit code: 0 no fault, 5 faults were found, 2 wrong usage.

Examples:
  sourcebound doctor
  sourcebound doctor retail
  sourcebound doctor book --documents ./moby-dick --json`,
    )
    .action(async (domain: string | undefined, { documents, strict = false, json = false }: DoctorFlags, command: Command) => {
      const config = configOf(context, command);
      const { domains_dir: domainsDir, file_bytes: maxFileBytes, data_dir: data } = config;
      if (documents !== undefined && domain === undefined)
        throw new RequestError(
          "config_invalid",
          "--documents belongs to one pack: name it, as in `sourcebound doctor book --documents FOLDER`.",
        );
      const { checkPack } = await import("../../engine/packs/check-pack.ts");
      const { CalibrationFiles } = await import("../../verify/calibration.ts");
      const calibrations = new CalibrationFiles({ folder: calibrationFolder(data), clock: () => performance.now() });
      const madeHere = async ({ name, default_profile: profile }: DomainPack) =>
        calibrations.find(name, profile, null) === null ? null : withEngine(context, config, (engine) => engine.gateThreshold(name));
      const reports: PackReport[] = [];
      for (const name of domain === undefined ? listDomains(domainsDir) : [domain]) {
        terminal.progress(`${name} …`);
        reports.push(await checkPack(name, { domainsDir, documents: pathOf(context, documents), maxFileBytes, signal, madeHere }));
      }
      if (reports.length === 0) throw new RequestError("unknown_domain", `There is no domain pack in ${domainsDir}.`);
      if (isOpenToOthers(data))
        terminal.error(
          `warning: other users of this machine may look into the data folder, which holds every text in the clear: chmod -R go= ${data}`,
        );
      if (json)
        terminal.print(
          JSON.stringify(
            reports.map((one) => ({ ...one, ok: isSound(one, strict) })),
            null,
            2,
          ),
        );
      else for (const report of reports) show(report, terminal);
      if (reports.some((one) => !isSound(one, strict))) context.exitCode = EXIT.found;
    });
}

function isSound({ findings }: PackReport, strict: boolean): boolean {
  return !findings.some(({ level }) => level === "fault" || (strict && level === "warning"));
}

function show({ name, title, documents, questions, findings }: PackReport, { print, colors, asTyped }: Terminal): void {
  const paint: Record<FindingLevel, (text: string) => string> = { fault: colors.red, warning: colors.yellow, note: colors.dim };
  print(`${colors.bold(name)}${title === null ? "" : `  ${harmlessLine(title)}: ${documents} documents, ${questions} questions`}`);
  for (const { level, check, message, items } of findings) {
    print(`  ${paint[level](level.padEnd(7))} ${check}: ${harmlessLine(asTyped(message))}`);
    for (const item of items.slice(0, SHOWN_ITEMS)) print(`            ${harmlessLine(item)}`);
    if (items.length > SHOWN_ITEMS) print(colors.dim(`            … ${items.length - SHOWN_ITEMS} more (--json)`));
  }
  const count = (level: FindingLevel) => findings.filter((one) => one.level === level).length;
  print(`  faults: ${count("fault")}, warnings: ${count("warning")}, notes: ${count("note")}`);
}
