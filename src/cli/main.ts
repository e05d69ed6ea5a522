#!/usr/bin/env node
import { messageOf, systemCodeOf } from "../errors.ts";
import { EXIT } from "./context.ts";
import { runCli } from "./run.ts";

let outputFailed = false;
process.stdout.on("error", (error) => {
  // The reader has seen enough (`| head -1`): what runs goes on to its end, unseen.
  if (systemCodeOf(error) === "EPIPE" || outputFailed) return;
  outputFailed = true;
  process.exitCode = EXIT.failed;
  process.stderr.write(`error output_failed The result could not be written: ${messageOf(error)}\n`);
});
process.stderr.on("error", () => undefined);

const exitCode = await runCli(process.argv.slice(2), process);
process.exitCode = outputFailed ? EXIT.failed : exitCode;
