#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds Mneme with its tests, and runs them all. Arguments go to ctest (for example -L unit).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/tools/setup/packages.sh"
"$root/tools/setup/build.sh" "$root/build-commands" -DMNEME_BUILD_TESTS=ON
exec ctest --test-dir "$root/build-commands" --output-on-failure --no-tests=error --parallel "$(nproc)" "$@"
