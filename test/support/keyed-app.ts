import { createApp } from "../../src/server/app.ts";
import { silentLog } from "../../src/server/log.ts";
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
  const grant = { roles: ["ask"], domains: ["library"], tenants: [], access: null, expiresAt: null, requestsPerHour: 0 } as const;
  const { key } = await engine.store.keys.create({ name, ...grant }, "test");
  return { library, app, key };
}
