import { createApi } from "./app/api.ts";
import { askFirst } from "./app/first-look.ts";
import { readKey, readPreferences } from "./app/preferences.ts";

// main.tsx imports this file first, so that the first requests run while the rest of the page loads and the first paint has the theme.
const key = readKey();
document.documentElement.dataset.theme = readPreferences().theme;

export const firstCalls = askFirst(createApi(key));
