#!/bin/sh
# Every check of `./run test`. `--all`: installs Chromium through the system's package manager where it may, and skips nothing.
set -u
cd "$(dirname "$0")/.."

all=no
for argument in "$@"; do
  case "$argument" in
    --all) all=yes ;;
    *) echo "usage: ./run test [--all]" >&2; exit 2 ;;
  esac
done

# Real data to measure on is used where it is there; tests that need it say so when it is not.
if [ -z "${SOURCEBOUND_DATA:-}" ] && [ -d ../shared/data ]; then SOURCEBOUND_DATA=$(cd ../shared/data && pwd); export SOURCEBOUND_DATA; fi

failed=""
step() {
  name=$1
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then :; else failed="$failed, $name"; fi
}

install_chromium() {
  if [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null 2>&1; then return 0; fi
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium …"
    apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1 && return 0
  fi
  echo "Chromium is not installed and could not be: install the package chromium, or set CHROMIUM to its path."
  return 1
}

suite() {
  results=node_modules/.cache/results-$1.json
  shift
  mkdir -p node_modules/.cache
  npx vitest run --reporter=default --reporter=json --outputFile="$results" "$@"
}

if ! sh ./scripts/prepare.sh; then echo "The program could not be installed and built." >&2; exit 1; fi
rm -f node_modules/.cache/results-*.json

step "format, lint, import rules, cycles" npx biome check --error-on-warnings .
step "types" npx tsc -p tsconfig.json
step "unused code and dependencies" npx knip
step "docs match the code" node dist/lab/docs/main.js --check
step "unit, contract, property and end-to-end tests" suite fast --exclude 'test/browser/**' --exclude test/kill.test.ts
step "examples" sh ./scripts/examples.sh
if [ "$all" = yes ]; then
  step "kill tests" suite kill test/kill.test.ts
  step "Chromium" install_chromium
fi
if [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null 2>&1; then
  step "browser tests" suite browser test/browser
else
  printf '\n== browser tests\nskipped: Chromium is not installed (./run test --all installs it)\n'
fi

printf '\n'
node -e '
  const { readdirSync, readFileSync } = require("node:fs");
  const cache = "node_modules/.cache/";
  let passed = 0, failed = 0, skipped = 0;
  for (const name of readdirSync(cache).filter((file) => /^results-.*\.json$/.test(file))) {
    const result = JSON.parse(readFileSync(cache + name, "utf8"));
    passed += result.numPassedTests; failed += result.numFailedTests; skipped += result.numPendingTests + result.numTodoTests;
  }
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
'
if [ -n "$failed" ]; then echo "FAILED: ${failed#, }"; exit 1; fi
echo "All checks passed."
