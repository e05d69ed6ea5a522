#!/bin/sh
# Runs every example; each must end by itself with exit code 0.
set -eu
cd "$(dirname "$0")/.."
for example in examples/*.mjs; do
  echo "node $example"
  node "$example" >/dev/null
done
