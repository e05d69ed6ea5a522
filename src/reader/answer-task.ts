import { ModelError, messageOf } from "../errors.ts";
import type { ReadText } from "./read-text.ts";
import type { ThreadReply, ThreadTask } from "./threads.ts";

/** What a thread or a process of the pool replies to a task: the reading, or why there is none. */
export async function answerTask({ id, read }: ThreadTask, readText: ReadText): Promise<ThreadReply> {
  try {
    return { id, reading: await readText(read) };
  } catch (error) {
    return { id, failure: messageOf(error), code: error instanceof ModelError ? error.code : undefined };
  }
}
