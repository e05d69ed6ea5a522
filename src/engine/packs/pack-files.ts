import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { ConfigError, messageOf } from "../../shared/errors.ts";
import { didYouMean } from "../../text/spelling.ts";
import { describeIssues } from "../../text/validate.ts";

/** Parses a YAML file of a domain pack. @throws ConfigError `domain_invalid` with every fault */
export function readPackFile<T>(path: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = parseYaml(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ConfigError("domain_invalid", `${path} could not be read: ${messageOf(cause)}`, { path }, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = describeIssues(parsed.error, schema);
  throw new ConfigError("domain_invalid", `${path} is not valid: ${faults.join("; ")}`, { path, faults });
}

/** `term-catalog.yaml`: the meaning of each canonical term and the tenants' names for it. */
const catalogueSchema = z.record(
  z.string().min(1),
  z.strictObject({ meaning: z.string().default(""), terms: z.record(z.string(), z.string().min(1)) }),
);

/** Returns canonical term → tenant's term, by tenant. @throws ConfigError `domain_invalid`, also for an unknown tenant */
export function termsOf(path: string, tenants: readonly string[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const [canonical, { terms }] of Object.entries(readPackFile(path, catalogueSchema))) {
    for (const [tenant, term] of Object.entries(terms)) {
      if (!tenants.includes(tenant)) {
        const message = `${path} gives ${canonical} a term for "${tenant}", which is not a tenant of the pack.${didYouMean(tenant, tenants)}`;
        throw new ConfigError("domain_invalid", message, { path, faults: [message] });
      }
      found[tenant] = { ...found[tenant], [canonical]: term };
    }
  }
  return found;
}
