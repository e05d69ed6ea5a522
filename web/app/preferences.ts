/** Settings stored in this browser. Except for the theme, they are sent to the server with requests. */
export interface Preferences {
  /** Name of the domain; empty: the server's default. */
  readonly domain: string;
  readonly tenant: string;
  readonly profile: string;
  /** What a configured model does: write answers, or select quotes; empty: the server's default. */
  readonly write: "" | "answer" | "quotes";
  readonly theme: "system" | "light" | "dark";
}

const PREFERENCES = "sourcebound.preferences";
const KEY = "sourcebound.key";

/** Returns a stored value; `null` if there is none or the browser does not allow storage. */
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
    // If storing fails, the value is lost when the page is closed.
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

/** Shows the page in the given theme. */
export function applyTheme(theme: Preferences["theme"]): void {
  document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
}

/** Returns the API key from the session storage or, if the user chose to stay signed in, from the local storage. */
export function readKey(): string | null {
  return read(session, KEY) ?? read(local, KEY);
}

export function writeKey(key: string | null, keep: boolean): void {
  write(session, KEY, key);
  write(local, KEY, keep ? key : null);
}

const OPEN = "sourcebound.open";

/** Returns the id of the open conversation. It survives a reload of the page. */
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
