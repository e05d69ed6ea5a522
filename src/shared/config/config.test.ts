import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../../test/support/folders.ts";
import { leavesOf } from "../../text/validate.ts";
import { configSchema, DEFAULT_FILE_BYTES, DEFAULT_QUESTION_CHARACTERS, ENVIRONMENT_VARIABLES, loadConfig } from "../config.ts";

const here = folderOfTest();
const write = (name: string, text: string) => writeFileSync(join(here.folder, name), text);
const load = (env: Record<string, string> = {}, overrides: Record<string, unknown> = {}) =>
  loadConfig({ cwd: here.folder, env, overrides });

describe("loadConfig", () => {
  it("needs no file and no variable", () => {
    expect(load()).toMatchObject({
      data_dir: join(here.folder, ".sourcebound"),
      question_characters: DEFAULT_QUESTION_CHARACTERS,
      access: ["public"],
      server: { host: "127.0.0.1", port: 8787 },
      cache: { enabled: true },
    });
    expect(load().model).toBeUndefined();
  });

  it("prefers the environment to the file, and overrides to both", () => {
    write("sourcebound.config.yaml", "server:\n  port: 1001\n  host: localhost\nprofile: spark\n");
    expect(load().server).toMatchObject({ host: "localhost", port: 1001 });
    expect(load({ SOURCEBOUND_PORT: "1002" }).server).toMatchObject({ host: "localhost", port: 1002 });
    expect(load({ SOURCEBOUND_PORT: "1002" }, { "server.port": 1003 }).server.port).toBe(1003);
    expect(load({}, { "server.port": undefined }).server.port).toBe(1001);
  });

  it("reads JSON like YAML, and the file that SOURCEBOUND_CONFIG names", () => {
    write("sourcebound.config.json", '{"domain":"a"}');
    write("other.yml", "domain: b");
    expect(load().domain).toBe("a");
    expect(load({ SOURCEBOUND_CONFIG: "other.yml" }).domain).toBe("b");
  });

  it("rejects two files", () => {
    write("sourcebound.config.json", "{}");
    write("sourcebound.config.yml", "domain: b");
    expect(() => load()).toThrow(expect.objectContaining({ code: "config_ambiguous", message: expect.stringContaining("Keep one") }));
  });

  it("converts values of the environment to the type of the setting", () => {
    const env = { SOURCEBOUND_ACCESS: "public, staff", SOURCEBOUND_CACHE: "off", SOURCEBOUND_QUESTION_CHARACTERS: "800" };
    expect(load(env)).toMatchObject({ access: ["public", "staff"], cache: { enabled: false }, question_characters: 800 });
    const jwt = { SOURCEBOUND_JWT_ISSUER: "https://issuer.example", SOURCEBOUND_JWT_AUDIENCE: "one, two" };
    expect(load(jwt).server.jwt?.audience).toEqual(["one", "two"]);
  });

  it("resolves relative folders from the working directory and keeps absolute ones", () => {
    expect(load({ SOURCEBOUND_DATA_DIR: "x/y", SOURCEBOUND_DOMAINS_DIR: "/z" })).toMatchObject({
      data_dir: join(here.folder, "x/y"),
      domains_dir: "/z",
    });
  });

  it.each([
    [{ SOURCEBOUND_PORT: "99999" }, "server.port"],
    [{ SOURCEBOUND_CACHE: "maybe" }, "cache.enabled"],
    [{ SOURCEBOUND_ACCESS: "public,," }, "access.1"],
    [{ SOURCEBOUND_QUESTION_CHARACTERS: "0" }, "question_characters"],
    [{ SOURCEBOUND_FILE_BYTES: String(DEFAULT_FILE_BYTES + 1) }, "file_bytes"],
    [{ SOURCEBOUND_MODEL_BASE_URL: "javascript:alert(1)", SOURCEBOUND_MODEL_SMALL: "m" }, "model.base_url"],
  ])("rejects %j, naming %s", (env, place) => {
    expect(() => load(env)).toThrow(expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(place) }));
  });

  it("names all errors at once", () => {
    write("sourcebound.config.yaml", "domian: x\ncache:\n  hours: -1\n  entires: 2\n");
    expect(() => load()).toThrow(/unknown key "domian"\. Did you mean "domain"\?/);
    expect(() => load()).toThrow(/unknown key "cache\.entires"\. Did you mean "entries"\?/);
    expect(() => load()).toThrow(/cache\.hours/);
  });

  it("accepts no keys of every object's prototype", () => {
    write("sourcebound.config.json", '{"__proto__": {"domain": "x"}, "constructor": 1}');
    expect(() => load()).toThrow(/unknown key/);
    expect(({} as Record<string, unknown>).domain).toBeUndefined();
  });

  it("never reveals the key of a model in a message", () => {
    const env = { SOURCEBOUND_MODEL_API_KEY: "sk-secret", SOURCEBOUND_MODEL_SMALL: "m" };
    expect(() => load(env)).toThrow(/model\.base_url/);
    expect(() => load(env)).not.toThrow(/sk-secret/);
  });

  it("has one variable for every setting that is a single value", () => {
    const paths = leavesOf(configSchema).map(({ path }) => path.join("."));
    expect(ENVIRONMENT_VARIABLES.size).toBe(new Set(paths).size);
    for (const name of ["DATABASE_URL", "SOURCEBOUND_PORT", "SOURCEBOUND_EMBEDDINGS_HUB", "SOURCEBOUND_SEARCH_AWS_REGION"])
      expect(ENVIRONMENT_VARIABLES.has(name), name).toBe(true);
  });

  it.each([...ENVIRONMENT_VARIABLES.keys()])("accepts a number in %s", (name) => {
    let reason = "";
    try {
      load({ [name]: "7000" });
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    expect(reason).not.toMatch(/expected number, received/);
  });
});

