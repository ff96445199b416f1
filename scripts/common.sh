# Sourced by the other scripts: the environments, and steps that show that they live.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

NEWEST=2.21.0
OLDEST=2.15.1
export NEWEST OLDEST
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT # no step outlives an interrupted script
SECONDS=0 # bash counts from here: every heading says how long the script has run

# An environment's folder; the newest has the plain name, which editors find by themselves.
venv_of() { if [[ $1 == "$NEWEST" ]]; then echo .venv; else echo ".venv-$1"; fi; }

# The versions that a mode of setup.sh and test.sh is about, the oldest first. Each gets a bridge.
versions_of() {
  case $1 in
    demo) echo "$NEWEST" ;;
    test) echo "$OLDEST" "$NEWEST" ;;
    matrix) echo "$OLDEST" 2.16.2 2.17.1 2.18.1 2.19.1 2.20.0 "$NEWEST" ;;
    *) fail "Unknown mode '$1': say demo, test or matrix." ;;
  esac
}

# The environments of a mode: of those versions, and in the matrix also of wheels with GPU support, which need no GPU.
# These get no bridge: that of the version serves both kinds of wheel.
environments_of() {
  versions_of "$1"
  if [[ $1 == matrix ]]; then echo "gpu-$OLDEST" "gpu-$NEWEST"; fi
}

heading() { printf '\n== [%4d s] %s\n' "$SECONDS" "$*"; }

fail() {
  printf '\n%s\n' "$*" >&2
  exit 1
}

# quietly TITLE COMMAND...: the output goes to a log, of which a failure shows the end. A sign of life each 15 s.
quietly() {
  local title=$1 log start=$SECONDS pid
  shift
  log=build/logs/${title//[^A-Za-z0-9.]/_}.log
  mkdir -p build/logs
  printf '   %s\n' "$title"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  while ! wait_for "$pid" 15; do
    printf '   … %d s: %.90s\n' "$((SECONDS - start))" "$(last_line "$log")"
  done
  if wait "$pid"; then
    printf '   done in %d s: %s\n' "$((SECONDS - start))" "$title"
  else
    tail -n 30 "$log" >&2
    return 1
  fi
}

# True as soon as the process has ended, false if it still runs after so many seconds.
wait_for() {
  local ticks=$(($2 * 5))
  while kill -0 "$1" 2>/dev/null; do
    ((ticks-- > 0)) || return 1
    sleep 0.2
  done
}

last_line() { tr '\r' '\n' <"$1" | sed 's/^[[:space:]]*//' | grep -v '^$' | tail -n 1 || true; }
