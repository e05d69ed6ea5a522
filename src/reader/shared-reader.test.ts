import { describe, expect, it } from "vitest";
import { fakeReader } from "../testing/fake-reader.ts";
import type { Reader } from "./reader.ts";
import { createSharing } from "./shared-reader.ts";

/** A reader that says when it is closed. */
function watched() {
  const seen = { opened: 0, closed: 0 };
  const open = (): Reader => {
    seen.opened++;
    return {
      ...fakeReader(),
      close: async () => {
        seen.closed++;
      },
    };
  };
  return { seen, open };
}

describe("a shared reader", () => {
  it("opens one reader for all, and closes it with the last who closes", async () => {
    const { seen, open } = watched();
    const openShared = createSharing();
    const [one, two] = [openShared(open), openShared(open)];
    expect(await two.read(["a"])).toHaveLength(1);
    await one.close();
    await one.close();
    expect(seen).toEqual({ opened: 1, closed: 0 });
    await two.close();
    expect(seen).toEqual({ opened: 1, closed: 1 });
  });

  it("opens another after the last was closed, and one that cannot be opened leaves nothing behind", async () => {
    const { seen, open } = watched();
    const openShared = createSharing();
    await openShared(open).close();
    const broken = () => {
      throw new Error("no weights");
    };
    expect(() => openShared(broken)).toThrow("no weights");
    const again = openShared(open);
    expect(seen.opened).toBe(2);
    await again.close();
    expect(seen.closed).toBe(2);
  });
});
