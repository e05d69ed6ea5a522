#!/usr/bin/env node
import { runCli } from "./run.ts";
import { runProcess } from "./run-process.ts";

await runProcess(runCli);
