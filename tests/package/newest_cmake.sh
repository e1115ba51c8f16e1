# SPDX-License-Identifier: Apache-2.0
# The same with the newest CMake. MNEME_NEWEST_CMAKE names it; otherwise PyPI's is installed for the test, if it can be had.
newest="${MNEME_NEWEST_CMAKE:-}"
if [[ -z "$newest" ]]; then
  cache="${XDG_CACHE_HOME:-$HOME/.cache}/mneme-tests/newest-cmake"
  if [[ ! -x "$cache/bin/cmake" ]]; then
    python3 -m venv "$cache" > venv.log 2>&1 && "$cache/bin/pip" install -q cmake >> venv.log 2>&1 ||
      { rm -rf "$cache"; echo "no newer CMake to be had here"; exit 77; }
  fi
  newest="$cache/bin/cmake"
fi
"$newest" --version | head -1
for script in executable discovery definitions toolchain toolchain_hip; do
  mkdir "$script"
  (cd "$script" && CMAKE="$newest" && source "$MNEME_SOURCE/tests/package/$script.sh") || fail "$script"
done
