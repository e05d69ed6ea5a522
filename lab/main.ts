import { runProcess, runProgram } from "../src/cli/run.ts";
import { createLab } from "./create-lab.ts";

/** Measuring and making: what `./run eval`, `./run bench` and `./run lab` start. It is no part of the published package. */
await runProcess((args, surroundings) => runProgram(args, surroundings, createLab));
