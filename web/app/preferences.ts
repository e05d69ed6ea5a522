/** Settings stored in this browser. They are never sent, except the key, which goes only to its own server. */
export interface Preferences {
  /** Empty: the server's default. */
  readonly domain: string;
  readonly tenant: string;
  readonly profile: string;
  /** What a configured model does. */
  readonly write: "" | "answer" | "quotes";
  readonly theme: "system" | "light" | "dark";
}

const PREFERENCES = "sourcebound.preferences";
const KEY = "sourcebound.key";

/** Returns a stored value. Storage may be disabled or hold a value of another version; then the defaults apply. */
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
    // Ignore a failure to store: the value applies until the page is closed.
  }
}

const local = () => window.localStorage;
const session = () => window.sessionStorage;

export function readPreferences(): Preferences {
  const { domain, tenant, profile, write, theme } = parseObject(read(local, PREFERENCES));
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    ...{ domain: text(domain), tenant: text(tenant), profile: text(profile) },
    write: write === "answer" || write === "quotes" ? write : "",
    theme: theme === "light" || theme === "dark" ? theme : "system",
  };
}

export function writePreferences(preferences: Preferences): void {
  write(local, PREFERENCES, JSON.stringify(preferences));
}

/** Returns the key, from the session or, if the user asked to keep it, from this device. */
export function readKey(): string | null {
  return read(session, KEY) ?? read(local, KEY);
}

export function writeKey(key: string | null, keep: boolean): void {
  write(session, KEY, key);
  write(local, KEY, keep ? key : null);
}

const OPEN = "sourcebound.open";

/** Returns the id of the conversation that was open before the page was reloaded. */
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
