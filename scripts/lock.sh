# Sourced by the scripts that install or build: one process at a time does so in a checkout. A lock whose owner died is
# taken over.

lock=.run-lock

take_lock() {
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
}
