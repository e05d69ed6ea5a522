import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../errors.ts";
import { createReadOne, ReadCancelled } from "./read-request.ts";
import type { ThreadReply, ThreadSetup, ThreadTask } from "./threads.ts";

/** A thread of the pool: one request in, one reply out, in an arena of its own. */
const { weights, arenaNumber, cancelled } = workerData as ThreadSetup;
const readOne = createReadOne(weights, arenaNumber);

parentPort?.on("message", ({ id, request }: ThreadTask) => {
  const reply = (message: ThreadReply) => parentPort?.postMessage(message);
  try {
    reply({ id, reading: readOne(request, () => Atomics.load(cancelled, 0) === id) });
  } catch (error) {
    reply(error instanceof ReadCancelled ? { id, cancelled: true } : { id, failure: messageOf(error) });
  }
});
