import { z } from "zod";
import type { Block, Heading, PagePlace, ReadingNotice } from "../types.ts";
import { askRequestSchema } from "./ask.ts";

/** What the page asks for beside answers, as it travels. */

const { domain, tenant } = askRequestSchema.shape;

/** `GET /v1/whoami` */
export interface WireCaller {
  /** Id of the key; `null`: without one, or with the administration token. */
  readonly key_id: string | null;
  readonly roles: readonly string[];
}

/** A domain of `GET /v1/domains`. */
export interface WireDomain {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly documents: number;
  /** The one that is meant where a request names none. */
  readonly default: boolean;
  /** The profile that is meant where a request names none. */
  readonly profile: string;
  readonly tenants: readonly { readonly name: string; readonly title: string }[];
}

/** `GET /v1/domains` */
export interface WireDomains {
  readonly domains: readonly WireDomain[];
  readonly profiles: readonly { readonly name: string; readonly title: string }[];
}

/** `GET /v1/documents/ID` */
export interface WireDocument {
  readonly id: string;
  readonly version: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly url: string | null;
  readonly as_of: string | null;
  readonly path: string;
  readonly format: string | null;
  readonly sha256: string;
  /** Normalised; every offset counts its UTF-16 code units. */
  readonly text: string;
  /** `[start, end, type, level, header]` */
  readonly blocks: readonly (readonly [number, number, Block["type"], number, number])[];
  readonly outline: readonly Heading[];
  /** Where each page begins, page 1 first; `null`: the document has none. */
  readonly pages: readonly number[] | null;
  /** Where the words asked for as `start` and `end` stand on the pages of the original; absent without them or without pages. */
  readonly places?: readonly PagePlace[];
  readonly notices: readonly ReadingNotice[];
}

export const documentQuerySchema = z.strictObject({
  domain,
  tenant,
  start: z.coerce.number().int().min(0).optional(),
  end: z.coerce.number().int().min(1).optional(),
  version: z.string().min(1).max(100).optional().describe("One that it had before, where its text is kept; today's when absent."),
});
