import { messageOf, systemCodeOf } from "../errors.ts";
import { EXIT } from "./context.ts";
import type { CliProcess } from "./terminal.ts";

/** Runs the command line of this process and sets its exit code. */
export async function runProcess(run: (args: readonly string[], surroundings: CliProcess) => Promise<number>): Promise<void> {
  let outputFailed = false;
  process.stdout.on("error", (error) => {
    // The reader has seen enough (`| head -1`): what runs goes on to its end, unseen.
    if (systemCodeOf(error) === "EPIPE" || outputFailed) return;
    outputFailed = true;
    process.exitCode = EXIT.failed;
    process.stderr.write(`error output_failed The result could not be written: ${messageOf(error)}\n`);
  });
  process.stderr.on("error", () => undefined);
  const exitCode = await run(process.argv.slice(2), process);
  process.exitCode = outputFailed ? EXIT.failed : exitCode;
}
