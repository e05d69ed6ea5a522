import type { Engine } from "../../engine/engine.ts";
import { RequestError } from "../../errors.ts";
import { keyToWire, newKeyRequestSchema } from "../../wire/service.ts";
import { callerOf, scopeDenied, seesEverything } from "../access/caller.ts";
import { actorOf } from "../access/scoped-review.ts";
import { ENDPOINTS } from "../endpoints.ts";
import type { Handlers } from "../mount.ts";
import { paginate } from "../page.ts";
import { bodyOf, partOf, queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type KeyEngine = Pick<Engine, "store" | "scope" | "config">;

/** Keys, by whoever runs the whole installation. */
export function keyHandlers({ store: { keys }, scope, config }: KeyEngine): Handlers {
  return {
    keys: async (context) => {
      const { items, next_cursor } = paginate(await keys.list(), queryOf(context, ENDPOINTS.keys.query));
      return context.json({ items: items.map(keyToWire), next_cursor });
    },
    newKey: async (context) => {
      const caller = callerOf(context);
      if (!seesEverything(caller)) throw scopeDenied();
      const { by, ...asked } = await bodyOf(context, newKeyRequestSchema);
      const isAdmin = asked.roles.includes("admin");
      const domains = isAdmin ? null : asked.domains === undefined ? [config.domain] : asked.domains;
      const tenants = isAdmin ? null : asked.tenants;
      for (const domain of domains ?? []) for (const tenant of [undefined, ...(tenants ?? [])]) scope({ domain, tenant });
      const grant = { roles: asked.roles, domains, tenants, access: isAdmin ? null : asked.access };
      const limits = {
        requestsPerHour: asked.requests_per_hour,
        tokensPerDay: asked.tokens_per_day,
        usdPerDay: asked.usd_per_day,
      };
      const made = { ...grant, ...limits, name: asked.name, expiresAt: asked.expires_at };
      const { key, record } = await keys.create(made, actorOf(caller, by));
      return context.json({ ...keyToWire(record), key }, 201);
    },
    revokeKey: async (context) => {
      const { by } = queryOf(context, ENDPOINTS.revokeKey.query);
      if (await keys.revoke(partOf(context, "id"), actorOf(callerOf(context), by))) return context.body(null, 204);
      throw new RequestError("unknown_key", "There is no live key of this id: GET /v1/admin/keys lists them.");
    },
  };
}
