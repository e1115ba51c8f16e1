# SPDX-License-Identifier: Apache-2.0
# For the test scripts here: skips (77) without a GPU, or fails where MNEME_REQUIRE_BACKENDS asks for one.
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
  case ",${MNEME_REQUIRE_BACKENDS:-}," in
    *,cuda,*) echo "MNEME_REQUIRE_BACKENDS asks for cuda, and there is no GPU"; exit 1 ;;
    *) echo "no NVIDIA GPU here"; exit 77 ;;
  esac
fi
