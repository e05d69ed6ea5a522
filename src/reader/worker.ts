import { parentPort, workerData } from "node:worker_threads";
import { answerTask } from "./answer-task.ts";
import { createForward } from "./forward.ts";
import { createReadText } from "./read-text.ts";
import type { ThreadSetup, ThreadTask } from "./threads.ts";

/** A thread of the pool: one text in, one reply out, in an arena of its own. */
const { weights, arenaNumber } = workerData as ThreadSetup;
const readText = createReadText(weights, createForward(weights, arenaNumber).run);

parentPort?.on("message", async (task: ThreadTask) => {
  parentPort?.postMessage(await answerTask(task, readText));
});
