import { createApp } from "../../src/server/app.ts";
import { silentLog } from "../../src/server/log.ts";
import type { NewKey } from "../../src/store/keys.ts";
import { type Library, openLibrary } from "./engine.ts";

export interface KeyedApp {
  readonly library: Library;
  readonly app: ReturnType<typeof createApp>;
  /** May ask in the domain `library`. */
  readonly key: string;
}

/** The library behind the service's routes, with a key that may ask. */
export async function openKeyedApp(name: string): Promise<KeyedApp> {
  const library = await openLibrary();
  const { engine } = library;
  const app = createApp({
    ...{ engine, keys: engine.store.keys },
    ...{ log: silentLog, webRoot: "/nowhere" },
  });
  return { library, app, key: await createKey(library, { name, domains: ["library"], tenants: [] }) };
}

/** A key that may ask everything, as far as the grant says nothing else. */
export async function createKey({ engine }: Pick<Library, "engine">, grant: Partial<NewKey> = {}): Promise<string> {
  const open = { name: "k", roles: ["ask" as const], domains: null, tenants: null, access: null, expiresAt: null, requestsPerHour: 0 };
  return (await engine.store.keys.create({ ...open, ...grant }, "test")).key;
}
