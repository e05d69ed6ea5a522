import { expect, it } from "vitest";
import { timeOrderedId } from "./time-ordered-id.ts";

it("is a UUID of version 7 whose order is that of time, and no two of one moment are the same", () => {
  const times = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => timeOrderedId(new Date(time)));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
  // The example of RFC 9562, appendix A.6.
  expect(timeOrderedId(new Date(0x017f22e279b0))).toMatch(/^017f22e2-79b0-7/);
  const at = new Date(1_700_000_000_000);
  expect(new Set(Array.from({ length: 10_000 }, () => timeOrderedId(at))).size).toBe(10_000);
});
