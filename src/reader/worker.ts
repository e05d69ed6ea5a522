import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../errors.ts";
import { createReadText } from "./read-text.ts";
import type { ThreadReply, ThreadSetup, ThreadTask } from "./threads.ts";

/** A thread of the pool: one text in, one reply out, in an arena of its own. */
const { weights, arenaNumber } = workerData as ThreadSetup;
const readText = createReadText(weights, arenaNumber);

parentPort?.on("message", ({ id, read }: ThreadTask) => {
  const reply = (message: ThreadReply) => parentPort?.postMessage(message);
  try {
    reply({ id, reading: readText(read) });
  } catch (error) {
    reply({ id, failure: messageOf(error) });
  }
});
