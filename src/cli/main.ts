#!/usr/bin/env node
import { nodeTooOld } from "../shared/node-version.ts";
import { EXIT } from "./context.ts";
import { runCli, runProcess } from "./run.ts";

const problem = nodeTooOld(process.versions.node);
if (problem === null) await runProcess(runCli);
else {
  process.stderr.write(`error node_too_old ${problem}\n`);
  process.exitCode = EXIT.failed;
}
