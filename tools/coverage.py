# SPDX-License-Identifier: Apache-2.0
"""Merges gcov's JSON lines from stdin; prints the covered share of lines of files under argv[1], in percent."""
import json
import sys

hits = {}
for line in sys.stdin:
    for file in json.loads(line)["files"]:
        if sys.argv[1] in file["file"]:
            for entry in file["lines"]:
                key = (file["file"], entry["line_number"])
                hits[key] = max(hits.get(key, 0), entry["count"])
print(f"{100 * sum(1 for n in hits.values() if n) / max(len(hits), 1):.1f}")
