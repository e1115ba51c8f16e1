# SPDX-License-Identifier: Apache-2.0
# run.sh SCRIPT FOLDER: runs one test in an empty folder, which stays for a look afterwards.
set -eu  # no pipefail: grep -q ends a pipe early
rm -rf "$2"
mkdir -p "$2"
cd "$2"
exec bash -c 'source "$(dirname "$0")/lib.sh"; source "$0"' "$1"
