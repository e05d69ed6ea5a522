import { fork } from "node:child_process";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../package.ts";
import type { StartThread, ThreadReply } from "../threads.ts";

const ENTRY = join(PACKAGE_ROOT, "dist", "src", "reader", "onnx", "process.js");

/**
 * Starts processes that read by `onnxruntime-node`, from the files of the weights and of the runtime. Processes and not threads: its calls block, and where a thread
 * ends during one the whole process is aborted (1.30.0, also by `process.exit` in the main thread).
 */
export function createProcessStarter(path: string, file: string): StartThread {
  return (_number, { onReply, onEnd }) => {
    const child = fork(ENTRY, [path, file], { execArgv: [], serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const ended = new Promise<void>((resolve) => {
      const end = (cause: unknown) => {
        resolve();
        onEnd(cause);
      };
      child.once("error", end);
      child.once("exit", (code, signal) => end(new Error(`the process ended with ${signal ?? `code ${code}`}`)));
    });
    child.on("message", (reply) => onReply(reply as ThreadReply));
    const hold = (busy: boolean) => {
      child[busy ? "ref" : "unref"]();
      child.channel?.[busy ? "ref" : "unref"]();
    };
    hold(false);
    return {
      // One that has ended meanwhile says so itself.
      post: (task) => void child.send(task, () => undefined),
      hold,
      end: () => {
        hold(true);
        child.kill("SIGKILL");
        return ended;
      },
    };
  };
}
