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

type Place = "localStorage" | "sessionStorage";

/** Returns a stored value; `null` if there is none or the browser does not allow storage. */
function read(storage: Place, name: string): string | null {
  try {
    return window[storage].getItem(name);
  } catch {
    return null;
  }
}

function write(storage: Place, name: string, value: string | null): void {
  try {
    if (value === null) window[storage].removeItem(name);
    else window[storage].setItem(name, value);
  } catch {
    // If storing fails, the value is lost when the page is closed.
  }
}

export function readPreferences(): Preferences {
  const { domain, tenant, profile, write, theme } = parseObject(read("localStorage", PREFERENCES));
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    ...{ domain: text(domain), tenant: text(tenant), profile: text(profile) },
    write: write === "answer" || write === "quotes" ? write : "",
    theme: theme === "light" || theme === "dark" ? theme : "system",
  };
}

export function writePreferences(preferences: Preferences): void {
  write("localStorage", PREFERENCES, JSON.stringify(preferences));
}

/** Shows the page in the given theme. */
export function applyTheme(theme: Preferences["theme"]): void {
  document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
}

/** Returns the API key from the session storage or, if the user chose to stay signed in, from the local storage. */
export function readKey(): string | null {
  return read("sessionStorage", KEY) ?? read("localStorage", KEY);
}

export function writeKey(key: string | null, keep: boolean): void {
  write("sessionStorage", KEY, key);
  write("localStorage", KEY, keep ? key : null);
}

const OPEN = "sourcebound.open";

/** Returns the id of the open conversation. It survives a reload of the page. */
export function readOpen(): string | null {
  return read("sessionStorage", OPEN);
}

export function writeOpen(id: string | null): void {
  write("sessionStorage", OPEN, id);
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
