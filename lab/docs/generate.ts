import { z } from "zod";
import { domainSchema } from "../../src/engine/domain.ts";
import { profiles } from "../../src/profiles/index.ts";
import { FOREIGN_LANGUAGE } from "../../src/profiles/profile.ts";
import { FAILED_ATTEMPTS_S, MAX_FAILED_ATTEMPTS } from "../../src/server/access/admission.ts";
import { ENDPOINTS, type Endpoint } from "../../src/server/endpoints.ts";
import { STATUS_OF_CODE } from "../../src/server/error-response.ts";
import { DEFAULT_REQUESTS_PER_HOUR } from "../../src/shared/config/server.ts";
import { configSchema, ENVIRONMENT_VARIABLES } from "../../src/shared/config.ts";
import { ROLES, type Role } from "../../src/store/keys.ts";
import {
  askRequestSchema,
  askResponseSchema,
  errorResponseSchema,
  refreshRequestSchema,
  refreshResponseSchema,
} from "../../src/wire/index.ts";
import { correctionSchema, feedbackRequestSchema, forgetRequestSchema } from "../../src/wire/memory.ts";
import { capacityDocs } from "./capacity.ts";
import { profilesMeasured } from "./measured-profiles.ts";
import { measurementDocs } from "./measurements.ts";
import { FOREIGN_TEST, RULE_TESTS } from "./rule-tests.ts";

/** Documents that are made from the code, by path: they cannot disagree with it. `./run test` compares them. */
export function generateDocs(): Readonly<Record<string, string>> {
  return {
    "docs/api.md": apiDocs(),
    "docs/configuration.md": configurationDocs(),
    "docs/profiles.md": profileDocs(),
    "docs/capacity.md": capacityDocs(MADE),
    "docs/measurements.md": measurementDocs(MADE),
  };
}

const MADE = "<!-- Made from the code by `npm run docs`; do not edit. -->\n";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

const ROUTES: readonly Endpoint[] = Object.values(ENDPOINTS);

const ROUTE_DOCS = [
  "## Routes",
  "`GET /openapi.json` describes all of them, with every body. `anyone` needs no key; other routes want `authorization: Bearer KEY` with the role that is named (`admin` opens everything), or the administration token of `server.admin_token` (`SOURCEBOUND_ADMIN_TOKEN`), without which `ingest`, `review` and `admin` are off for those who have no key. A key that is bound finds only what its scope covers.",
  `| route | role | what |\n| --- | --- | --- |\n${ROUTES.map(({ method, path, opens, what }) => `| \`${method} ${path}\` | ${opens} | ${cell(what)} |`).join("\n")}`,
  `Lists that come in pages (${routesWith(({ query }) => query instanceof z.ZodObject && "cursor" in query.shape)}) take \`limit\` and \`cursor\` and give \`next_cursor\`; every other list comes whole. \`Idempotency-Key\` (${routesWith(({ idempotent }) => idempotent === true)}): the same request sent twice is done once; the second gets the first's response with \`Idempotent-Replayed: true\`, within an hour, from another process of the installation and after a restart too; streams of events, failures and answers that leave no trace are done again. \`ETag\` (${routesWith(({ etag }) => etag === true)}): what has not changed is \`304\` to \`If-None-Match\`. \`X-Request-Id\` comes with every response; one that a request brings is kept.`,
].join("\n\n");

const ERROR_DOCS = [
  "## Error",
  "`application/problem+json` (RFC 9457). `error` says the same to programs; `error.code` never changes its meaning. Statuses of the codes whose class does not decide it; every other code of a request is 400:",
  `| status | codes |\n| --- | --- |\n${codesByStatus()}`,
  table(z.toJSONSchema(errorResponseSchema) as JsonSchema),
].join("\n\n");

function routesWith(has: (endpoint: Endpoint) => boolean): string {
  return ROUTES.filter(has)
    .map(({ method, path }) => `\`${method} ${path}\``)
    .join(", ");
}

