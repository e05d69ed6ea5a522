#!/bin/sh
# Installs packages and builds the program if the files have changed since the last time.
set -eu
cd "$(dirname "$0")/.."

. scripts/lock.sh
take_lock

state() { { uname -sm; cat package-lock.json; } | cksum; }
if [ ! -d node_modules ] || [ "$(cat node_modules/.sourcebound-lock 2>/dev/null)" != "$(state)" ]; then
  echo "Installing packages (once) …" >&2
  npm ci --no-audit --no-fund --loglevel=error >&2
  # The page uses the modern build, so this one only takes 18 MB.
  rm -rf node_modules/pdfjs-dist/legacy
  state >node_modules/.sourcebound-lock
  rm -f dist/.built
fi

stamp=dist/.built
if [ ! -f "$stamp" ] || [ -n "$(find src web lab package.json tsconfig.json tsconfig.build.json -newer "$stamp" -type f 2>/dev/null | head -1)" ]; then
  echo "Building …" >&2
  npm run --silent build >&2
  touch "$stamp"
fi
