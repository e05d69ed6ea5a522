#!/bin/sh
# Installs the Node.js of scripts/node/MAJOR, pinned by version and hash, from the package registry into .node/MAJOR of
# this checkout.
set -eu
cd "$(dirname "$0")/.."
. scripts/node.sh
. scripts/lock.sh

major=$1
pinned=scripts/node/$major
folder=.node/$major
if [ ! -f "$pinned/package-lock.json" ]; then
  echo "There is no Node.js $major to bring; there is: $(ls scripts/node | tr '\n' ' ')" >&2
  exit 2
fi

# The marker is written last and holds the lock file's checksum: a partial install, or one of another version, does not
# count.
is_there() { [ "$(cat "$folder/.complete" 2>/dev/null)" = "$(cksum <"$pinned/package-lock.json")" ]; }
if is_there; then exit 0; fi

found=$(node --version 2>/dev/null || echo none)
if ! command -v npm >/dev/null 2>&1; then
  echo "Sourcebound needs Node.js $node_minimum or newer with npm. This machine has Node.js: $found, npm: none. Install both from https://nodejs.org; an older Node.js with its npm is enough to begin with." >&2
  exit 1
fi

take_lock
if is_there; then exit 0; fi
echo "Bringing Node.js $major into .node (once, some 50 MB; this machine has $found, Sourcebound needs $node_minimum or newer) …" >&2
rm -rf "$folder" "$folder.new"
mkdir -p "$folder.new"
cp "$pinned/package.json" "$pinned/package-lock.json" "$folder.new/"
if ! (cd "$folder.new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2); then
  echo "Node.js $major could not be fetched: see npm's message above, or install Node.js $node_minimum or newer from https://nodejs.org" >&2
  exit 1
fi
if ! "$folder.new/node_modules/.bin/node" --version >/dev/null 2>&1; then
  echo "The package registry has no Node.js $major that runs on this machine ($(uname -sm)): install Node.js $node_minimum or newer from https://nodejs.org" >&2
  exit 1
fi
# Headers serve only to compile packages, and no package is compiled.
rm -rf "$folder.new"/node_modules/node-*/include
mv "$folder.new" "$folder"
cksum <"$pinned/package-lock.json" >"$folder/.complete"
