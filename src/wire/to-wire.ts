import { z } from "zod";
import { webUrl } from "../shared/types/document.ts";
import { memoised } from "../text/memo.ts";
import { httpUrl } from "../text/paths.ts";
import type { InProcess } from "../text/validate.ts";

type Convert = (value: unknown) => unknown;

/**
 * Converts data to its wire format: only fields of the schema, in snake_case. Keys of records and of loose objects are data,
 * so their spelling stays. Nothing is validated, because the types guarantee the form.
 */
export function toWire<Schema extends z.ZodType>(schema: Schema, value: InProcess<z.input<Schema>>): z.output<Schema> {
  return converterOf(schema)(value) as z.output<Schema>;
}

const converterOf = memoised(createConverter);

const asIs: Convert = (value) => value;

function createConverter(schema: z.core.$ZodType): Convert {
  if (schema === webUrl) return (value) => httpUrl(value as string | null);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const convert = converterOf(schema.unwrap());
    return convert === asIs ? asIs : (value) => (value === null || value === undefined ? value : convert(value));
  }
  if (schema instanceof z.ZodArray) {
    const item = converterOf(schema.element);
    return (value) => (value as readonly unknown[]).map((one) => item(one));
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return byDiscriminator(schema);
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? byField(schema) : asIs;
}

function byField(schema: z.ZodObject): Convert {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    return { name, own: name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), convert: converterOf(field) };
  });
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>;
    const converted: Record<string, unknown> = {};
    for (const { name, own, convert } of fields) if (given[own] !== undefined) converted[name] = convert(given[own]);
    return converted;
  };
}

function byDiscriminator(schema: z.ZodDiscriminatedUnion): Convert {
  const { discriminator } = schema.def;
  const options = new Map(
    schema.options.map((option) => {
      const literal = (option as z.ZodObject).shape[discriminator] as z.ZodLiteral;
      return [literal.value, converterOf(option)] as const;
    }),
  );
  return (value) => (options.get((value as Record<string, string>)[discriminator] ?? "") ?? asIs)(value);
}
