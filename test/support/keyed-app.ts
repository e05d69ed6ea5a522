import { beforeAll, onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { silentLog } from "../../src/server/access/guard.ts";
import { type AppOptions, createApp } from "../../src/server/app.ts";
import { serveEngine } from "../../src/server/start.ts";
import type { NewKey } from "../../src/store/keys.ts";
import { type Library, libraryForAll } from "./engine.ts";

export interface KeyedApp {
  readonly library: Library;
  readonly app: ReturnType<typeof createApp>;
  /** Key with the role `ask` in the domain `library`. */
  readonly key: string;
}

/** Opens the library with the service's routes and a key that may ask, for all tests of a file; usable from its tests on. */
export function keyedAppForAll(name: string): KeyedApp {
  const library = libraryForAll();
  const keyed = { library } as { -readonly [Part in keyof KeyedApp]: KeyedApp[Part] };
  beforeAll(async () => {
    keyed.app = appOf(library.engine);
    keyed.key = await createKey(library, { name, domains: ["library"], tenants: [] });
  });
  return keyed;
}

/** Creates a key for asking without limits, except those of `grant`. */
export async function createKey({ engine }: Pick<Library, "engine">, grant: Partial<NewKey> = {}): Promise<string> {
  const open = { name: "k", roles: ["ask" as const], domains: null, tenants: null, access: null, expiresAt: null, requestsPerHour: 0 };
  return (await engine.store.keys.create({ ...open, ...grant }, "test")).key;
}

export async function serveInTest(engine: Engine): ReturnType<typeof serveEngine> {
  const server = await serveEngine(engine, () => undefined);
  onTestFinished(() => server.close());
  return server;
}

export function appOf(engine: Engine, more: Partial<AppOptions> = {}): ReturnType<typeof createApp> {
  const records = { idempotency: { ...engine.store.idempotency, claimMs: 60_000 } };
  return createApp({
    engine,
    keys: engine.store.keys,
    labels: engine.config.access,
    log: silentLog,
    webRoot: "/nowhere",
    ...records,
    ...more,
  });
}

interface Call {
  readonly key?: string | undefined;
  /** Strings and forms are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a route whose response is JSON or empty. */
export async function callApp<Body>(app: KeyedApp["app"], method: string, path: string, { key, body, headers }: Call = {}) {
  const type = body instanceof FormData ? {} : { "content-type": "application/json" };
  const signed = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const asItIs = body === undefined || typeof body === "string" || body instanceof FormData;
  const init = {
    method,
    headers: { ...type, ...signed, ...headers },
    ...(body === undefined ? {} : { body: asItIs ? body : JSON.stringify(body) }),
  };
  const response = await app.request(path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: (text === "" ? null : JSON.parse(text)) as Body };
}
