#!/bin/sh
# Runs every example; each must exit with code 0.
set -eu
cd "$(dirname "$0")/.."
for example in examples/*.mjs; do
  echo "node $example"
  node "$example" >/dev/null
done
