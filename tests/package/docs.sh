# SPDX-License-Identifier: Apache-2.0
# docs/cmake.md says of each public function what its file says, and each documented option exists in the code.
python3 - "$MNEME_SOURCE" <<'PYTHON'
import pathlib, re, sys
source = pathlib.Path(sys.argv[1])
page = (source / "docs/cmake.md").read_text()
bad = []
for file in sorted((source / "cmake").glob("mneme_*.cmake")):
    name, text = file.stem, file.read_text()
    if f"## {name}" not in page:
        bad.append(f"docs/cmake.md has no section on {name}")
        continue
    section = page.split(f"## {name}\n")[1].split("\n## ")[0]
    block = text.split("#[====[.rst:")[1].split("#]====]")[0]
    code = text.split("#]====]")[1]
    parsed = re.search(r"cmake_parse_arguments\(PARSE_ARGV 1 arg \"([^\"]*)\" \"([^\"]*)\" \"([^\"]*)\"\)", code)
    options = sorted(o for group in parsed.groups() for o in group.split(";") if o)
    documented = sorted(re.findall(r"^``([A-Z_]+)``$", block, re.M))
    in_page = sorted(re.findall(r"^\| `([A-Z_]+)` \|", section, re.M))
    if options != documented: bad.append(f"{file.name}: parses {options}, documents {documented}")
    if options != in_page: bad.append(f"docs/cmake.md, {name}: lists {in_page}, the function parses {options}")
    signature = lambda t: " ".join(re.search(name + r"\(.*?\)\n", t, re.S).group(0).split())
    if signature(block) != signature(section): bad.append(f"docs/cmake.md, {name}: another signature than {file.name}")
print("\n".join(bad))
sys.exit(bool(bad))
PYTHON
