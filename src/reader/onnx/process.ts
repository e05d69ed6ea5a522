import { answerTask } from "../answer-task.ts";
import type { ThreadTask } from "../threads.ts";
import { createOnnxReadText } from "./read-text.ts";

/** A process of the pool: one text in, one reply out. Its arguments are the files of the weights and of the runtime. */
const [path = "", file = ""] = process.argv.slice(2);
const readText = createOnnxReadText(path, file);

process.on("message", async (task: ThreadTask) => {
  const reply = await answerTask(task, readText);
  // It may have been left alone meanwhile, which it learns behind this.
  if (process.connected) process.send?.(reply, undefined, undefined, () => undefined);
});
// It ends with whoever started it and not before: a signal to all of a group would end it amid the last readings.
process.on("disconnect", () => process.exit());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
