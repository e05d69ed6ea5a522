# Sourced by ./run and the scripts, with $root set: puts a supported Node.js first on the path.

node_minimum=22.13

# Succeeds if the machine has a recent enough Node.js with npm.
has_node() {
  command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 &&
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 13) ? 0 : 1)' 2>/dev/null
}

# use_node [MAJOR]: uses the machine's Node.js if it is supported and MAJOR is not given, otherwise the checkout's.
use_node() {
  if [ -z "${1:-}" ] && has_node; then return 0; fi
  sh "$root/scripts/bring-node.sh" "${1:-22}" || exit 1
  PATH=$root/.node/${1:-22}/node_modules/.bin:$PATH
  export PATH
}
