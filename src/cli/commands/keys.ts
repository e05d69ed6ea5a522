import { InvalidArgumentError } from "commander";
import type { Engine } from "../../engine/engine.ts";
import { RequestError } from "../../shared/errors.ts";
import { isLiveKey, type KeyRecord, ROLES } from "../../store/keys.ts";
import { keyToWire } from "../../wire/service.ts";
import { define, type FlagsOf, JSON_OUT, numberOf, toTime } from "../command.ts";
import { userName } from "../context.ts";
import { harmlessLine } from "../terminal.ts";

const toRate = numberOf(/^\d{1,9}$/, "a whole number, or 0 for unlimited");
const toAmount = numberOf(/^\d{1,7}(\.\d{1,4})?$/, "an amount such as 1.50, or 0 for unlimited");

const GRANT = [
  ["--role <role...>", "roles of the key: what it allows", { choices: ROLES, default: ["ask"] }],
  ["--domain <name...>", "domains that the key may use; a request that names none uses the first (default: the configured domain)"],
  ["--tenant <name...>", "tenants whose documents the key may read (default: only documents without a tenant)"],
  ["--all-tenants", "the key may read the documents of all tenants of its domains, and documents without a tenant"],
  ["--access <label...>", "access labels whose documents the key may read, `public` only if listed (default: the setting `access`)"],
] as const;

export const addKeysCommand = define("keys", {
  description: "manage API keys for programs and people",
  commands: [
    define("create", {
      description: "create a key; it is shown once, and only its hash is stored",
      argument: ["<name>", "name of the program or person that will use the key, such as `website`", toName],
      options: [
        ...GRANT,
        ["--expires <time>", "expiry: 90d, 2027-01-01, or a time (default: never)", { parse: toExpiry }],
        ["--requests-per-hour <number>", "maximum requests per hour, instead of the server's limit; 0: unlimited", { parse: toRate }],
        ["--tokens-per-day <number>", "maximum model tokens per day, instead of the server's limit; 0: unlimited", { parse: toRate }],
        ["--usd-per-day <amount>", "maximum model costs per day in US dollars, replaces the server's limit; 0: none", { parse: toAmount }],
        ["--by <name>", "your name, for the audit log"],
        JSON_OUT,
      ],
      help: `
Roles: ask (questions, ratings, sessions), ingest (add and refresh documents of its domains), review (answers in its scope),
metrics (/metrics only), admin (the whole installation, without restriction). Once a key exists, requests without one are refused, even from this
machine, unless \`server.without_keys\` says otherwise.

Examples:
  sourcebound keys create acme --domain retail --tenant acme --expires 90d --usd-per-day 1.50
  sourcebound keys create office --role ask review --access public staff
  KEY=$(sourcebound keys create script) && curl -s localhost:8787/v1/ask -H "authorization: Bearer $KEY" \\
    -H 'content-type: application/json' -d '{"question":"What is the rating for sleep apnea that requires a CPAP machine?"}'`,
      async use(engine, { flags, given: name, terminal }) {
        const { requestsPerHour = null, tokensPerDay, usdPerDay, expires: expiresAt = null, by = userName() } = flags;
        const made = { name, ...grantOf(flags, engine), requestsPerHour, tokensPerDay, usdPerDay, expiresAt };
        const { key, record } = await engine.store.keys.create(made, by);
        if (flags.json) return terminal.print(JSON.stringify({ key, ...toJson(record) }));
        terminal.print(key);
        terminal.error(`Key ${record.id} (${describe(record)}). It is shown only once: store it securely.`);
      },
    }),
    define("list", {
      description: "list all keys, newest first, including expired and revoked ones",
      options: [JSON_OUT],
      async use({ store }, { flags: { json }, terminal }) {
        const all = await store.keys.list();
        if (json) return terminal.print(JSON.stringify(all.map(toJson)));
        if (all.length === 0)
          terminal.error(
            "No API keys exist. By default, this machine needs none. To allow other machines, create one: `sourcebound keys create NAME`",
          );
        for (const key of all) terminal.print(`${key.id}  ${stateOf(key).padEnd(7)}  ${harmlessLine(key.name)}  (${describe(key)})`);
      },
    }),
    define("revoke", {
      description: "revoke a key; a running server refuses it from the next request",
      argument: ["<id>", "id of the key, from `keys list`"],
      options: [["--by <name>", "your name, for the audit log"], JSON_OUT],
      async use({ store }, { flags: { by = userName(), json }, given: id, terminal }) {
        if (!(await store.keys.revoke(id, by))) {
          const message = `There is no active key "${id}". \`sourcebound keys list\` shows the ids. Revoked keys cannot be used again.`;
          throw new RequestError("unknown_key", message, { id });
        }
        terminal.print(json ? JSON.stringify({ id, state: "revoked" }) : `Revoked ${id}.`);
      },
    }),
  ],
});

/**
 * Returns what a key may access, from the options.
 * @throws RequestError for unknown names, and if an admin key is restricted
 */
function grantOf({ role, domain, tenant, allTenants, access }: FlagsOf<typeof GRANT>, engine: Engine) {
  if (role.includes("admin")) {
    if (domain === undefined && tenant === undefined && access === undefined) {
      return { roles: role, domains: null, tenants: null, access: null };
    }
    throw new RequestError("config_key_bound", "An admin key covers the whole installation. Omit --domain, --tenant and --access.");
  }
  if (allTenants === true && tenant !== undefined)
    throw new RequestError("config_key_bound", "Use either --tenant or --all-tenants, not both.");
  const domains = domain ?? [engine.config.domain];
  for (const one of domains) for (const party of tenant ?? [undefined]) engine.scope({ domain: one, tenant: party });
  return { roles: role, domains, tenants: allTenants === true ? null : (tenant ?? []), access: access ?? null };
}

function stateOf(key: KeyRecord): "live" | "expired" | "revoked" {
  if (key.revokedAt !== null) return "revoked";
  return isLiveKey(key, new Date()) ? "live" : "expired";
}

function toJson(key: KeyRecord): Record<string, unknown> {
  return { ...keyToWire(key), state: stateOf(key) };
}

function describe({ roles, domains, tenants, access, expiresAt }: KeyRecord): string {
  const parts = [
    roles.join(" and "),
    domains === null ? "all domains" : `domain ${domains.join(", ")}`,
    tenants === null ? "all tenants" : tenants.length === 0 ? "no tenant" : `tenant ${tenants.join(", ")}`,
    ...(access === null ? [] : [`access ${access.join(", ")}`]),
    expiresAt === null ? "never expires" : `until ${expiresAt}`,
  ];
  return harmlessLine(parts.join("; "));
}

function toName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > 100) throw new InvalidArgumentError("use a name of 1 to 100 characters.");
  return name;
}

/** Parses the time at which a key expires: a number of days from now (`90d`), a date, or a date with time. */
function toExpiry(text: string): string {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  const at = days === undefined ? toTime(text) : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
  if (Date.parse(at) <= Date.now())
    throw new InvalidArgumentError("the expiry is in the past. Use a future time, or a number of days such as 90d.");
  return at;
}
