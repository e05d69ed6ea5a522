// @module-tag all/browser
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/server/serve.ts";
import { createMetrics } from "../../src/server/serving.ts";
import type { Role } from "../../src/store/keys.ts";
import { type Library, openInTest } from "../support/engine.ts";
import { createKey } from "../support/keyed-app.ts";
import { CARD } from "../support/library.ts";
import { enterKey, hasChromium, objections, openApp, openOptions, type SharedPage, usePage } from "./harness.ts";

const TOKEN = "secret-token";

let shared: SharedPage;
let library: Library;
let server: RunningServer;
let page: Page;
let complaints: string[];

describe.skipIf(!hasChromium)("views for reviewers and administrators", () => {
  shared = usePage();
  beforeEach(async () => {
    library = await openInTest();
    const { engine } = library;
    ({ server, page, complaints } = await openApp(shared, {
      ...{ engine, metrics: createMetrics(), adminToken: TOKEN, keys: engine.store.keys },
    }));
  });

  it("are hidden and closed without a key of the required role", async () => {
    await page.getByLabel("Your question").waitFor();
    expect(await page.getByRole("navigation", { name: "Rooms" }).count()).toBe(0);
    for (const room of ["review", "monitor"]) {
      await page.goto(`${server.url}/#/${room}`);
      await page.getByRole("alert").getByText("Sign in with a key that has the required role.").waitFor();
    }
    expect(await objections(page, "closed")).toEqual([]);
  });

  it("open the first view that the key allows, and offer no other", async () => {
    const of = async (...roles: Role[]) => {
      const key = await createKey(library, { roles });
      await page.goto(`${server.url}/#/`);
      await openOptions(page);
      const out = page.getByRole("button", { name: "Sign out" });
      if (await out.isVisible()) await out.click();
      const closed = async () => {
        await page.keyboard.press("Escape");
        return page.getByRole("dialog").isHidden();
      };
      await expect.poll(closed).toBe(true);
      await signIn(key);
    };
    const rooms = () => page.getByRole("navigation", { name: "Rooms" }).getByRole("link").allTextContents();
    await of("ingest");
    await expect.poll(rooms).toEqual(["Library"]);
    await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
    await page.getByText("it also needs the role “ask”").waitFor();
    expect(await page.getByLabel("Your question").isVisible()).toBe(false);
    expect(await page.getByRole("alert").filter({ visible: true, hasText: /./ }).count()).toBe(0);
    expect(await objections(page, "a key that takes files in")).toEqual([]);
    await of("review");
    await expect.poll(rooms).toEqual(["Review", "Graph"]);
    await page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
    await of("ask", "review");
    await expect.poll(rooms).toEqual(["Ask", "Review", "Graph"]);
    await page.getByLabel("Your question").waitFor();
    // The browser logs each refused request after signing out.
    complaints.length = 0;
  });

  it("flag and correct an answer, and show it in the audit log", async () => {
    const { id } = await library.ask(CARD);
    await signIn();
    await page.getByRole("link", { name: "Review" }).click();
    await page.getByRole("link", { name: CARD }).click();
    await page.getByRole("heading", { name: CARD }).waitFor();
    const approve = page.getByRole("button", { name: "Approve" });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByLabel("Your name, for the audit log").fill("Ann");
    await page.getByRole("button", { name: "Flag as wrong" }).click();
    await page.getByText("Flagged. The answer will not be served again.").waitFor();
    await page.getByRole("button", { name: "Write a correction" }).click();
    const text = page.getByLabel("Corrected answer");
    expect(await page.getByRole("button", { name: "Save the correction" }).isDisabled()).toBe(true);
    await text.fill("A library card costs 9 dollars per year [1].");
    await page.getByRole("button", { name: "Save the correction" }).click();
    await page.getByRole("alert").waitFor();
    await text.fill("A library card costs 5 dollars per year [1].");
    expect(await objections(page, "review")).toEqual([]);
    await page.getByRole("button", { name: "Save the correction" }).click();
    await page.getByText("Corrected. From now on, whoever asks this question without filters gets the correction.").waitFor();
    await page.getByRole("tab", { name: "Audit log" }).click();
    await page.getByText(/^The log is intact: all \d+ entries match their predecessors\.$/).waitFor();
    const { history, curated } = await library.engine.memory.review.show(id);
    expect(history.map(({ action }) => action)).toContain("flag");
    expect(curated?.by).toBe("Ann");
    expect((await library.ask(CARD)).cacheMode).toBe("curated");
  });

  it("upload files, explain why one cannot be read, open and delete them", async () => {
    await signIn();
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByRole("listitem").filter({ hasText: "cards.md" }).waitFor();
    const input = page.getByRole("main", { name: "Library" }).getByLabel("Drop files here, or choose them");
    await input.setInputFiles([
      { name: "pets.md", mimeType: "text/markdown", buffer: Buffer.from("# Pets\n\nA dog may wait in the hall for 20 minutes.\n") },
      { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("no pdf at all") },
    ]);
    await page.getByText("2 files uploaded.").waitFor();
    const pets = page.getByRole("listitem").filter({ hasText: "pets.md" });
    await pets.getByText("ready", { exact: true }).waitFor();
    const broken = page.getByRole("listitem").filter({ hasText: "broken.pdf" });
    await broken.getByText("could not be read").waitFor();
    expect((await broken.locator(".doubt").textContent())?.length).toBeGreaterThan(20);
    expect(await objections(page, "library")).toEqual([]);
    await pets.getByRole("link", { name: "Pets" }).click();
    await page.getByRole("region", { name: "Text of Pets" }).getByText("A dog may wait in the hall for 20 minutes.").waitFor();
    await page.getByRole("link", { name: "Library" }).click();
    await page.getByLabel("Title or path contains").fill("PETS");
    await page.getByText("1 file", { exact: true }).waitFor();
    await pets.getByText("Summary and versions").click();
    await pets.getByText("There is one version").waitFor();
    await pets.getByRole("checkbox").check();
    expect(await objections(page, "library, ticked")).toEqual([]);
    await page.getByRole("button", { name: "Ask only these" }).click();
    await page.getByLabel("Your question").fill("How long may a dog wait?");
    await page.keyboard.press("Enter");
    await page.getByText('only "Pets"', { exact: true }).waitFor();
    await page.getByRole("button", { name: "Ask all documents" }).click();
    await page.getByRole("link", { name: "Library" }).click();
    await pets.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Delete 1 file" }).click();
    await page.getByRole("button", { name: "Delete them and everything that depends on them" }).click();
    await page.getByText("pets.md was deleted.").waitFor();
    await expect.poll(() => pets.count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

async function signIn(key = TOKEN): Promise<void> {
  await enterKey(page, key);
  await page.getByRole("navigation", { name: "Rooms" }).waitFor();
}
