/** What a host's robots.txt says to one kind of reader (RFC 9309). */
export interface Robots {
  allows(url: URL): boolean;
  /** Seconds between two requests that it asks for; 0: none. Not of the RFC, but widely said. */
  readonly delayS: number;
  readonly sitemaps: readonly string[];
}

/** Bytes of robots.txt that must be read (RFC 9309, section 2.5). */
export const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_RULES = 5_000;

export const ALLOW_ALL: Robots = { allows: () => true, delayS: 0, sitemaps: [] };
/** Of a host whose robots.txt cannot be had now (RFC 9309, section 2.3.1.4). */
export const ALLOW_NONE: Robots = { allows: () => false, delayS: 0, sitemaps: [] };

interface Rule {
  readonly isAllowed: boolean;
  readonly path: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delayS: number;
}

/** Reads robots.txt for the reader `agent`: the groups that name it, else those for all; the longest rule decides, and of equals the one that allows. */
export function readRobots(text: string, agent: string): Robots {
  const { groups, sitemaps } = readGroups(text);
  const name = agent.toLowerCase();
  const named = groups.filter(({ agents }) => agents.some((one) => one !== "*" && name.startsWith(one)));
  const mine = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"));
  const rules = mine
    .flatMap((group) => group.rules)
    .sort((a, b) => b.path.length - a.path.length || Number(b.isAllowed) - Number(a.isAllowed));
  return {
    allows({ pathname, search }) {
      const path = encoded(`${pathname}${search}`);
      return pathname === "/robots.txt" || (rules.find((rule) => matches(rule.path, path))?.isAllowed ?? true);
    },
    delayS: Math.max(0, ...mine.map((group) => group.delayS)),
    sitemaps,
  };
}

function readGroups(text: string): { readonly groups: readonly Group[]; readonly sitemaps: readonly string[] } {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let wasAgent = false;
  let count = 0;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    const said = value.trim();
    const group = groups.at(-1);
    switch (key.toLowerCase()) {
      case "user-agent":
        if (!wasAgent || group === undefined) groups.push({ agents: [said.toLowerCase()], rules: [], delayS: 0 });
        else group.agents.push(said.toLowerCase());
        wasAgent = true;
        continue;
      case "allow":
      case "disallow":
        if (said !== "" && ++count <= MAX_RULES) group?.rules.push({ isAllowed: key.toLowerCase() === "allow", path: encoded(said) });
        break;
      case "crawl-delay":
        if (group !== undefined && Number(said) > 0) group.delayS = Number(said);
        break;
      case "sitemap":
        sitemaps.push(said);
        continue;
      default:
        continue;
    }
    wasAgent = false;
  }
  return { groups, sitemaps };
}

/** `*` is any run of characters, `$` at the end the end of the path. Linear in both: each part is looked for behind the one before. */
function matches(rule: string, path: string): boolean {
  const isAnchored = rule.endsWith("$");
  const parts = (isAnchored ? rule.slice(0, -1) : rule).split("*");
  let at = 0;
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    if (isAnchored && isLast && i > 0) return path.length - part.length >= at && path.endsWith(part);
    const found = i === 0 ? (path.startsWith(part) ? 0 : -1) : path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !isAnchored || at === path.length;
}

/** Paths are compared as they are escaped (RFC 9309, section 2.2.2). */
function encoded(path: string): string {
  return path
    .replaceAll(/[^\x21-\x7e]+/g, (found) => encodeURIComponent(found.toWellFormed()))
    .replaceAll(/%[0-9a-f]{2}/gi, (found) => found.toUpperCase());
}
