#!/bin/sh
# Installs packages and builds the program where that has not been done for this state of the files.
set -eu
cd "$(dirname "$0")/.."

# One process installs or builds at a time; a lock whose owner died is taken over.
lock=.run-lock
waited=0
until mkdir "$lock" 2>/dev/null; do
  owner=$(cat "$lock/pid" 2>/dev/null || echo "")
  if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
    rm -rf "$lock"
  else
    waited=$((waited + 1))
    if [ "$waited" -gt 600 ]; then
      echo "Another ./run has been installing for ten minutes: if none is running, delete the folder $lock." >&2
      exit 1
    fi
    sleep 1
  fi
done
echo $$ >"$lock/pid"
trap 'rm -rf "$lock"' EXIT
trap 'exit 130' INT TERM

state() { { node --version; cat package-lock.json; } | cksum; }
if [ ! -d node_modules ] || [ "$(cat node_modules/.sourcebound-lock 2>/dev/null)" != "$(state)" ]; then
  echo "Installing packages (once) …" >&2
  npm ci --no-audit --no-fund --loglevel=error >&2
  state >node_modules/.sourcebound-lock
  rm -f dist/.built
fi

stamp=dist/.built
if [ ! -f "$stamp" ] || [ -n "$(find src web lab package.json tsconfig.json tsconfig.build.json -newer "$stamp" -type f 2>/dev/null | head -1)" ]; then
  echo "Building …" >&2
  npm run --silent build >&2
  touch "$stamp"
fi
