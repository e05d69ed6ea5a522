import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Finished, isCivil, runCli } from "./support/cli.ts";
import { libraryForAll } from "./support/engine.ts";
import { CARD, UNANSWERABLE } from "./support/library.ts";

const library = libraryForAll();
let id: string;
beforeAll(async () => {
  id = (await library.ask(CARD, { sessionId: "s" })).id;
  await library.ask(UNANSWERABLE);
});

async function cli(...args: string[]): Promise<Finished> {
  const finished = await runCli(args, { cwd: library.sandbox.folder, env: library.sandbox.env });
  expect(isCivil(finished), `${args.join(" ")}\n${finished.stdout}\n${finished.stderr}`).toBe(true);
  return finished;
}

const json = async (...args: string[]) => JSON.parse((await cli(...args)).stdout) as Record<string, unknown>;

describe("review on the command line", () => {
  it("lists, shows, approves, flags and corrects answers, and prints the log", async () => {
    const listed = await cli("review", "list");
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/penguins[\s\S]*asked once; reported, refused/);
    expect((JSON.parse((await cli("review", "list", "--json", "--limit", "1")).stdout) as unknown[]).length).toBe(1);
    expect((await cli("review", "show", id)).stdout).toMatch(/Review: unreviewed[\s\S]*5 dollars/);
    expect(await cli("review", "approve", id, "--by", "Ann Lee")).toMatchObject({ code: 0, stdout: `Approved the answer ${id}.\n` });
    expect((await cli("review", "show", id)).stdout).toContain("Review: approved by Ann Lee");
    expect((await cli("review", "flag", id, "--by", "Ben")).code).toBe(0);
    const file = join(library.sandbox.folder, "better.txt");
    writeFileSync(file, "Children under 12 pay nothing [1].\n\n[1]: cards.md\n");
    const corrected = await cli("review", "correct", id, "--answer", file, "--by", "Ann");
    expect([corrected.code, corrected.stdout]).toEqual([0, expect.stringContaining("Children under 12 pay nothing. [1]")]);
    expect(corrected.stderr).toContain(`From now on it is served when "${CARD}" is asked without filters`);
    const served = await cli("ask", CARD);
    expect(served.stdout).toMatch(
      /Children under 12 pay nothing[\s\S]*reviewer's answer to "How much[\s\S]*checked again just now[\s\S]*written by reviewer/,
    );
    const history = await cli("review", "history", "--id", id);
    expect(history.stdout).toMatch(/Ann: correct[\s\S]*Ben: flag[\s\S]*Ann Lee: approve[\s\S]*Intact: 3 rows, head [0-9a-f]{64}/);
    expect((await cli("review", "flag", id, "--by", "Ann")).stderr).toContain("correction is still served");
  });

  it.each([
    [["review", "show", "nobody"], 2, "unknown_interaction"],
    [["review", "approve", "ID", "--by", " "], 2, "review_actor"],
    [["review", "correct", "ID", "--answer", "/nonexistent"], 2, "answer_unreadable"],
    [["review", "list", "--limit", "0"], 2, "whole number"],
    [["review", "list", "--domain", "nowhere"], 2, "unknown_domain"],
    [["forget"], 2, "forget_nothing"],
    [["sessions", "burn"], 2, "unknown command"],
  ])("%j ends with %i and the reason", async (args, code, told) => {
    const finished = await cli(...args.map((one) => (one === "ID" ? id : one)));
    expect(finished.code).toBe(code);
    expect(finished.stderr).toContain(told);
  });
});

describe("stats, sessions and forget on the command line", () => {
  it("counts without any word of a question, and forgets only with --yes", async () => {
    const stats = await cli("stats");
    expect(stats.stdout).toMatch(/^ephemeral: 0$/m);
    expect(stats.stdout).not.toContain("penguins");
    expect(await json("stats", "--json")).toMatchObject({ refusals: { nothing_relevant: 1 } });
    const dry = await cli("forget", "--question", UNANSWERABLE.toUpperCase());
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining("Would delete: 1 interactions")]);
    expect(dry.stderr).toContain("--yes");
    expect(await json("forget", "--question", UNANSWERABLE, "--yes", "--json")).toMatchObject({ interactions: 1, scrubbed: true });
    expect(await json("forget", "--question", UNANSWERABLE, "--json")).toMatchObject({ interactions: 0, scrubbed: null });
    expect((await cli("sessions", "purge")).stdout).toMatch(/^Deleted: .*0 sessions.*0 interactions/);
    expect(await json("forget", "--all", "--yes", "--json")).toMatchObject({ scrubbed: true });
    expect((await cli("stats")).stdout).toBe("No questions were asked.\n");
    expect((await cli("review", "list")).stdout).toBe("No answer waits for review.\n");
    expect((await cli("review", "history")).stdout).toMatch(/forget all[\s\S]*forget question[\s\S]*Intact/);
  });
});

describe("a question with filters", () => {
  it("shows its filters in the queue, and for its correction", async () => {
    const question = "What do children pay?";
    const asked = JSON.parse((await cli("ask", "--json", "--document", "fines.txt", question)).stdout) as { id: string };
    const within = /within "[^"\n]+"/.exec((await cli("review", "list")).stdout)?.[0];
    expect(within).toBeDefined();
    expect((await cli("review", "show", asked.id)).stdout).toContain(`${within?.replace("within", "Search restricted to:")}`);
    const file = join(library.sandbox.folder, "outside.txt");
    writeFileSync(file, "Children under 12 pay nothing [1].\n[1]: cards.md\n");
    expect((await cli("review", "correct", asked.id, "--answer", file)).stderr).toMatch(/answer_unbound[\s\S]*is outside/);
    const { id: other } = JSON.parse((await cli("ask", "--json", "--document", "cards.md", question)).stdout) as { id: string };
    expect((await cli("review", "correct", other, "--answer", file)).stderr).toMatch(/is asked within "[^"]+"; otherwise/);
  });
});
