import { runProcess, runProgram } from "../src/cli/run.ts";
import { createLab } from "./create-lab.ts";

/** Entry point of the lab, for `./run eval`, `./run bench` and `./run lab`. The published package does not include it. */
await runProcess((args, surroundings) => runProgram(args, surroundings, createLab));
