import { expect, it } from "vitest";
import { openLibrary } from "../../test/support/engine.ts";
import { sampleInteraction } from "../testing/store/fixtures.ts";

it("gives the clock of an engine to its store, too: what is written at once is bounded by it", async () => {
  let asked = 0;
  const clock = () => {
    asked++;
    return 0;
  };
  const library = await openLibrary({ documents: {}, clock });
  const { store } = library.engine;
  const before = asked;
  await store.interactions.add({ ...sampleInteraction, id: "i1" });
  await store.interactions.add({ ...sampleInteraction, id: "i2" });
  expect(asked - before).toBeGreaterThanOrEqual(2);
  await library.close();
});
