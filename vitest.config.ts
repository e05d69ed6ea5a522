import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "web/**/*.test.{ts,tsx}", "lab/**/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    // Generous: tests that start processes share two noisy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
