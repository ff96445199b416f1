#!/usr/bin/env bash
# scripts/lint.sh check|mend: layout and style of what git tracks, and of what it does not ignore.
source "$(dirname "$0")/common.sh"
mode=${1:-check}
scripts/setup.sh demo
ruff=.venv/bin/ruff

heading "lint: clang-format and ruff, to $mode"
mapfile -t cpp < <(git ls-files --cached --others --exclude-standard --deduplicate -- '*.cc' '*.cu' '*.h')
mapfile -t python < <(git ls-files --cached --others --exclude-standard --deduplicate -- '*.py')
case $mode in
  mend)
    clang-format -i "${cpp[@]}"
    "$ruff" check --fix --quiet "${python[@]}" || true
    "$ruff" format "${python[@]}"
    ;;
  check)
    bad=0
    clang-format --dry-run -Werror "${cpp[@]}" || bad=1
    "$ruff" check "${python[@]}" || bad=1
    "$ruff" format --check "${python[@]}" || bad=1
    ((bad == 0)) || fail "Style: run 'make format', then mend by hand what 'make lint' still shows."
    echo "${#cpp[@]} C++ and ${#python[@]} Python files are in order."
    ;;
  *) fail "Unknown mode '$mode': say check or mend." ;;
esac