function codesByStatus(): string {
  const byStatus = Map.groupBy(Object.entries(STATUS_OF_CODE), ([, status]) => status);
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `| ${status} | ${codes.map(([code]) => `\`${code}\``).join(", ")} |`)
    .join("\n");
}

const ROLE_DOCS: Readonly<Record<Role, string>> = {
  ask: "questions, searches, checks, verdicts, sessions, documents as a list",
  ingest: "documents of its domains, tenants and labels: upload, delete, refresh",
  review: "review and reports, of answers in its domains, tenants and labels",
  metrics: "the figures of `/metrics`, and nothing else",
  admin:
    "everything, as the administration token does; it cannot be bound. Files and documents of every label are listed, read and deleted, questions answered from the configured labels",
};

const ACCESS_DOCS = [
  "## Access",
  `Without a key only this machine is served, and only until the first key is made (\`server.without_keys\` says otherwise in words); any other address is refused at the start. \`sourcebound keys create NAME\` makes a key, shows it once and keeps its keyed hash; it is sent as \`authorization: Bearer KEY\`. \`keys list\` and \`keys revoke ID\` work beside a running server, from the next request on. The key decides domains, tenants and access labels: \`domain\`, \`tenant\` and the \`access\` of an upload can only choose among them (a key without labels has those of \`access\` in the configuration), and anything else is \`403 scope_denied\`, whether it exists or not; no error names a domain or a tenant. A session belongs to the key and the user with which it began; those of the administration token are those of this machine without a key; without either, from elsewhere, its id is one that the server made. Whoever may ask without a key is answered whatever other token a client sends along. Tokens of an OpenID Connect issuer open as keys do, by \`server.jwt\`; budgets, the queue, time limits, TLS, figures and traces: [\`operating.md\`](operating.md).`,
  `| role | opens |\n| --- | --- |\n${ROLES.map((role) => `| \`${role}\` | ${ROLE_DOCS[role]} |`).join("\n")}`,
  `A key, and an address without one, may send ${DEFAULT_REQUESTS_PER_HOUR} requests an hour (\`server.requests_per_hour\`, or \`keys create --requests-per-hour\`); then \`429 too_many_requests\` with \`Retry-After\`. This machine without a key, the administration token, the page, \`/healthz\` and \`/readyz\` are not limited. After ${MAX_FAILED_ATTEMPTS} wrong keys or administration tokens within ${FAILED_ATTEMPTS_S / 60} minutes an address gets \`429 too_many_attempts\`; a right key goes on to open, and a request without any is none of them. Counts are of this process and begin anew when it starts. An emergency gets its hotline in every refusal.`,
].join("\n\n");

function apiDocs(): string {
  return [
    `${MADE}# HTTP API`,
    "`POST /v1/ask` with `content-type: application/json`. With `accept: text/event-stream` the answer comes as Server-Sent Events: `stage`, `notice`, `warning`, `sentence`, `answer` (always last), `error`. A `sentence` is final once sent; the final `answer` equals the sentences in order. `GET /healthz` says what is loaded, `GET /readyz` is 200 when there are documents to answer from and 503 before; `GET /v1/schema` gives these tables as JSON Schema. Offsets count UTF-16 code units.",
    ACCESS_DOCS,
    `## Request\n\n${table(z.toJSONSchema(askRequestSchema, { io: "input" }) as JsonSchema)}`,
    `## Response\n\n${table(z.toJSONSchema(askResponseSchema) as JsonSchema)}`,
    "## Refresh\n\n`POST /v1/admin/refresh`, or `/refresh-cache`, with `authorization: Bearer TOKEN` (`SOURCEBOUND_ADMIN_TOKEN`, or a key of the role `ingest`; without either the address is off). Reads every source of a domain again as it was ingested last, builds the index anew beside the one that serves, and drops what rested on documents that have changed. Whoever asks while one is running gets the result of that one.",
    table(z.toJSONSchema(refreshRequestSchema, { io: "input" }) as JsonSchema),
    table(z.toJSONSchema(refreshResponseSchema) as JsonSchema),
    ROUTE_DOCS,
    `### POST /v1/feedback\n\n${table(z.toJSONSchema(feedbackRequestSchema, { io: "input" }) as JsonSchema)}`,
    `### POST /v1/review/{id}/correct\n\n${table(z.toJSONSchema(correctionSchema, { io: "input" }) as JsonSchema)}`,
    `### DELETE /v1/admin/memory\n\n${table(z.toJSONSchema(forgetRequestSchema, { io: "input" }) as JsonSchema)}`,
    ERROR_DOCS,
    "",
  ].join("\n\n");
}

