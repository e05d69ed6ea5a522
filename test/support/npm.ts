/** What npm is told where a test installs: packages that it has are not asked for again, and a registry that falls silent is asked anew, not waited for. */
export const NPM_SETTINGS = {
  npm_config_prefer_offline: "true",
  npm_config_fetch_timeout: "30000",
  npm_config_fetch_retries: "5",
} as const;
