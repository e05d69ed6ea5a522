import { CallFailure, shownText } from "./call.ts";

/** Characters of a reply that are kept, so that a key in what is shown of it is whole. */
const KEPT_CHARACTERS = 2000;
/** Characters of it, and of its content type, that are shown. */
const SHOWN_CHARACTERS = 80;

/** How the last reply of an endpoint began, for the error where nothing could be made of it. */
export interface ReplyHead {
  /** To be called in place of `fetch`; what comes passes through as it is. */
  readonly fetch: typeof fetch;
  /** Was it taken for success and is no stream of events? */
  isNoStream(): boolean;
  /** What came in place of what was wanted; `null`: nothing came, or the endpoint said itself that it failed. */
  describe(wanted: string): CallFailure | null;
}

/** @param setting that names the endpoint, such as `model.base_url` */
export function createReplyHead(apiKey: string, setting: string): ReplyHead {
  let kind = "";
  let head = "";
  return {
    fetch: async (input, init) => {
      [kind, head] = ["", ""];
      const response = await fetch(input, init);
      if (!response.ok || response.body === null) return response;
      kind = response.headers.get("content-type") ?? "text of no stated type";
      const decoder = new TextDecoder();
      const tap = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          if (head.length < KEPT_CHARACTERS) head += decoder.decode(bytes.subarray(0, KEPT_CHARACTERS), { stream: true });
          controller.enqueue(bytes);
        },
      });
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
    },
    isNoStream: () => head.trim() !== "" && !/^\s*(?:(?:data|event|id|retry)?:|\uFEFF)/.test(head),
    describe(wanted) {
      if (head.trim() === "") return null;
      const [type, beginning] = [kind, head].map((text) => shownText(text, apiKey, SHOWN_CHARACTERS));
      return new CallFailure(
        `${wanted} was expected, and ${type} came that begins “${beginning}”: check that ${setting} is the address of an OpenAI-compatible endpoint (most end in /v1), and that no login page or proxy answers in its place`,
      );
    },
  };
}
