#!/bin/sh
# Runs every check of `./run test`. `--all` adds the full long tests, the kinds that `vitest.config.ts` excludes, and an
# installation of Chromium where the system's package manager permits it.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. scripts/node.sh

usage() {
  echo "usage: ./run test [--all] [--node 22|24|26]" >&2
  exit 2
}

all=no
node=""
while [ $# -gt 0 ]; do
  case "$1" in
    --all) all=yes ;;
    --node) [ $# -gt 1 ] || usage; node=$2; shift ;;
    *) usage ;;
  esac
  shift
done
use_node "$node"

# test/support/trials.ts uses it.
if [ "$all" = yes ]; then SOURCEBOUND_TEST=all; else SOURCEBOUND_TEST=usual; fi
export SOURCEBOUND_TEST
# Real data is used if present; tests that need it report its absence.
if [ -z "${SOURCEBOUND_DATA:-}" ] && [ -d ../shared/data ]; then SOURCEBOUND_DATA=$(cd ../shared/data && pwd); export SOURCEBOUND_DATA; fi
unset SOURCEBOUND_COMMAND
NODE_COMPILE_CACHE=$root/node_modules/.cache/compiled
export NODE_COMPILE_CACHE

# Puts test databases in memory if there is room: nearly every test waits for a disk at each commit, and no test cuts
# the power.
in_memory() {
  [ -d /dev/shm ] && [ -w /dev/shm ] || return 1
  [ "$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')" -ge 4194304 ] || return 1
  memory=$(mktemp -d /dev/shm/sourcebound-tests.XXXXXX) || return 1
  # Containers often mount it noexec, and some tests run scripts that they write.
  printf '#!/bin/sh\n' >"$memory/try" && chmod 755 "$memory/try" && "$memory/try" 2>/dev/null && rm "$memory/try" && chmod 1777 "$memory" && return 0
  rm -rf "$memory"
  return 1
}
POSTGRES_FOR_TESTS=${POSTGRES_FOR_TESTS:-${TMPDIR:-/tmp}}
export POSTGRES_FOR_TESTS
if [ -z "${TMPDIR:-}" ] && in_memory; then
  TMPDIR=$memory
  export TMPDIR
  trap 'rm -rf "$memory"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
fi

begun=$(date +%s)
failed=""
number=0
if [ "$all" = yes ]; then steps=6; else steps=5; fi
step() {
  name=$1
  shift
  number=$((number + 1))
  printf '\n== %s of %s, %s s: %s\n' "$number" "$steps" "$(($(date +%s) - begun))" "$name"
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

results=node_modules/.cache/results-$SOURCEBOUND_TEST.json

# One run for all tests keeps both cores busy to the end.
tests() {
  if [ "$all" = yes ]; then set --; else set -- '--tags-filter=!all/*'; fi
  mkdir -p node_modules/.cache
  npx vitest run --reporter=default --reporter=./test/support/progress.ts --reporter=json --outputFile="$results" "$@"
}

if ! sh ./scripts/prepare.sh; then echo "The program could not be installed and built." >&2; exit 1; fi
rm -f "$results"
echo "Node.js $(node --version)"

step "format, lint, import rules, cycles" npx biome check --error-on-warnings .
# The build info is kept, so that a later run checks only changed files.
step "types" npx tsc -p tsconfig.json --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo
step "unused code and dependencies" npx knip
step "docs match the code" node dist/lab/docs/main.js --check
if [ "$all" = yes ]; then step "Chromium" install_chromium; fi
step "tests" tests

printf '\n'
if [ -f "$results" ]; then node scripts/test-summary.mjs "$results"; fi
echo "$(($(date +%s) - begun)) s"
if [ -n "$failed" ]; then echo "FAILED: ${failed#, }"; exit 1; fi
echo "All checks passed."
