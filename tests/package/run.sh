# SPDX-License-Identifier: Apache-2.0
# run.sh SCRIPT FOLDER: runs one test in an empty folder, which stays for a look afterwards.
set -eu  # no pipefail: grep -q ends a pipe early
library="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/lib.sh"
rm -rf "$2"
mkdir -p "$2"
cd "$2"
exec bash -euc 'source "$1"; source "$0"' "$1" "$library"
