import { describe, expect, it } from "vitest";
import { planUpload } from "./upload-field.tsx";

const limits = { files: 20, bytes: 33_500_000, file_bytes: 33_500_000 };
const files = (n: number, size = 10) => Array.from({ length: n }, (_, i) => ({ name: `f${i}.md`, size }));

describe("planUpload", () => {
  it("splits many files into requests of the allowed number, each file once and in order", () => {
    const chosen = files(45);
    const { batches, refusals } = planUpload(chosen, limits);
    expect(batches.map(({ length }) => length)).toEqual([20, 20, 5]);
    expect(batches.flat()).toEqual(chosen);
    expect(refusals).toEqual([]);
  });

  it("keeps each request below the limit of bytes", () => {
    const { batches } = planUpload(files(5, 15_000_000), limits);
    expect(batches.map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  it("reports an over-large file with the limit, and sends the others", () => {
    const large = { name: "atlas.pdf", size: 33_500_001 };
    const { batches, refusals } = planUpload([...files(2), large], limits);
    expect(batches).toEqual([files(2)]);
    expect(refusals).toEqual([
      "atlas.pdf is too large: it has 33.6 MB, and the limit is 33.5 MB. Split it, or ask your administrator to ingest it.",
    ]);
  });

  it("sends and reports none of several files with the same name", () => {
    const { batches, refusals } = planUpload([...files(2), ...files(1)], limits);
    expect(batches).toEqual([[{ name: "f1.md", size: 10 }]]);
    expect(refusals).toEqual([
      "2 of the files are named f0.md, so each would replace the one before, and none was uploaded. Give them different names.",
    ]);
  });

  it("sends everything at once without limits, and nothing for no files", () => {
    expect(planUpload(files(30), null).batches).toEqual([files(30)]);
    expect(planUpload([], null).batches).toEqual([]);
    expect(planUpload([], limits).batches).toEqual([]);
  });
});
