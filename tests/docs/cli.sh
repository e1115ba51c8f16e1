# SPDX-License-Identifier: Apache-2.0
# docs/cli.md is the commands' own help text.
set -euo pipefail
source=$1 mneme=$2
diff "$source/docs/cli.md" <("$source/tools/docs/write-cli.sh" "$mneme") ||
  { echo "docs/cli.md is not the help text; run: tools/docs/write-cli.sh $mneme > docs/cli.md"; exit 1; }
