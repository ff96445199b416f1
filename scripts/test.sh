#!/usr/bin/env bash
# scripts/test.sh test     everything, on the oldest and the newest TensorFlow
# scripts/test.sh matrix   what depends on TensorFlow, on every version between them and on two wheels with GPU support
# Stops at the first step that fails; the matrix at its end, so that its table tells of all versions.
source "$(dirname "$0")/common.sh"
mode=${1:-test}
versions=$(versions_of "$mode")
log=build/logs/test.log
summary=()

# run TITLE COMMAND...: the output is shown as it comes; the runner's closing line goes into the summary too.
run() {
  local title=$1 start=$SECONDS closing
  shift
  heading "$title"
  "$@" </dev/null 2>&1 | tee "$log" ||
    fail "Failed: $title, after $((SECONDS - start)) s. Mend what is shown above, then repeat this step alone: $*"
  closing=$(grep -E 'tests passed|[0-9]+ passed' "$log" | tail -n 1 | sed 's/^[= ]*//; s/[= ]*$//') || true
  summary+=("$(printf '%5d s  %s%s' "$((SECONDS - start))" "$title" "${closing:+: $closing}")")
}

# Python tests that are the same on every TensorFlow: of the program, the build and the texts. For the matrix three more: what
# goes through all versions by itself, the check of version_table, and thousands of compilations.
independent=(--ignore-glob='tests/test_cli_*.py'
  --ignore=tests/test_{author_guide,bazel,compile_errors,includes,new_project,readme,symbols,version_table}.py
  --deselect=tests/test_loading.py::test_one_file_for_all_versions
  --deselect=tests/test_xla.py::test_memory_of_many_compilations)

# matrix_row ENVIRONMENT: the tests and the checks of one TensorFlow. What fails is in its row and stops nothing.
matrix_row() {
  local name=$1 python
  python=$(venv_of "$1")/bin/python
  [[ $1 != gpu-* ]] || name="${1#gpu-} GPU wheel"
  heading "Python tests, TensorFlow $name"
  "$python" -P -m pytest -n 2 "${independent[@]}" opwright tests </dev/null 2>&1 | tee "$log" || true
  heading "ways to use an op, TensorFlow $name"
  "$python" -P tests/version_table.py --name "$name" --pytest-log "$log" </dev/null | tee -a "$rows"
}

mkdir -p build/logs
scripts/setup.sh "$mode"

bridges=(-U OPWRIGHT_TENSORFLOW_PYTHONS) # those of the default are those of mode test
if [[ $mode == matrix ]]; then
  bridges=(-D "OPWRIGHT_TENSORFLOW_PYTHONS=$(for version in $versions; do
    printf '%s/bin/python;' "$PWD/$(venv_of "$version")"
  done)")
fi
run "configure dev" cmake --preset dev "${bridges[@]}"
targets=(all)
# One file of each op library serves every version; beside them, the matrix needs the bridges alone.
[[ $mode != matrix ]] || targets=(stage opwright_conformance)
run "build dev" cmake --build --preset dev --target "${targets[@]}"
# A bridge that this build does not make, and that is older than the sources, is of another state of them.
for bridge in opwright/lib/libopwright_bridge_*.so; do
  minor=${bridge##*_tf} # 2.16.so
  [[ " $versions" == *" ${minor%so}"* || -z $(find opwright/bridge opwright/op -newer "$bridge" -type f) ]] ||
    rm -f "$bridge"
done

if [[ $mode == test ]]; then
  run "C++ tests" ctest --preset dev
  # ThreadSanitizer of older compilers cannot live with the widest randomisation of addresses.
  fixed=(setarch "$(uname -m)" --addr-no-randomize)
  "${fixed[@]}" true 2>/dev/null || fixed=()
  for sanitizer in asan tsan; do
    run "configure $sanitizer" cmake --preset "$sanitizer"
    run "build $sanitizer" cmake --build --preset "$sanitizer"
    run "C++ tests under $sanitizer" "${fixed[@]}" ctest --preset "$sanitizer"
  done
fi

# -P: the package is imported as users have it, beside TensorFlow, and not from the current folder.
export CUDA_VISIBLE_DEVICES=-1 TF_CPP_MIN_LOG_LEVEL=2
if [[ $mode == matrix ]]; then
  rows=build/logs/version_table.jsonl
  : >"$rows"
  for environment in $(environments_of "$mode"); do
    matrix_row "$environment"
  done
  heading "every TensorFlow, the same op files"
  .venv/bin/python -P tests/version_table.py --show "$rows" ||
    fail "The lines below the table say what does not work. The output of a version's tests is above, under its heading."
  exit
fi

for version in $versions; do
  run "Python tests, TensorFlow $version" "$(venv_of "$version")/bin/python" -P -m pytest -n 2
done

if [[ $mode == test ]]; then
  # Python and TensorFlow are not instrumented: the sanitizer comes first into the process, and does
  # not look for leaks. Without libstdc++ beside it, it could not intercept exceptions.
  preload="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so.6)"
  run "Bridge under asan" env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 \
    OPWRIGHT_BRIDGE_DIR="$PWD/build/asan/lib" OPWRIGHT_TEST_BUILD="$PWD/build/asan" \
    .venv/bin/python -P -m pytest -n 2 opwright/testing/conformance
fi

heading "all passed"
printf '%s\n' "${summary[@]}"
