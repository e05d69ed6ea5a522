/** What this browser keeps of how the page is used; nothing of it leaves it but the key, and that to its own server only. */
export interface Preferences {
  /** Empty: the server's own. */
  readonly domain: string;
  readonly tenant: string;
  readonly profile: string;
  readonly theme: "system" | "light" | "dark";
}

const PREFERENCES = "sourcebound.preferences";
const KEY = "sourcebound.key";

/** Storage may be switched off, full, or hold what another version wrote: then the defaults hold. */
function read(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}

function write(storage: () => Storage, name: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(name);
    else storage().setItem(name, value);
  } catch {
    // It holds until the page is closed.
  }
}

const local = () => window.localStorage;
const session = () => window.sessionStorage;

export function readPreferences(): Preferences {
  const { domain, tenant, profile, theme } = parseObject(read(local, PREFERENCES));
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    ...{ domain: text(domain), tenant: text(tenant), profile: text(profile) },
    theme: theme === "light" || theme === "dark" ? theme : "system",
  };
}

export function writePreferences(preferences: Preferences): void {
  write(local, PREFERENCES, JSON.stringify(preferences));
}

/** The key, for as long as the window is open or, where it was asked for, on this device. */
export function readKey(): string | null {
  return read(session, KEY) ?? read(local, KEY);
}

export function writeKey(key: string | null, keep: boolean): void {
  write(session, KEY, key);
  write(local, KEY, keep ? key : null);
}

const OPEN = "sourcebound.open";

/** The conversation that was open when the page was reloaded. */
export function readOpen(): string | null {
  return read(session, OPEN);
}

export function writeOpen(id: string | null): void {
  write(session, OPEN, id);
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
