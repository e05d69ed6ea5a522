import { describe, expect, it } from "vitest";
import { fakeReader } from "../testing/fake-reader.ts";
import type { Reader } from "./reader.ts";
import { openSharedReader } from "./shared-reader.ts";

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

describe("openSharedReader", () => {
  it("opens one reader for all, and closes it with the last who closes", async () => {
    const { seen, open } = watched();
    const [one, two] = [openSharedReader(open), openSharedReader(open)];
    expect(await two.read(["a"])).toHaveLength(1);
    await one.close();
    await one.close();
    expect(seen).toEqual({ opened: 1, closed: 0 });
    await two.close();
    expect(seen).toEqual({ opened: 1, closed: 1 });
  });

  it("opens another after the last was closed, and one that cannot be opened leaves nothing behind", async () => {
    const { seen, open } = watched();
    await openSharedReader(open).close();
    const broken = () => {
      throw new Error("no weights");
    };
    expect(() => openSharedReader(broken)).toThrow("no weights");
    const again = openSharedReader(open);
    expect(seen.opened).toBe(2);
    await again.close();
    expect(seen.closed).toBe(2);
  });
});
