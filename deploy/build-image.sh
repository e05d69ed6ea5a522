#!/bin/sh
# Builds the container image without Docker: three Debian packages, the pinned Node.js and the packed program, no shell.
# Needs npm, mmdebstrap, debian-archive-keyring and buildah, as root or with user namespaces:
#   deploy/build-image.sh IMAGE.tar [PACKAGE.tgz]     without a package: packs this clone
#   podman load --input IMAGE.tar                     or: docker load
set -eu
image=$(realpath "${1:?usage: deploy/build-image.sh IMAGE.tar [PACKAGE.tgz]}")
package=${2:+$(realpath "$2")}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. scripts/node.sh
use_node 22
sh scripts/bring-node.sh 22

work=$(mktemp -d)
container=""
finish() {
  if [ -n "$container" ]; then buildah rm "$container" >/dev/null; fi
  rm -rf "$work"
}
trap finish EXIT

# What Node.js loads. `status.d` names the packages for vulnerability scanners.
# shellcheck disable=SC2016 # mmdebstrap's shell expands it.
mmdebstrap --quiet --variant=extract --include=base-files,netbase,libc6,libstdc++6 \
  --extract-hook='mkdir "$1/var/lib/dpkg/status.d"; for file in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb --field "$file" >"$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$file" Package)"; done' \
  bookworm "$work/base.tar"
mkdir -p "$work/own/etc" "$work/own/usr/bin" "$work/data"
echo "node:x:1000:1000::/data:/usr/sbin/nologin" >"$work/own/etc/passwd"
echo "node:x:1000:" >"$work/own/etc/group"
cp -L .node/22/node_modules/.bin/node "$work/own/usr/bin/"

# The package, with the dependencies of the lock file.
if [ -z "$package" ]; then
  if [ ! -d node_modules ]; then npm ci --no-audit --no-fund --loglevel=error; fi
  npm pack --loglevel=error --pack-destination "$work" >/dev/null
  package=$(echo "$work"/sourcebound-*.tgz)
fi
tar -xzf "$package" -C "$work"
cp package-lock.json "$work/package/"
(cd "$work/package" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)

version=$(node --print 'require(process.argv[1]).version' "$work/package/package.json")
health="fetch('http://127.0.0.1:'+(process.env.SOURCEBOUND_PORT||8787)+'/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
container=$(buildah from --format docker scratch)
buildah add --quiet "$container" "$work/base.tar" / >/dev/null
buildah add --quiet --chown 0:0 "$container" "$work/own" / >/dev/null
buildah add --quiet --chown 0:0 "$container" "$work/package" /app >/dev/null
buildah add --quiet --chown 1000:1000 "$container" "$work/data" /data >/dev/null
buildah config --workingdir /app --user 1000:1000 --volume /data --port 8787 \
  --env PATH=/usr/bin --env HOME=/data --env NODE_ENV=production --env SOURCEBOUND_DATA_DIR=/data --env SOURCEBOUND_HOST=0.0.0.0 \
  --entrypoint '["node", "/app/dist/src/cli/main.js"]' --cmd serve \
  --healthcheck "CMD node -e \"$health\"" --healthcheck-interval 10s --healthcheck-timeout 3s --healthcheck-start-period 30s \
  --label org.opencontainers.image.title=sourcebound --label "org.opencontainers.image.version=$version" \
  --label org.opencontainers.image.licenses=Apache-2.0 "$container"
buildah commit --quiet --format docker "$container" "localhost/sourcebound:$version" >/dev/null
rm -f "$image"
buildah push --quiet "localhost/sourcebound:$version" "docker-archive:$image:localhost/sourcebound:$version"
