#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the recordings of a set by what their self-check said of the image, in one line.
    tools/gpu/count_recordings.py SET [REPLAYS]
REPLAYS: what `mneme replay --json` printed of them later. "silently wrong": the self-check reproduced the recording, the later
replay did not and calls it an answer; each is named on a line of stderr."""
import glob
import json
import os
import sys

KINDS = {"reproduced": "reproduced", "reproduced within": "within a tolerance", "not reproduced": "not reproduced",
         "refused": "refused at replay", "not run": "not checked"}


def main():
    counts = dict.fromkeys(KINDS.values(), 0)
    checks = {}
    for path in glob.glob(os.path.join(sys.argv[1], "*.*.json")):
        check = json.load(open(path))["self_check"].get("image", {"result": "not run"})["result"]
        checks[os.path.realpath(path)] = check
        counts[KINDS[check]] += 1
    line = ", ".join(f"{what} {count}" for what, count in counts.items())
    if len(sys.argv) > 2:
        wrong = [replay for replay in json.load(open(sys.argv[2]))
                 if replay["verdict"] not in ("pass", "undecided")
                 and checks.get(os.path.realpath(replay["manifest"]), "").startswith("reproduced")]
        for replay in wrong:
            print(f"{replay['name']}: {replay['verdict']} {replay.get('reason', '')}", file=sys.stderr)
        line += f", silently wrong {len(wrong)}"
    print(line)


main()