describe("web search", () => {
  it("is read from the file and from the environment", () => {
    write("sourcebound.config.yaml", "web_search: { type: searxng, url: 'http://localhost:8888' }\n");
    expect(load().web_search).toEqual({ type: "searxng", url: "http://localhost:8888", api_key: "", passages: 3, timeout_ms: 8000 });
    const env = { SOURCEBOUND_WEB_SEARCH: "brave", SOURCEBOUND_WEB_SEARCH_API_KEY: "k", SOURCEBOUND_WEB_SEARCH_TIMEOUT_MS: "500" };
    expect(load(env).web_search).toMatchObject({ type: "brave", api_key: "k", timeout_ms: 500 });
  });

  it("reports a model or encoder without its endpoint as missing, not as an invalid address", () => {
    expect(() => load({ SOURCEBOUND_MODEL_SMALL: "m" })).toThrow("model.base_url: missing: set an http(s) URL");
    expect(() => load({}, { model: { small: "m" } })).toThrow("model.base_url: missing");
    expect(() => load({ SOURCEBOUND_MODEL_SMALL: "m", SOURCEBOUND_MODEL_BASE_URL: "x" })).toThrow("model.base_url: must be an http(s) URL");
  });

  it.each([
    ["searxng without an address", { type: "searxng" }, /web_search\.url: missing: set the address of the SearXNG instance/],
    ["brave without a key", { type: "brave" }, /web_search\.api_key: missing: brave needs an API key/],
    [
      "an address with a password",
      { type: "searxng", url: "http://me:secret@localhost/" },
      /web_search\.url: must not contain a user name or password/,
    ],
    ["an invalid address", { type: "searxng", url: "file:///etc" }, /web_search\.url: must be an http\(s\) URL/],
    ["an unused key", { type: "tavily", api_key: "k", allow_private: true }, /allow_private/],
  ])("refuses %s", (_name, web_search, message) => {
    expect(() => load({}, { web_search })).toThrow(message);
  });
});
