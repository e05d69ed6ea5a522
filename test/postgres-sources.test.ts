// @module-tag all/postgres
import { describe, expect, it, onTestFinished } from "vitest";
import { startFakeWeb } from "../src/testing/fake-web.ts";
import type { Library } from "./support/engine.ts";
import { whyNoPostgres } from "./support/postgres.ts";
import { useReplicas } from "./support/replicas.ts";

const page = (title: string, body: string) => `<!doctype html><title>${title}</title><main><h1>${title}</h1>${body}</main>`;

describe.skipIf(whyNoPostgres !== null)("pages of the web and standard input with PostgreSQL", () => {
  const { open } = useReplicas();

  async function replicas(pages: Record<string, string> = {}): Promise<[Library, Library]> {
    const web = await startFakeWeb({ "site.example": { pages } });
    onTestFinished(() => web.close());
    return (await open(2, {}, { documents: {}, network: web.network })) as [Library, Library];
  }

  const titles = async ({ engine }: Library) =>
    (await engine.files({ domain: "library" })).flatMap(({ documents }) => documents.map(({ title }) => title)).sort();
  const put = ({ engine }: Library, name: string, text: string) =>
    Array.fromAsync(engine.ingestBytes({ name, bytes: new TextEncoder().encode(text) }, { domain: "library" }));

  it("keep documents that any process received, also simultaneous ones", async () => {
    const [first, second] = await replicas();
    await put(first, "cards.md", "# Cards\n\nA library card costs 5 dollars per year.\n");
    await put(second, "loans.md", "# Loans\n\nBooks may be kept for 21 days.\n");
    expect(await titles(first)).toEqual(["Cards", "Loans"]);
    await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        put(n % 2 === 0 ? first : second, `n${n}.md`, `# Note ${n}\n\nNote ${n} is kept for ${n + 2} years.\n`),
      ),
    );
    expect(await titles(second)).toEqual(["Cards", "Loans", ...Array.from({ length: 6 }, (_, n) => `Note ${n}`)]);
    await put(second, "cards.md", "# Cards\n\nA library card costs 7 dollars per year.\n");
    const { sentences } = await first.ask("How much does a library card cost?");
    expect(sentences.map(({ text }) => text).join(" ")).toContain("7 dollars");
  });

  it("fetch a site in one process and update it in another, which deletes missing pages", async () => {
    const pages: Record<string, string> = {
      "/": page("Start", '<a href="/cards">c</a><a href="/old">o</a>'),
      "/cards": page("Cards", "<p>A library card costs 5 dollars.</p>"),
      "/old": page("Old", "<p>Atlases may be kept for 3 days.</p>"),
    };
    const [first, second] = await replicas(pages);
    const crawl = ({ engine }: Library) => Array.fromAsync(engine.ingestUrl("https://site.example/", { domain: "library" }));
    await crawl(first);
    expect(await titles(second)).toEqual(["Cards", "Old", "Start"]);
    const { citations } = await second.ask("How much does a library card cost?");
    expect(citations[0]?.url).toBe("https://site.example/cards");
    pages["/"] = page("Start", '<a href="/cards">c</a>');
    await crawl(second);
    expect(await titles(first)).toEqual(["Cards", "Start"]);
  });
});
