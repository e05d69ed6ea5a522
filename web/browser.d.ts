/** The part of the Trusted Types API that the page uses; lib.dom does not declare it yet. */
interface Window {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
  };
}
