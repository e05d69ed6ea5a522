import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { CrawlRequest } from "../src/engine/engine.ts";
import type { IngestEvent } from "../src/shared/events.ts";
import { type FakeHost, redirectTo, startFakeWeb, type WebHandler } from "../src/testing/fake-web.ts";
import { runCli, startCli } from "./support/cli.ts";
import { openInTest } from "./support/engine.ts";
import { createSandbox, type Sandbox, writeFiles } from "./support/library.ts";

let sandbox: Sandbox | null = null;
afterEach(() => {
  sandbox?.remove();
  sandbox = null;
});

const page = (title: string, body: string) => `<!doctype html><title>${title}</title><main><h1>${title}</h1>${body}</main>`;
const reply =
  (type: string, body: string | Uint8Array, status = 200): WebHandler =>
  (_request, response) =>
    response.writeHead(status, { "content-type": type }).end(body);

async function open(hosts: Record<string, FakeHost>) {
  const web = await startFakeWeb(hosts);
  onTestFinished(() => web.close());
  const { engine } = await openInTest({ documents: {}, network: web.network });
  const crawl = (url: string, options: CrawlRequest = {}) => Array.fromAsync(engine.ingestUrl(url, { domain: "library", ...options }));
  const known = async () =>
    (await engine.files({ domain: "library" })).flatMap(({ documents }) => documents.map(({ title }) => title)).sort();
  return { engine, web, crawl, known };
}

const leftOut = (events: readonly IngestEvent[]) =>
  events.flatMap((event) => (event.type === "page" && event.reason !== null ? [[event.url, event.reason] as const] : []));

const SITE = {
  "/robots.txt": reply("text/plain", "User-agent: *\nDisallow: /private/\n"),
  "/": page(
    "Start",
    `<a href="/cards">c</a><a href="/private/x">p</a><a href="https://other.example/">o</a><a rel="nofollow" href="/ad">a</a>`,
  ),
  "/cards": page("Cards", `<p>A library card costs 5 dollars.</p><a href="deep#x">d</a><a href="/missing">m</a><a href="mailto:x@y">w</a>`),
  "/deep": page("Deep", `<p>Atlases may be kept for 3 days.</p><a href="/deeper">d</a>`),
  "/deeper": page("Deeper", "<p>Too deep.</p>"),
};

