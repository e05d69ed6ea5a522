import { expect, it } from "vitest";
import { generateDocs } from "./generate.ts";

it("says of every key of the configuration and of a domain pack what it means", () => {
  const rows = (generateDocs()["docs/configuration.md"] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const keys = rows.filter((line) => line.split(" | ").length === 4);
  expect(keys.length).toBeGreaterThan(80);
  expect(keys.filter((line) => / \|\s+\|$/.test(line))).toEqual([]);
});
