#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the report of host-corpus.sh into the validation page, in place of the last one.

usage: host-corpus-table.py REPORT PAGE
"""
import sys

TITLE = "### Programs that nobody here wrote, on the CPU device"
INTRO = """`tools/host-corpus.sh --write`, its own output. "Built" means by the program's own makefile with the stand-in for nvcc, without a change.
Programs that need cuBLAS, cuSPARSE, cuDNN, CUB, Thrust, GSL, PyTorch or data that the repository does not hold are among those that fail."""


def main(report, page):
    text = open(page).read()
    section = f"{TITLE}\n\n{INTRO}\n\n{open(report).read().strip()}\n\n"
    start = text.find(TITLE)
    if start < 0:
        start = end = text.index("## cuda\n")
    else:
        following = [at for at in (text.find("\n## ", start), text.find("\n### ", start)) if at >= 0]
        end = min(following) + 1 if following else len(text)
    open(page, "w").write(text[:start] + section + text[end:])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
