import { parentPort } from "node:worker_threads";
import type { FetchedPage } from "../models/web-page.ts";
import { messageOf } from "../shared/errors.ts";
import { readWebPage } from "./web-page.ts";

/** Reads one page in a separate thread, which ends with a page that exceeds its time limit. */
parentPort?.once("message", (source: FetchedPage) => {
  try {
    parentPort?.postMessage({ page: readWebPage(source) });
  } catch (error) {
    parentPort?.postMessage({ failure: messageOf(error).slice(0, 200) });
  }
});
