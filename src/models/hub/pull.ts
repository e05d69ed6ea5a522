import { createHash, type Hash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { didYouMean } from "../../text/spelling.ts";
import { CallFailure, createWatchdog, DEFAULT_BACKOFF_MS, withRetries } from "../adapters/call.ts";
import { type Dtype, hubModelFacts, hubModelNames, weightsFile } from "./catalog.ts";
import { MANIFEST_FILE, placesOf } from "./local.ts";

export interface PullOptions {
  /** Address of the Hugging Face Hub or of a mirror. */
  readonly hubUrl: string;
  readonly modelsDir: string;
  readonly dtype: Dtype;
  readonly signal: AbortSignal;
  /** Maximum milliseconds until the first byte, and between two parts of the response. @default 30000 */
  readonly timeoutMs?: number;
  /** Milliseconds before the first retry of a file; doubled before each further retry. @default 500 */
  readonly backoffMs?: number;
}

export type PullEvent =
  | ({ readonly type: "start"; readonly licence: string | null; readonly bytes: number } & Readonly<
      Record<"repository" | "revision", string>
    >)
  | { readonly type: "bytes"; readonly file: string; readonly done: number; readonly total: number }
  | { readonly type: "end"; readonly folder: string; readonly bytes: number; readonly fetched: number };

/** Maximum number of retries of a file. Each retry continues where the download stopped. */
const RETRIES = 4;
const DEFAULT_TIMEOUT_MS = 30_000;

const infoSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{7,64}$/),
  tags: z.array(z.string()).default([]),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().min(0).optional(),
      blobId: z.string().optional(),
      lfs: z.object({ sha256: z.string(), size: z.int() }).nullish(),
    }),
  ),
});

type HubFile = ReturnType<typeof chooseFiles>[number];

/**
 * Downloads a model into the models folder. Each file is written under a temporary name, and renamed when its size and
 * hash are right. Another call continues an interrupted download. `config.json` is downloaded last, because it marks a
 * model as installed.
 * @throws ModelError `hub_unreachable`, `hub_model_unknown`, `hub_file_missing`, `hub_file_damaged`
 */
export async function* pullModel(name: string, options: PullOptions): AsyncGenerator<PullEvent, void> {
  const { modelsDir, dtype } = options;
  const repository = placesOf(name)[0] as string;
  const folder = join(modelsDir, repository);
  if (!repository.includes("/")) {
    const message = `Unknown model "${name}".${didYouMean(name, hubModelNames)} Known models: ${hubModelNames.join(", ")}. For any other, use owner/name.`;
    throw new ModelError("hub_model_unknown", message);
  }
  const pull = { ...options, repository, folder, base: options.hubUrl.replace(/\/+$/, "") };
  const info = await readInfo(pull);
  const files = chooseFiles(repository, info, dtype);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const licence = info.tags.find((tag) => tag.startsWith("license:"))?.slice("license:".length) ?? hubModelFacts(name)?.licence ?? null;
  yield { type: "start", repository, revision: info.sha, licence, bytes: total };
  let before = 0;
  let fetched = 0;
  for (const file of files) {
    const base = before;
    for await (const done of fetchFile(file, info.sha, pull)) {
      fetched += done.fresh;
      yield { type: "bytes", file: file.path, done: base + done.bytes, total };
    }
    before += file.bytes;
  }
  const manifest = join(folder, MANIFEST_FILE);
  await writeFile(`${manifest}.part`, `${JSON.stringify({ repository, revision: info.sha, licence }, null, 2)}\n`);
  await rename(`${manifest}.part`, manifest);
  yield { type: "end", folder, bytes: total, fetched };
}

/** A download; `base` is the address of the Hub without a final slash. */
interface Pull extends PullOptions, Readonly<Record<"repository" | "folder" | "base", string>> {}

