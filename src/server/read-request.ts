import type { Context } from "hono";
import type { z } from "zod";
import { RequestError } from "../errors.ts";
import { readQuery, readRequest } from "./read-ask-request.ts";

/** Longest name or id in a path, in characters. */
const PART_CHARACTERS = 100;

/** The JSON body of a request. @throws RequestError with the place and the reason of the first fault */
export async function bodyOf<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return readRequest(new Uint8Array(await context.req.arrayBuffer()), schema);
}

/** The parameters behind `?`. @throws RequestError with the place and the reason of the first fault */
export function queryOf<T>(context: Context, schema: z.ZodType<T>): T {
  return readQuery(context.req.query(), schema);
}

/** A part of the path by its name. @throws RequestError `invalid_request` where it is too long */
export function partOf(context: Context, name: string): string {
  const part = context.req.param(name) ?? "";
  if (part.length <= PART_CHARACTERS) return part;
  throw new RequestError("invalid_request", `An id has at most ${PART_CHARACTERS} characters; this one has ${part.length}.`);
}
