#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the tables that run.sh, trials.sh and corpus.sh printed into docs/validation.md, below the headings they belong to.
    tools/gpu/write-tables.py OUTPUT…      the newest first: each table is taken from the first output that has it
What no output has stays as it is. A run of the tests counts only if all of them passed."""
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/validation.md"
TABLE = r"(?:^\|.*\n)+"
BLOCK = r"^```\n(?:.*\n)*?```\n"


def newest(outputs, pattern):
    for text in outputs:
        found = re.search(pattern, text, re.M)
        if found:
            return found.group(0).rstrip("\n") + "\n"
    return None


def passed_tests(outputs):
    for text in outputs:
        lines = re.findall(r"^ *\d+/\d+ Test +#\d+: .*$", text, re.M)
        if lines and all(" Passed " in line for line in lines):
            return "```\n" + "\n".join(lines) + "\n```\n"
    return None


def trials(outputs):
    lines = newest(outputs, r"^\w+ +program .*; reproduced .*\n(?:\w+ +program .*\n|  .*\n)*")
    return lines and "```\n" + lines + "```\n"


def programs(outputs):
    lines = newest(outputs, r"(?:^[\w-]+-cuda .*\n)+")
    return lines and "```\n" + lines + "```\n"


def put(page, heading, pattern, text):
    """Replaces the first match of `pattern` below `heading`."""
    if text is None:
        return page
    begin = page.index(heading, page.index("\n## cuda"))  # the CPU device has such tables too
    end = page.find("\n### ", begin)
    section = page[begin:] if end < 0 else page[begin:end]
    changed, count = re.subn(pattern, lambda _: text, section, count=1, flags=re.M)
    if not count:
        sys.exit(f"docs/validation.md: nothing below '{heading}' to replace")
    return page[:begin] + changed + page[begin + len(section):]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    outputs = [pathlib.Path(name).read_text() for name in sys.argv[1:]]
    page = PAGE.read_text()
    conformance = newest(outputs, r"^\[  PASSED  \] \d+ tests\.$")
    memcheck = newest(outputs, r"^memcheck: .*$")
    page = put(page, "### Tests", BLOCK, passed_tests(outputs))
    page = put(page, "### Tests", r"(?<=conformance suite on `cuda`: )\d+ tests\.",
               conformance and re.search(r"\d+ tests\.", conformance).group(0))
    page = put(page, "### Tests", r"memcheck: .*\n", memcheck)
    page = put(page, "### Kernel times", TABLE, newest(outputs, r"^\| kernel \| in the program.*\n" + TABLE))
    page = put(page, "### Kernel times", r"^median difference .*\n", newest(outputs, r"^median difference .*$"))
    page = put(page, "### The recorder's cost", TABLE, newest(outputs, r"^\| measured \| value .*\n" + TABLE))
    page = put(page, "### What real CUDA programs use", BLOCK, trials(outputs))
    page = put(page, "### Programs that nobody here wrote", TABLE, newest(outputs, r"^\| of the programs tried .*\n" + TABLE))
    page = put(page, "### Programs that nobody here wrote", BLOCK, programs(outputs))
    PAGE.write_text(page)


main()