describe("an address as a source", () => {
  it("follows links up to the depth limit, on its host, as robots.txt allows, and cites the address", async () => {
    const { engine, web, crawl, known } = await open({
      "site.example": { pages: SITE },
      "other.example": { pages: { "/": page("Other", "") } },
    });
    const events = await crawl("https://site.example/#top");
    expect(await known()).toEqual(["Cards", "Deep", "Start"]);
    expect(leftOut(events)).toEqual([
      ["https://site.example/private/x", expect.stringContaining("robots.txt")],
      ["https://site.example/missing", "HTTP 404"],
    ]);
    expect(web.requests.filter((one) => /private|other|\/ad|deeper/.test(one))).toEqual([]);
    const { citations } = await engine.answer("How much does a library card cost?", { domain: "library" });
    expect(citations[0]?.url).toBe("https://site.example/cards");
  });

  it("reads a sitemap, also compressed or nested, and nothing else", async () => {
    const urls = (...paths: string[]) =>
      `<urlset>${paths.map((path) => `<url><loc>https://site.example${path}</loc></url>`).join("")}</urlset>`;
    const { crawl, known } = await open({
      "site.example": {
        pages: {
          ...SITE,
          "/sitemap.xml": reply(
            "application/xml",
            `<?xml version="1.0"?><sitemapindex><sitemap><loc>https://site.example/one.xml.gz</loc></sitemap></sitemapindex>`,
          ),
          "/one.xml.gz": reply("application/gzip", gzipSync(`<?xml version="1.0"?>${urls("/cards", "/private/x")}`)),
        },
      },
    });
    await crawl("https://site.example/sitemap.xml");
    expect(await known()).toEqual(["Cards"]);
  });

  it("deletes missing pages and keeps those that fail temporarily", async () => {
    const pages: Record<string, string | WebHandler> = { ...SITE };
    const { crawl, known } = await open({ "site.example": { pages } });
    await crawl("https://site.example/");
    pages["/deep"] = reply("text/html", "broken", 503);
    await crawl("https://site.example/");
    expect(await known()).toEqual(["Cards", "Deep", "Start"]);
    delete pages["/deep"];
    await crawl("https://site.example/");
    expect(await known()).toEqual(["Cards", "Start"]);
    pages["/"] = reply("text/html", "broken", 503);
    await expect(crawl("https://site.example/")).rejects.toMatchObject({ code: "web_status" });
    expect(await known()).toEqual(["Cards", "Start"]);
  });

  it("requests no private address, and no other scheme, port or host, also after redirects", async () => {
    const { web, crawl } = await open({
      "inside.example": { addresses: [["10.0.0.8"]], pages: { "/": page("Secret", "") } },
      "rebinds.example": {
        addresses: [["93.184.216.34"], ["127.0.0.1"]],
        pages: { "/robots.txt": reply("text/plain", ""), "/": page("Secret", "") },
      },
      "site.example": { pages: { "/": redirectTo("http://169.254.169.254/latest"), "/b": redirectTo("https://inside.example/") } },
    });
    const bad = [
      "https://inside.example/",
      "https://rebinds.example/",
      "https://site.example/",
      "https://site.example/b",
      "http://127.0.0.1/",
      "ftp://site.example/",
    ];
    for (const url of [...bad, "https://site.example:8443/", "https://user@site.example/", "nonsense"])
      await expect(crawl(url), url).rejects.toMatchObject({ code: expect.stringMatching(/^(?:web_refused|unknown_url)$/) });
    expect(web.requests.filter((one) => /inside|latest/.test(one))).toEqual([]);
  });

  it("reads nothing when robots.txt fails, limits the number of pages, and keeps file names inside its folder", async () => {
    const many = Array.from({ length: 30 }, (_, i) => `<a href="/p${i}">x</a>`).join("");
    const { engine, crawl, known } = await open({
      "down.example": { pages: { "/robots.txt": reply("text/plain", "no", 500), "/": page("Down", "") } },
      "many.example": {
        pages: { "/": page("Many", many), ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/p${i}`, page(`P${i}`, "")])) },
      },
      "path.example": { pages: { "/..%2f..%2f..%2fetc%2fpasswd": page("Path", "<p>Words of a page.</p>") } },
    });
    await expect(crawl("https://down.example/")).rejects.toMatchObject({
      message: expect.stringMatching(/robots\.txt of down\.example cannot be read: .*500/),
    });
    const events = await crawl("https://many.example/", { maxPages: 5 });
    expect(leftOut(events).length).toBe(26);
    expect((await known()).length).toBe(5);
    await crawl("https://path.example/..%2f..%2f..%2fetc%2fpasswd");
    const paths = (await engine.files({ domain: "library" })).map(({ path }) => path);
    expect(paths.filter((path) => path.includes("..") || path.startsWith("/"))).toEqual([]);
    expect(await known()).toContain("Path");
  });
});

describe("files by name and standard input", () => {
  const cli = (args: readonly string[], stdin: readonly Buffer[] = []) => {
    sandbox ??= createSandbox({
      "a.md": "# A\n\nA library card costs 5 dollars.\n",
      "b/c.md": "# C\n\nFilms may be kept for 7 days.\n",
      "d.md": "# D\n\nLeft alone.\n",
    });
    return runCli(args, { cwd: sandbox.folder, env: sandbox.env, stdin });
  };
  const titles = async () =>
    JSON.parse((await cli(["documents", "list", "--json"])).stdout)
      .flatMap((file: { documents: { title: string }[] }) => file.documents.map(({ title }) => title))
      .sort();

  it("ingests named files, and later others beside them", async () => {
    expect(await cli(["ingest", "documents/a.md"])).toMatchObject({ code: 0 });
    expect(await cli(["ingest", "documents/b/c.md", "documents/a.md", "--json"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"added":1'),
    });
    expect(await titles()).toEqual(["A", "C"]);
    expect(await cli(["ingest", "documents/none.md"])).toMatchObject({ code: 1, stderr: expect.stringContaining("does not exist") });
    expect(await cli(["ingest", "/etc/hostname"])).toMatchObject({ code: 1, stderr: expect.stringContaining("--root") });
  });

  it("reads nothing if a named source is missing or has an unsupported format", async () => {
    const missing = await cli(["ingest", "documents", "nodir"]);
    expect(missing).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/nodir does not exist\. Nothing was changed/) });
    expect(await cli(["ingest", "documents", "--files-from", "-"], [Buffer.from("documents/none.md\n")])).toMatchObject({
      code: 1,
      stdout: "",
    });
    expect(await cli(["ingest", "documents", "-", "--name", "x.exe"], [Buffer.from("hi")])).toMatchObject({
      ...{ code: 1, stdout: "", stderr: expect.stringMatching(/unsupported_format .*the format "\.exe" is not supported: use one of/) },
    });
    expect(await titles()).toEqual([]);
  });

  it("fails for a named file of an unsupported format, and reads the others", async () => {
    expect(await titles()).toEqual([]);
    writeFileSync(join(sandbox?.folder ?? "", "documents/photo.png"), "no text");
    expect(await cli(["ingest", "documents/a.md", "documents/photo.png"])).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/^1 added.*, 1 failed;/),
      stderr: expect.stringMatching(/failed documents\/photo\.png: the format "\.png"/),
    });
    expect(await cli(["ingest", "documents"])).toMatchObject({ code: 0, stderr: expect.stringMatching(/skipped photo\.png/) });
  });

  it("stores a file once when it is ingested by name and with its folder, in either order", async () => {
    expect(await cli(["ingest", "documents/a.md"])).toMatchObject({ code: 0 });
    const later = await cli(["ingest", "documents"]);
    expect(later).toMatchObject({ code: 0, stderr: expect.stringContaining("already ingested from files:") });
    expect(await titles()).toEqual(["A", "C", "D"]);
    expect(await cli(["ingest", "documents/b/c.md"])).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(["A", "C", "D"]);
  });

  it("reads named files again at a refresh, returns their original, and deletes missing ones", async () => {
    const { engine } = await openInTest({ documents: {} });
    sandbox ??= createSandbox({ "a.md": "# A\n\nOld.\n", "b.md": "# B\n\nOld.\n" });
    const root = join(sandbox.folder, "documents");
    await Array.fromAsync(engine.ingestFiles([join(root, "a.md"), join(root, "b.md")], { root, domain: "library" }));
    const [file] = await engine.files({ domain: "library" });
    const original = await engine.original(file?.documents[0]?.id ?? "", { domain: "library" });
    expect(Buffer.from(original.bytes).toString()).toBe("# A\n\nOld.\n");
    writeFileSync(join(root, "a.md"), "# New\n\nNew.\n");
    rmSync(join(root, "b.md"));
    expect(await engine.refresh("library")).toMatchObject({ status: "ok", documents: 1 });
    expect((await engine.files({ domain: "library" })).flatMap(({ documents }) => documents.map(({ title }) => title))).toEqual(["New"]);
  });

  it("stores a document from standard input under its name, and others beside it", async () => {
    expect(await cli(["ingest", "-", "--name", "x/../one.md"], [Buffer.from("# One\n\nFirst.\n")])).toMatchObject({ code: 0 });
    expect(await cli(["ingest", "-", "--name", "two.csv"], [Buffer.from("item,price\ncard,5\n")])).toMatchObject({ code: 0 });
    expect(await cli(["ingest", "-", "--name", "one.md"], [Buffer.from("# Uno\n\nFirst.\n")])).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(["Uno", "two"]);
    expect(await cli(["ingest", "-", "--name", ".."], [Buffer.from("x")])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not a file name"),
    });
  });

  it("updates a folder, and deletes documents by name", async () => {
    await cli(["documents", "list"]);
    const { folder } = sandbox as Sandbox;
    const before = readFileSync(join(folder, "documents", "a.md"), "utf8");
    expect(before).toContain("5 dollars");
    writeFiles(folder, { "documents/new/e.md": "# E\n\nNew.\n" });
    rmSync(join(folder, "documents", "d.md"));
    expect(await cli(["ingest", "documents"])).toMatchObject({ code: 0 });
    expect(await titles()).toEqual(["A", "C", "E"]);
    expect(await cli(["documents", "delete", "e.md"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Would delete: new/e.md"),
    });
    expect(await cli(["documents", "delete", "e.md", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Deleted: new/e.md"),
    });
    expect(await titles()).toEqual(["A", "C"]);
    expect(await cli(["documents", "delete", "zzz.md", "--yes"])).toMatchObject({ code: 2 });
  });

  it("watches a folder until it is stopped", async () => {
    sandbox = createSandbox({ "a.md": "# A\n\nFirst.\n" });
    const { folder, env } = sandbox;
    const running = startCli(["ingest", "documents", "--watch"], { cwd: folder, env });
    await running.shows(/watching documents/);
    writeFiles(folder, { "documents/new/b.md": "# B\n\nSecond.\n" });
    await running.shows(/1 added, 0 changed, 1 unchanged/);
    writeFileSync(join(folder, "documents", "a.md"), "# A\n\nFirst and more.\n");
    await running.shows(/0 added, 1 changed, 1 unchanged/);
    running.child.kill("SIGINT");
    const { code, signal, stderr } = await running.finished;
    expect([code, signal]).toEqual([0, null]);
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
    expect(await titles()).toEqual(["A", "B"]);
  });
});

describe("submitted bytes", () => {
  it("keep one of several simultaneous documents of one name", async () => {
    const { engine, known } = await open({});
    const bytes = (text: string) => new TextEncoder().encode(`# ${text}\n\nA card costs 5 dollars.\n`);
    const send = (text: string) => Array.fromAsync(engine.ingestBytes({ name: "card.md", bytes: bytes(text) }, { domain: "library" }));
    await Promise.all(["First", "Second", "Third"].map(send));
    expect(await known()).toEqual([expect.stringMatching(/^(?:First|Second|Third)$/)]);
  });
});
