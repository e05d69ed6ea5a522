import { createApi } from "./app/api.ts";
import { askFirst } from "./app/first-look.ts";
import { readKey, readPreferences } from "./app/preferences.ts";

// main.tsx imports this before everything else: the calls are on their way while the rest of the page is still being evaluated, and nothing
// is laid out in other colours first.
const key = readKey();
document.documentElement.dataset.theme = readPreferences().theme;

export const firstCalls = askFirst(createApi(() => key));
