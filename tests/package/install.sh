# SPDX-License-Identifier: Apache-2.0
# install.sh FOLDER: installs there and moves the result to MNEME_PREFIX, which has a space in it.
set -euo pipefail
rm -rf "$1" "$MNEME_PREFIX"
"$CMAKE" --install "$MNEME_BUILD" --prefix "$1"
mv "$1" "$MNEME_PREFIX"
! grep -rIlF "$MNEME_BUILD/" "$MNEME_PREFIX/lib/cmake" || { echo "the install points into the build tree"; exit 1; }
