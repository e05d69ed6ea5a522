import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { assertNode, nodeTooOld } from "./node-version.ts";

test.each([
  ["18.19.0", false],
  ["20.20.2", false],
  ["22.12.9", false],
  ["22.13.0", true],
  ["23.0.0", true],
  ["100.1.0", true],
])("Node %s is new enough: %s", (version, isEnough) => {
  expect(nodeTooOld(version) === null).toBe(isEnough);
});

test("states the required version, as package.json does, and the current one", () => {
  const least = /\d+\.\d+/.exec(packageJson.engines.node)?.[0];
  expect(nodeTooOld("20.20.2")).toContain(`requires Node ${least} or newer, but this is Node 20.20.2`);
  expect(() => assertNode("20.20.2")).toThrow(expect.objectContaining({ code: "node_too_old" }));
  expect(() => assertNode("22.13.0")).not.toThrow();
});