async function readInfo(pull: Pull): Promise<z.infer<typeof infoSchema>> {
  const { hubUrl, base, repository, signal, timeoutMs = DEFAULT_TIMEOUT_MS, backoffMs = DEFAULT_BACKOFF_MS } = pull;
  const url = `${base}/api/models/${repository}?blobs=true`;
  const call = async () => {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
    if ([401, 403, 404].includes(response.status))
      throw new ModelError("hub_model_unknown", `${hubUrl} has no public model "${repository}" (HTTP ${response.status}). Check the name.`);
    assertOk(response);
    return infoSchema.parse(await response.json());
  };
  try {
    return await withRetries(call, { baseUrl: hubUrl, apiKey: "", timeoutMs, retries: 1, backoffMs }, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof ModelError ? cause : unreachable(pull, cause);
  }
}

function assertOk({ ok, status }: Response, of = ""): void {
  if (!ok) throw new CallFailure(`HTTP ${status}${of}`, { retryable: status >= 500 || status === 429 });
}

function unreachable({ hubUrl, repository, folder, dtype }: Pull, cause: unknown): ModelError {
  const inner = cause instanceof Error && cause.cause !== undefined ? `: ${messageOf(cause.cause)}` : "";
  const message = `${hubUrl} cannot be reached (${messageOf(cause)}${inner}). Download config.json, tokenizer.json, tokenizer_config.json and ${weightsFile(dtype)} of ${repository} on another machine and copy them into ${folder}, or set hub_url to a mirror.`;
  return new ModelError("hub_unreachable", message, { repository, folder }, { cause });
}

/** Selects the files to download. @throws ModelError `hub_file_missing`, which lists the weights that the repository has */
function chooseFiles(repository: string, { siblings }: z.infer<typeof infoSchema>, dtype: Dtype) {
  const optional = ["1_Pooling/config.json", `${weightsFile(dtype)}_data`];
  const wanted = ["tokenizer.json", "tokenizer_config.json", weightsFile(dtype), ...optional, "config.json"];
  return wanted.flatMap((path) => {
    const found = siblings.find(({ rfilename }) => rfilename === path);
    const bytes = found?.lfs?.size ?? found?.size;
    // The Hub states `sha256` only for large files. Other files are compared with their Git blob id.
    if (bytes !== undefined) return [{ path, bytes, sha256: found?.lfs?.sha256 ?? null, blobId: found?.blobId ?? null }];
    if (optional.includes(path)) return [];
    const weights = siblings.map(({ rfilename }) => rfilename).filter((file) => file.endsWith(".onnx"));
    const message = `${repository} has no ${path}. ${weights.length === 0 ? "It has no ONNX files. Look for a converted version of it." : `Available weights: ${weights.join(", ")}.`}`;
    throw new ModelError("hub_file_missing", message, { repository, path, weights });
  });
}

/** Downloads a file. Yields the number of bytes that are present, and the number of bytes received since the last event. */
async function* fetchFile(file: HubFile, revision: string, pull: Pull): AsyncGenerator<{ bytes: number; fresh: number }, void> {
  const { repository, folder, signal, backoffMs = DEFAULT_BACKOFF_MS } = pull;
  const path = join(folder, file.path);
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  if (existsSync(path) && (await isWhole(path, file))) {
    yield { bytes: file.bytes, fresh: 0 };
    return;
  }
  for (let attempt = 0; ; attempt++) {
    try {
      yield* appendRest(`${pull.base}/${repository}/resolve/${revision}/${file.path}`, part, file, pull);
      break;
    } catch (cause) {
      signal.throwIfAborted();
      const hopeless = cause instanceof CallFailure && !cause.retryable;
      if (attempt >= RETRIES || hopeless) throw unreachable(pull, cause);
      await sleep(backoffMs * 2 ** attempt, undefined, { signal });
    }
  }
  if (!(await isWhole(part, file))) {
    await rm(part, { force: true });
    const message = `The download of ${file.path} from ${repository} was damaged (its size or hash is not the one that the Hub states), and was deleted. Run the command again.`;
    throw new ModelError("hub_file_damaged", message, { repository, path: file.path });
  }
  await rename(part, path);
}

async function* appendRest(url: string, part: string, file: HubFile, options: PullOptions): ReturnType<typeof fetchFile> {
  const had = existsSync(part) ? (await stat(part)).size : 0;
  if (had === file.bytes) return;
  const from = had < file.bytes ? had : 0;
  const watchdog = createWatchdog(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, Number.POSITIVE_INFINITY);
  watchdog.start();
  try {
    const headers = { "accept-encoding": "identity", ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
    const response = await fetch(url, { signal: AbortSignal.any([options.signal, watchdog.signal]), headers });
    assertOk(response, ` for ${file.path}`);
    if (response.body === null) throw new CallFailure(`HTTP ${response.status} for ${file.path}`, { retryable: false });
    const resumed = response.status === 206;
    const target = await open(part, resumed ? "a" : "w");
    let bytes = resumed ? from : 0;
    try {
      for await (const piece of response.body) {
        watchdog.stop();
        await target.write(piece);
        bytes += piece.length;
        if (bytes > file.bytes) throw new CallFailure(`${file.path} is longer than stated by the Hub`);
        yield { bytes, fresh: piece.length };
        // On Node.js 22, the body of an aborted request that was fully received neither ends nor throws. So check here.
        options.signal.throwIfAborted();
        watchdog.start();
      }
      await target.sync();
    } finally {
      await target.close();
    }
    if (bytes !== file.bytes) throw new CallFailure(`${file.path} ended after ${bytes} of ${file.bytes} bytes`);
  } finally {
    watchdog.stop();
  }
}

/** Checks the size of a file, and its hash if the Hub states one. */
async function isWhole(path: string, { bytes, sha256, blobId }: HubFile): Promise<boolean> {
  if ((await stat(path)).size !== bytes) return false;
  if (sha256 !== null) return (await hashFile(path, createHash("sha256"))) === sha256;
  return blobId === null || (await hashFile(path, createHash("sha1").update(`blob ${bytes}\0`))) === blobId;
}

async function hashFile(path: string, hash: Hash): Promise<string> {
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}
