import { z } from "zod";
import { didYouMean } from "./spelling.ts";

/**
 * Returns one message per error that zod found: the path and the reason. For an unknown key, the message suggests the
 * most similar known key.
 * @param schema the schema that rejected the value
 */
export function describeIssues(error: z.ZodError, schema: z.ZodType): string[] {
  return error.issues.map((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      const known = keysAt(schema, issue.path);
      return issue.keys.map((key) => `unknown key "${path === "" ? key : `${path}.${key}`}".${didYouMean(key, known)}`).join(" ");
    }
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  });
}

/** Returns the keys that `schema` accepts at `path`; empty if `schema` has no object there. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const here = path.reduce<z.ZodType | null>((at, key) => (at === null ? null : childOf(unwrap(at), key)), schema);
  const object = here === null ? null : unwrap(here);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function childOf(schema: z.ZodType, key: PropertyKey): z.ZodType | null {
  if (schema instanceof z.ZodObject) return (schema.shape as Record<string, z.ZodType>)[String(key)] ?? null;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return null;
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.def.innerType as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.def.innerType as z.ZodType);
  return schema;
}

/** A schema inside an object schema, with its path, that is not itself an object schema. */
export interface Leaf {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
}

/** Returns all leaves of an object schema, recursively. Leaves out records, whose keys are arbitrary. */
export function leavesOf(schema: z.ZodType, path: readonly string[] = []): Leaf[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodRecord) return [];
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, one]) => leavesOf(one, [...path, key]));
  const options = inner instanceof z.ZodUnion ? (inner.options as readonly z.ZodType[]) : [];
  return [{ path, schema: inner }, ...options.flatMap((one) => (one instanceof z.ZodObject ? leavesOf(one, path) : []))];
}

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** The in-process form of wire data: camelCase keys, read-only. */
export type InProcess<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? { readonly [Key in keyof T]: InProcess<T[Key]> }
    : T extends object
      ? { readonly [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: InProcess<T[Key]> }
      : T;

/**
 * Converts all keys to snake case (`createdAt` → `created_at`), recursively. Do not use it for objects with arbitrary
 * keys.
 */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toSnakeCase(inner)]),
  );
}

/**
 * Adds a default and a description to the schema of a setting. The documentation is generated from both, so it always
 * agrees with the code.
 */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  fallback: z.core.util.NoUndefined<z.output<Schema>>,
  description: string,
) {
  return schema.default(fallback).describe(description);
}

export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(description);
}

/** Returns the schema of a group of settings that all have a default or are optional. */
export function group<Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) {
  const object = z.strictObject(shape);
  return object.prefault({} as z.core.util.NoUndefined<z.input<typeof object>>).describe(description);
}
