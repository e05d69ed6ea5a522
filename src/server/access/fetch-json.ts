/** The part of `fetch` that is needed. */
export type KeyFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Bytes of a document of an issuer: some ten keys with their certificates are 50 KiB. */
export const MAX_JSON_BYTES = 262_144;
/** Milliseconds in which it must have come. */
const TIMEOUT_MS = 5_000;

/** JSON from an address, of at most so many bytes, without redirects. @throws Error saying what was wrong with it */
export async function fetchJson(request: KeyFetch, url: string, init: RequestInit = {}): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit;
  const response = await request(url, { ...init, redirect: "error", signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_JSON_BYTES) throw new Error(`it answered more than ${MAX_JSON_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}
