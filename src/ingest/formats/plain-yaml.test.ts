import { array, assert, constantFrom, oneof, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { composeYaml } from "../../text/compose-yaml.ts";
import { readPlainYaml } from "./plain-yaml.ts";

function mostly(usual: readonly string[], rare: readonly string[]) {
  return oneof({ arbitrary: constantFrom(...usual), weight: 9 }, { arbitrary: constantFrom(...rare), weight: 1 });
}

describe("plain front matter", () => {
  it("reads keys, lists and records", () => {
    expect(readPlainYaml("title: Cold storage, a guide \ndraft: false\norder: 12\nowner:\naliases:\n  - /cold\n  - 'Frost'\n")).toEqual({
      ...{ title: "Cold storage, a guide", draft: false, order: 12, owner: null, aliases: ["/cold", "Frost"] },
    });
    expect(readPlainYaml("links:\n- name: One\n  url: https://one.example/#top\n- name: Two\n")).toEqual({
      links: [{ name: "One", url: "https://one.example/#top" }, { name: "Two" }],
    });
  });

  it("gives the values of the full parser, or leaves the text to it", () => {
    // Mostly plain parts, so that many texts are plain as a whole.
    const starts = mostly(["", "", "  ", "- ", "  - ", "   "], ["-   ", "    ", "- - ", "\t"]);
    const keys = mostly(["a: ", "b:", "b: ", "c-d: ", ""], ["c : ", "null: ", "__proto__: ", "true:", "<<: ", "1: ", "? ", "'k': "]);
    const rare = ["1.50", "1e3", ".inf", "0x1f", "False", "~", "null", "a: b", "a #b", '"\\n"', "'it''s'", "|", ">-", "[1, 2]", "{x: 1}"];
    const scalars = mostly(
      ["x", "x y", "12", "true", "2026-01-02", "a:b", "'q'", '"q"', "x  ", ""],
      [...rare, "012", "&a x", "*a", "!t x", "a:", "#c", "a#b", "x\u00a0"],
    );
    const lines = array(tuple(starts, keys, scalars), { minLength: 1, maxLength: 5 });
    let plain = 0;
    assert(
      property(lines, constantFrom("\n", "\r\n"), (parts, end) => {
        const yaml = parts.map((part) => `${part.join("")}${end}`).join("");
        const values = readPlainYaml(yaml);
        if (values === null) return;
        plain++;
        const [document] = composeYaml(yaml, { schema: "core", uniqueKeys: false, logLevel: "silent" }).documents;
        expect(document?.errors).toEqual([]);
        expect(values).toEqual(document?.toJS());
      }),
      { numRuns: 20_000, seed: 7 },
    );
    expect(plain).toBeGreaterThan(500);
  });
});
