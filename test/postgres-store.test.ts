// @module-tag all/postgres
import { afterAll, beforeAll, describe } from "vitest";
import { openPostgres } from "../src/store/postgres.ts";
import { createStore } from "../src/store/store.ts";
import { describeStoreContract } from "../src/testing/store-contract.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "./support/postgres.ts";

describe.skipIf(whyNoPostgres !== null)("PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server?.remove();
  });

  describeStoreContract("PostgreSQL", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const clock = { now: () => new Date(now), clock: () => performance.now() };
    const options = { url: await server.createDatabase(), connections: 4, timeoutMs: 20_000 };
    const open = async () => createStore(await openPostgres(options), clock);
    return {
      store: await open(),
      second: await open(),
      advance: (ms) => {
        now += ms;
      },
    };
  });
});
