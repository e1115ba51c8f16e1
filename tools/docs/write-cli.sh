#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints docs/cli.md from the commands' own --help:  tools/docs/write-cli.sh build/bin/mneme > docs/cli.md
set -euo pipefail
mneme=$1
echo "# Commands"
echo
echo "The text of \`mneme --help\` and of each command's \`--help\`. Exit codes are at the end."
help() { printf '\n```\n'; "$mneme" "$@" --help | sed 's/[[:space:]]*$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; printf '```\n'; }
help
"$mneme" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | while read -r command; do
  printf '\n## mneme %s\n' "$command"
  help "$command"
done
cat <<'END'

## Exit codes

| code | means |
|---|---|
| 0 | pass |
| 1 | mismatch, gate failed, parameters changed, kernel gone |
| 2 | wrong usage |
| 3 | recording unreadable |
| 4 | device trouble, a hang, or refused by name on the device that was asked for |
| 5 | could not decide |
| 77 | the device is not here (CTest's `SKIP_RETURN_CODE`) |
| 125 | `mneme record`: Mneme failed before the program started, or `--require` and nothing was recorded; 126 and 127 as `env`; otherwise the program's own code |
END
