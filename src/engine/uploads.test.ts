import { expect, it } from "vitest";
import { createUploads } from "./uploads.ts";

it("lists a file whose reading ends while the list is made", async () => {
  let isRead = false;
  const file = {
    domain: "d",
    tenant: null,
    label: "public",
    source: "upload:public",
    path: "a.md",
    status: "reading",
    reason: null,
  };
  const domains = {
    scope: () => ({ domain: "d" }),
    reach: async () => ({ domain: "d", tenant: null, access: ["public"] }),
  };
  const room = { resume: async () => undefined, waiting: async () => (isRead ? [] : [file]) };
  const describe = async () => {
    const known = isRead ? [{ ...file, status: "ok", updatedAt: "2026-01-01T00:00:00.000Z", documents: [] }] : [];
    isRead = true;
    return known;
  };
  const { library } = createUploads({ store: { documents: { describe } } } as never, domains as never, room as never, undefined as never);
  expect((await library()).map(({ path, status }) => [path, status])).toEqual([["a.md", "reading"]]);
  expect((await library()).map(({ path, status }) => [path, status])).toEqual([["a.md", "ok"]]);
});

it("lists a file with a new label for an administrator while the list is made", async () => {
  let isRead = false;
  const file = { tenant: null, source: "upload:board", path: "a.md", status: "ok", reason: null, updatedAt: null, documents: [] };
  const domains = {
    scope: () => ({ domain: "d" }),
    reach: async () => ({ domain: "d", tenant: null, access: isRead ? ["board"] : [] }),
  };
  const waiting = async () => {
    isRead = true;
    return [];
  };
  const room = { resume: async () => undefined, waiting };
  const describe = async ({ access }: { readonly access: readonly string[] }) => (access.includes("board") ? [file] : []);
  const { library } = createUploads({ store: { documents: { describe } } } as never, domains as never, room as never, undefined as never);
  expect((await library({ everyLabel: true })).map(({ path }) => path)).toEqual(["a.md"]);
});
