#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# instruction_classes.sh TABLE CUBIN…: every opcode of these cubins that nvdisasm names has that name in instruction_classes.cpp,
# as far as the table has it. Needs nvdisasm (CUDA toolkit; PyPI: nvidia-cuda-nvdisasm).
set -euo pipefail
table=$1
shift
disassembler=${NVDISASM:-$(command -v nvdisasm || true)}
[ -n "$disassembler" ] || { echo "no nvdisasm here"; exit 77; }
for cubin in "$@"; do "$disassembler" -hex -c "$cubin"; done | python3 -c '
import re, sys
table = {int(code, 16): name for code, name in re.findall(r"\{(0x[0-9a-f]+), \"([A-Z0-9]+)\"", open(sys.argv[1]).read())}
known = wrong = 0
for line in sys.stdin:
    found = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)[^;]*;\s+/\* 0x([0-9a-f]{16}) \*/", line)
    name = found and table.get(int(found.group(2), 16) & 0x1ff)
    if not name: continue
    known += 1
    if name != found.group(1) and not (name == "RED" and found.group(1) == "REDG"):
        wrong += 1
        print(name, "is", line.strip())
print(known, "instructions of the table,", wrong, "of another name")
sys.exit(wrong > 0 or known == 0)' "$table"
