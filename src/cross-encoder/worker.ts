import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../shared/errors.ts";
import type { ThreadReply, ThreadSetup, ThreadTask } from "./create-reader.ts";
import { createForward } from "./forward.ts";
import { createReadText } from "./weights.ts";

/** A worker thread of the pool. It replies once to each task. Its memory area `arenaNumber` belongs to it alone. */
const { weights, arenaNumber } = workerData as ThreadSetup;
const readText = createReadText(weights, createForward(weights, arenaNumber));

function answer({ id, read }: ThreadTask): ThreadReply {
  try {
    return { id, reading: readText(read) };
  } catch (error) {
    return { id, failure: messageOf(error) };
  }
}

parentPort?.on("message", (task: ThreadTask) => parentPort?.postMessage(answer(task)));
