import { expect, it } from "vitest";
import { createUploads, type UploadParts } from "./uploads.ts";

it("a file whose reading ends while the list is made is in the list", async () => {
  let isRead = false;
  const file = { domain: "d", tenant: null, label: "public", source: "upload:public", path: "a.md", status: "reading", reason: null };
  const parts = {
    reach: async () => ({ domain: "d", tenant: null, access: ["public"] }),
    room: { waiting: async () => (isRead ? [] : [file]) },
    store: {
      documents: {
        describe: async () => {
          const known = isRead ? [{ ...file, status: "ok", updatedAt: "2026-01-01T00:00:00.000Z", documents: [] }] : [];
          isRead = true;
          return known;
        },
      },
    },
  } as unknown as UploadParts;
  const { library } = createUploads(parts);
  expect((await library()).map(({ path, status }) => [path, status])).toEqual([["a.md", "reading"]]);
  expect((await library()).map(({ path, status }) => [path, status])).toEqual([["a.md", "ok"]]);
});