function configurationDocs(): string {
  const variables = Object.entries(ENVIRONMENT_VARIABLES).map(([name, path]) => `| \`${name}\` | \`${path.join(".")}\` |`);
  return [
    `${MADE}# Configuration`,
    "`sourcebound.config.yaml` (or `.json`) in the working directory, or the file that `SOURCEBOUND_CONFIG` names; then environment variables; then command-line options. Later ones win. Unknown keys are errors.",
    `## Keys\n\n${table(z.toJSONSchema(configSchema, { io: "input" }) as JsonSchema)}`,
    `## Environment\n\n| variable | key |\n| --- | --- |\n${variables.join("\n")}`,
    `## Domain pack\n\n\`domains/NAME/domain.yaml\`:\n\n${table(z.toJSONSchema(domainSchema, { io: "input" }) as JsonSchema)}`,
    "",
  ].join("\n\n");
}

function profileDocs(): string {
  const sections = profiles.map((profile) => {
    const rules = profile.rules.map(({ rule, state, why }) => {
      const shown = rule === FOREIGN_LANGUAGE.rule ? FOREIGN_TEST : RULE_TESTS[profile.name]?.[rule];
      const test = shown === undefined ? "" : `\`${shown.file}\`: ${cell(shown.title)}`;
      return `| ${cell(rule)} | ${state} | ${cell(why)} | ${test} |`;
    });
    const missing = profile.rules.filter(({ state }) => state === "not built").map(({ rule }) => `- ${rule}`);
    return [
      `## ${profile.name}`,
      `${profile.title}.${profile.needs.length === 0 ? "" : ` Cannot run without: ${profile.needs.join(", ")}.`}`,
      `| rule of the source | state | why | shown by |\n| --- | --- | --- | --- |\n${rules.join("\n")}`,
      missing.length === 0 ? "Everything is built." : `Not built:\n\n${missing.join("\n")}`,
      `\`\`\`json\n${JSON.stringify({ retrieve: profile.retrieve, gate: profile.gate, write: profile.write, check: profile.check, caches: profile.caches, match: profile.match, lowConfidence: profile.lowConfidence }, null, 2)}\n\`\`\``,
    ].join("\n\n");
  });
  return [`${MADE}# Profiles`, ...sections, profilesMeasured(), ""].join("\n\n");
}

function table(schema: JsonSchema): string {
  return ["| key | type | default | meaning |", "| --- | --- | --- | --- |", ...rows(schema, "")].join("\n");
}

function rows(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const required = (schema.required ?? []).includes(key) && property.default === undefined;
    const inner = insideOf(property);
    const shown = property.default === undefined || inner.length > 0 ? (required ? "" : "–") : `\`${JSON.stringify(property.default)}\``;
    const row = `| \`${name}\` | ${cell(typeOf(property))} | ${shown} | ${cell(property.description ?? "")} |`;
    return [row, ...inner.flatMap(({ schema: part, suffix }) => rows(part, `${name}${suffix}`))];
  });
}

/** The object inside an array, a map or a nullable value; of a union every one. */
function insideOf(schema: JsonSchema): { schema: JsonSchema; suffix: string }[] {
  if (schema.properties !== undefined) return [{ schema, suffix: "" }];
  const options = schema.anyOf?.filter((one) => one.properties !== undefined) ?? [];
  if (options.length > 0) return options.map((option) => ({ schema: option, suffix: "" }));
  if (schema.items?.properties !== undefined) return [{ schema: schema.items, suffix: "[]" }];
  const values = schema.additionalProperties;
  return typeof values === "object" && values.properties !== undefined ? [{ schema: values, suffix: ".NAME" }] : [];
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(", ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}`;
  return typeof schema.type === "string" ? schema.type : (schema.type ?? ["anything"]).join(" or ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
