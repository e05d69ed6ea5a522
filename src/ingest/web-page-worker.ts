import { parentPort } from "node:worker_threads";
import type { FetchedPage } from "../models/web-page.ts";
import { messageOf } from "../shared/errors.ts";
import { readWebPage } from "./web-page.ts";

/** One page in, one message out: a thread of its own, so that a page that cannot be read in time ends with it. */
parentPort?.once("message", (source: FetchedPage) => {
  try {
    parentPort?.postMessage({ page: readWebPage(source) });
  } catch (error) {
    parentPort?.postMessage({ failure: messageOf(error).slice(0, 200) });
  }
});
