import { createApi } from "./app/api.ts";
import { askFirst } from "./app/first-look.ts";
import { applyTheme, readKey, readPreferences } from "./app/preferences.ts";

// Imported first by main.tsx. The first requests are then sent while other code loads, and the page appears in the right theme.
const key = readKey();
applyTheme(readPreferences().theme);

export const firstCalls = askFirst(createApi(key));
