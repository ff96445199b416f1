#!/usr/bin/env bash
# Installs what is missing on Debian 12 with git, make, g++ and Python 3.11:  scripts/setup.sh demo|test|matrix
# Quick when nothing is missing.
source "$(dirname "$0")/common.sh"
environments=$(environments_of "${1:-test}")

PACKAGES=(binutils ccache clang-format cmake gdb libbenchmark-dev libcli11-dev libelf-dev libfmt-dev
  libgtest-dev ninja-build nlohmann-json3-dev)
# For the tests of what `opwright new` writes for Bazel, and of op libraries that another compiler has built.
[[ ${1:-test} == demo ]] ||
  PACKAGES+=(bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto clang)

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "Installing packages needs root: run this as root, or install sudo."
  fi
}

apt_install() {
  command -v apt-get >/dev/null ||
    fail "This is not Debian: install the likes of $* yourself, then run this again."
  # The list of packages may be old or absent, and a mirror may fail for a moment.
  as_root apt-get -o Acquire::Retries=5 update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get -o Acquire::Retries=5 install -q -y --no-install-recommends "$@"
}

install_packages() {
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) == "install ok installed" ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  quietly "system packages: ${missing[*]}" apt_install "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]}: see the lines above, then run 'make' with the same target again."
}

# The pinned tools need Python 3.11, and TensorFlow 2.15 has no wheel for a newer one.
find_python() {
  local candidate
  for candidate in python3.11 python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  fail "Python 3.11 is missing: install it (on Debian 12: apt-get install python3 python3-venv), then run this again."
}

# What pip installs for "2.16.2" or "gpu-2.15.1".
wheel_of() { if [[ $1 == gpu-* ]]; then echo "tensorflow==${1#gpu-}"; else echo "tensorflow-cpu==$1"; fi; }

pip_install() {
  local venv=$1 wheel=$2 try
  for try in 1 2 3; do
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --progress-bar off \
      --retries 5 --timeout 60 "$wheel" -r scripts/requirements.txt && return
    echo "pip failed, try $try of 3"
    sleep 5
  done
  return 1
}

# Loaded plainly, an op library looks for the bridge beside the tensorflow package: there ours must be, in develop mode
# by a link to the source tree.
link_package() {
  local site_packages=("$1"/lib/python3.11/site-packages)
  ln -sfn "$PWD/opwright" "${site_packages[0]}/opwright"
  # The program, which the build puts there.
  ln -sfn "$PWD/opwright/bin/opwright" "$1/bin/opwright"
}

make_environment() {
  local venv wheel stamp
  venv=$(venv_of "$1")
  wheel=$(wheel_of "$1")
  stamp=$({ echo "$1" && cat scripts/requirements.txt; } | sha256sum | cut -c 1-16)
  if [[ $(cat "$venv/opwright.stamp" 2>/dev/null) != "$stamp" ]]; then
    if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
      quietly "environment $venv" "$python" -m venv --clear "$venv" ||
        fail "Python could not make $venv: see the lines above."
    fi
    quietly "$wheel and tools into $venv" pip_install "$venv" "$wheel" ||
      fail "pip could not install $wheel: check the network, then run 'make' with the same target again."
    echo "$stamp" >"$venv/opwright.stamp"
  fi
  link_package "$venv"
}

heading "setup: system packages, TensorFlow ${environments//[$' \n']/, }"
install_packages "${PACKAGES[@]}"
python=$(find_python)
# Debian keeps venv apart from Python.
"$python" -c 'import venv, ensurepip' 2>/dev/null || install_packages python3-venv
for environment in $environments; do
  make_environment "$environment"
done
