import { z } from "zod";
import { VERSION } from "../package.ts";
import { errorResponseSchema } from "../wire/index.ts";
import type { Endpoint } from "./endpoint.ts";
import { JSON_LINES_TYPES } from "./read-request.ts";

type Json = Readonly<Record<string, unknown>>;

/** Describes the endpoints in OpenAPI 3.1, from the schemas that parse their requests. */
export function describeApi(endpoints: Readonly<Record<string, Endpoint>>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sourcebound",
      version: VERSION,
      description: "Answers questions from documents. Every sentence links to the exact source text; otherwise the question is refused.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ key: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "A key of `sourcebound keys create`, or a token of the issuer in `server.jwt`.",
        },
      },
      schemas: { Problem: schemaOf(errorResponseSchema, "output") },
    },
  };
}

function operation(name: string, { method, path, what, opens, query, body, gives, idempotent }: Endpoint): Json {
  return {
    operationId: name,
    summary: what,
    tags: [path.split("/")[2] ?? path.slice(1)],
    "x-role": opens,
    ...(opens === "anyone" ? { security: [] } : {}),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => ({ name: part, in: "path", required: true, schema: { type: "string" } })),
      ...queryParameters(query),
      ...(idempotent === true
        ? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string", maxLength: 200 } }]
        : []),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      [gives.status]: response(what, gives),
      ...(method === "GET" && "etag" in gives ? { 304: { description: "Not modified." } } : {}),
      default: {
        description: "Failed; `code` names the reason.",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(query, "input") as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema }));
}

function requestBody(body: NonNullable<Endpoint["body"]>): Json {
  if (body === "files") {
    const files = {
      type: "object",
      required: ["file"],
      properties: { file: { type: "array", items: { type: "string", format: "binary" } } },
    };
    return { required: true, content: { "multipart/form-data": { schema: files } } };
  }
  return {
    required: body.optional !== true,
    content: { [body.lines === true ? JSON_LINES_TYPES[0] : "application/json"]: { schema: schemaOf(body.schema, "input") } },
  };
}

function response(description: string, { schema, events, lines }: Endpoint["gives"]): Json {
  if (schema === null) return { description };
  const content = { [lines === true ? JSON_LINES_TYPES[0] : "application/json"]: { schema: schemaOf(schema, "output") } };
  return { description, content: events === true ? { ...content, "text/event-stream": { schema: { type: "string" } } } : content };
}

/** Returns JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
