import { createApi } from "./app/api.ts";
import { askFirst } from "./app/first-look.ts";
import { readKey, readPreferences } from "./app/preferences.ts";

// main.tsx imports this file first, so that the first requests are sent while the rest loads, and the first paint has the right theme.
const key = readKey();
document.documentElement.dataset.theme = readPreferences().theme;

export const firstCalls = askFirst(createApi(key));
