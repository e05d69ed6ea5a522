/** The part of the Trusted Types API that the page uses. TypeScript's DOM types do not declare it yet. */
interface Window {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
  };
}
