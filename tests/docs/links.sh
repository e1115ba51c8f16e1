# SPDX-License-Identifier: Apache-2.0
# Every relative link of README and docs leads to a file.
set -euo pipefail
cd "$1"
broken=0
for page in README.md docs/*.md; do
  while read -r target; do
    [ -e "$(dirname "$page")/${target%%#*}" ] || { echo "$page: no $target"; broken=1; }
  done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^(https?:|#)')
done
exit $broken
