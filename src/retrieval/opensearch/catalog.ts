import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ConfigError } from "../../shared/errors.ts";
import type { OpenSearchConnection } from "./connection.ts";
import { indexDefinition, isVectorField, MAPPING_VERSION } from "./mapping.ts";

export interface CatalogOptions {
  readonly connection: OpenSearchConnection;
  readonly prefix: string;
  readonly domain: string;
  /** Id of the store whose documents are indexed. */
  readonly store: string;
  readonly shards: number;
  /** Returns a unique suffix for a new index. */
  readonly createId: () => string;
}

/** An index of the domain in OpenSearch. */
export interface Place {
  readonly index: string;
  readonly version: number;
  /** Number of dimensions of each vector field. */
  readonly vectors: Readonly<Record<string, number>>;
}

const ANY = z.unknown();
const mappingsSchema = z.record(
  z.string(),
  z.object({
    mappings: z.object({
      _meta: z.object({ version: z.number(), store: z.string() }).optional(),
      properties: z.record(z.string(), z.looseObject({ dimension: z.number().optional() })).default({}),
    }),
  }),
);
const stateSchema = z.object({ _source: z.object({ revision: z.number() }) });
const taskSchema = z.object({
  completed: z.boolean(),
  error: z.unknown().optional(),
  response: z.object({ failures: z.array(z.unknown()) }).optional(),
});

const TASK_POLL_MS = 250;

/**
 * The indexes of a domain. Searches use an alias, which points to one of them. A new index is filled under its own name
 * and then takes over the alias, so that a change of mapping or encoder interrupts no search.
 */
export class IndexCatalog {
  readonly alias: string;
  private readonly options: CatalogOptions;
  private readonly states: string;

  constructor(options: CatalogOptions) {
    this.options = options;
    // Because of the dot, the alias cannot equal the name of the index of revisions. Domain names contain no dot, so
    // the pattern `${alias}.*` matches only indexes of this domain.
    this.alias = `${options.prefix}.${options.domain}`;
    this.states = `${options.prefix}_states`;
  }

  /**
   * Returns the index behind the alias; `null` if there is none.
   * @throws ConfigError `search_foreign` when the index belongs to another installation
   */
  async current(): Promise<Place | null> {
    const { connection, store } = this.options;
    const found = await connection.find({ method: "GET", path: `/${this.alias}/_mapping`, schema: mappingsSchema });
    const [index, { mappings } = { mappings: undefined }] = Object.entries(found ?? {})[0] ?? [];
    if (index === undefined || mappings === undefined) return null;
    const { _meta: meta, properties } = mappings;
    if (meta?.store !== store) {
      const message = `${this.alias} in OpenSearch holds the documents of another installation. Set \`search.prefix\` to another prefix, or delete that index.`;
      throw new ConfigError("search_foreign", message, { index });
    }
    const fields = Object.entries(properties).filter(([name]) => isVectorField(name));
    return { index, version: meta.version, vectors: Object.fromEntries(fields.map(([name, { dimension = 0 }]) => [name, dimension])) };
  }

  /** Creates an index. It gets the alias immediately if the domain has no other index. Deletes unfinished indexes of earlier attempts. */
  async create(vectors: Readonly<Record<string, number>> = {}): Promise<Place> {
    const { connection, store, shards, createId } = this.options;
    const serving = (await this.current())?.index;
    if ((await connection.find({ method: "HEAD", path: `/${this.states}`, schema: ANY })) === null) {
      const settings = { index: { auto_expand_replicas: "0-1" } };
      await connection.find({ method: "PUT", path: `/${this.states}`, body: { settings, mappings: { dynamic: false } }, schema: ANY });
    }
    const all = await connection.find({ method: "GET", path: `/${this.alias}.*/_mapping`, schema: z.record(z.string(), z.unknown()) });
    for (const index of Object.keys(all ?? {})) if (index !== serving) await this.drop(index);
    const index = `${this.alias}.${createId().toLowerCase()}`;
    const body = indexDefinition({ version: MAPPING_VERSION, store }, shards, vectors);
    await connection.call({ method: "PUT", path: `/${index}`, body, schema: ANY });
    if (serving === undefined) await this.serve(index);
    return { index, version: MAPPING_VERSION, vectors };
  }

  /** Moves the alias to an index and deletes the index that had it before. */
  async serve(index: string): Promise<void> {
    const before = (await this.current())?.index;
    if (before === index) return;
    const { alias } = this;
    const remove = before === undefined ? [] : [{ remove: { index: before, alias } }];
    const actions = [{ add: { index, alias } }, ...remove];
    await this.options.connection.call({ method: "POST", path: "/_aliases", body: { actions }, schema: ANY });
    if (before !== undefined) await this.drop(before);
  }

  /** Returns the revision of the domain up to which an index is filled; −1 if it was never completely filled. */
  async revision(index: string): Promise<number> {
    const path = `/${this.states}/_doc/${index}`;
    return (await this.options.connection.find({ method: "GET", path, schema: stateSchema }))?._source.revision ?? -1;
  }

  async setRevision(index: string, revision: number): Promise<void> {
    const path = `/${this.states}/_doc/${index}`;
    await this.options.connection.call({ method: "PUT", path, body: { revision }, schema: ANY });
  }

  async addVectors(index: string, field: string, mapping: object): Promise<void> {
    const body = { properties: { [field]: mapping } };
    await this.options.connection.call({ method: "PUT", path: `/${index}/_mapping`, body, schema: ANY });
  }

  /** Copies an index without some vector fields. The copy then takes over the alias. */
  async copyWithout(place: Place, fields: readonly string[]): Promise<Place> {
    const { connection } = this.options;
    const kept = Object.fromEntries(Object.entries(place.vectors).filter(([name]) => !fields.includes(name)));
    const made = await this.create(kept);
    const body = { source: { index: place.index, _source: { excludes: fields } }, dest: { index: made.index } };
    const query = { wait_for_completion: false };
    const started = await connection.call({ method: "POST", path: "/_reindex", query, body, schema: z.object({ task: z.string() }) });
    const poll = () => connection.call({ method: "GET", path: `/_tasks/${started.task}`, schema: taskSchema });
    let task = await poll();
    for (; !task.completed; task = await poll()) await sleep(TASK_POLL_MS);
    if (task.error !== undefined || (task.response?.failures.length ?? 0) > 0)
      throw new Error(`OpenSearch could not copy ${place.index}: ${JSON.stringify(task).slice(0, 500)}`);
    await connection.call({ method: "POST", path: `/${made.index}/_refresh`, schema: ANY });
    await this.setRevision(made.index, await this.revision(place.index));
    await this.serve(made.index);
    return made;
  }

  private async drop(index: string): Promise<void> {
    const { connection } = this.options;
    await connection.find({ method: "DELETE", path: `/${index}`, schema: ANY });
    await connection.find({ method: "DELETE", path: `/${this.states}/_doc/${index}`, schema: ANY });
  }
}
