import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const LAB = import.meta.dirname;
const folders = readdirSync(LAB).filter((name) => statSync(join(LAB, name)).isDirectory());
const readme = (folder: string) => readFileSync(join(LAB, folder, "README.md"), "utf8");

describe("folders of the laboratory", () => {
  it("are all named by its README, and each but the recipes' has one of its own", () => {
    expect(folders.filter((name) => !readme("").includes(`\`${name}/\``))).toEqual([]);
    expect(folders.filter((name) => name !== "train" && !existsSync(join(LAB, name, "README.md")))).toEqual([]);
  });

  it.each(["runs", "sets", "made", "judges"])("%s: its README names every file", (folder) => {
    const files = readdirSync(join(LAB, folder)).filter((name) => /^(?!.*\.test\.).*\.ts$/.test(name));
    expect(files.filter((name) => !readme(folder).includes(`\`${name.slice(0, -3)}\``))).toEqual([]);
  });

  it.each(["", ...folders.filter((name) => name !== "train")])("%s/README.md leads to files that are there", (folder) => {
    const links = [...readme(folder).matchAll(/\]\(([^)#]+)\)/g)].map(([, to = ""]) => to);
    expect(links.filter((to) => !existsSync(join(LAB, folder, to)))).toEqual([]);
  });
});
