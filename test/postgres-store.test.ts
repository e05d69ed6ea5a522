// @module-tag all/postgres
import { describe } from "vitest";
import { openPostgres } from "../src/store/postgres.ts";
import { createStore } from "../src/store/store.ts";
import { describeStoreContract } from "../src/testing/store-contract.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";

describe.skipIf(whyNoPostgres !== null)("PostgreSQL", () => {
  const server = usePostgres();

  describeStoreContract("PostgreSQL", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const clock = { now: () => new Date(now), clock: () => performance.now() };
    const options = { url: await server().createDatabase(), connections: 4, timeoutMs: 20_000 };
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
