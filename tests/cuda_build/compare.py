# SPDX-License-Identifier: Apache-2.0
"""compare.py FIXTURE OBJECT...: the notes of objects against what nvcc itself says of the noted command: the same kernels,
and the same macros in the device pass. Ends with 1 and a line for each difference."""
import json, os, re, shlex, struct, subprocess, sys, tempfile

MACROS = ["__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "__CUDA_ARCH_FEAT_SM90_ALL", "__CUDA_ARCH_SPECIFIC__",
          "__CUDA_ARCH_FAMILY_SPECIFIC__", "__CUDACC_RDC__", "__CUDACC_EXTENDED_LAMBDA__", "__CUDACC_RELAXED_CONSTEXPR__",
          "__cplusplus", "__STRICT_ANSI__", "_OPENMP", "NDEBUG", "CUDA_API_PER_THREAD_DEFAULT_STREAM"]
# What a fixture is about: words that the side compile must have, and macros that must be defined in both.
EXPECTED = {"architectures": (["--cuda-gpu-arch=sm_90a"], ["__CUDA_ARCH_FEAT_SM90_ALL"]),
            "separable": ([], ["__CUDACC_RDC__"]), "standard": (["-std=c++17"], []),
            "xcompiler": ([], ["MY_PASSED", "MY_QUOTED", "_OPENMP"]), "relaxed_constexpr": ([], ["__CUDACC_RELAXED_CONSTEXPR__"]),
            "extended_lambda": ([], ["__CUDACC_EXTENDED_LAMBDA__"]), "response_file": ([], ["MY_INCLUDED", "MY_IN_FILE"]),
            "fast_math": (["-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals"], [])}


def run(words, directory, **more):
    return subprocess.run(words, cwd=directory, capture_output=True, text=True, check=True, **more)


def notes_of(path):
    """The JSON of each note in the object's section."""
    with tempfile.NamedTemporaryFile() as section:
        subprocess.run(["objcopy", "-O", "binary", "--set-section-flags", ".note.mneme=alloc",
                        "--only-section=.note.mneme", path, section.name], check=True)
        data = section.read()
    notes, at = [], 0
    while at + 12 <= len(data):
        name, size, _ = struct.unpack_from("<III", data, at)
        at += 12 + (name + 3) // 4 * 4
        _, metadata = struct.unpack_from("<II", data, at)
        notes.append(json.loads(data[at + 24:at + 24 + metadata]))
        at += (size + 3) // 4 * 4
    return notes


def plain(names):
    """As the source has them: demangled, without what either compiler adds per file."""
    cut = []
    for name in names:
        static = re.match(r"__nv_static_(\d+)_", name)
        name = name[static.end() + int(static.group(1)) + 1:] if static else name
        cut.append(re.sub(r"__(intern|static)__[0-9a-f]+$", "", name))
    return sorted(subprocess.run(["c++filt"], input="\n".join(cut), capture_output=True, text=True, check=True).stdout.split("\n"))


def nvccs_kernels(command, directory, architecture):
    """Kernels of a cubin that nvcc makes of the same command: each has a section for its parameters."""
    words, skip = [], False
    for word in command:
        if skip or word in ("-o", "-c", "-dc"):
            skip = word == "-o" and not skip
        elif not word.startswith(("--generate-code", "-gencode", "-arch")):
            words.append(word)
    with tempfile.TemporaryDirectory() as scratch:
        run([*words, "-cubin", f"-arch={architecture}", "-o", f"{scratch}/x.cubin"], directory)
        sections = run(["readelf", "-SW", f"{scratch}/x.cubin"], directory).stdout
    return re.findall(r"\.nv\.constant0\.(\S+)", sections)


def macros_of(words, directory):
    text = run([*words, "-dM", "-o", "-"], directory).stdout
    return dict(re.findall(r"^#define (\w+) ?(.*)$", text, re.M))


def nvccs_macros(command, directory, number):
    planned = run([*command, "--dryrun"], directory).stderr
    for line in planned.splitlines():
        words = shlex.split(line[3:]) if line.startswith("#$ ") and " -E " in line else []
        if f"-D__CUDA_ARCH__={number}0" in words:
            at = words.index("-o")
            return macros_of(words[:at] + words[at + 2:], directory)
    sys.exit(f"nvcc --dryrun shows no preprocessor for {number}:\n{planned}")


def clangs_macros(command, directory):
    kept = [word for word in command if word not in ("-emit-llvm", "-c")]
    return macros_of([*kept, "-E"], directory)


def compare(fixture, path):
    notes = {note["kind"]: note for note in notes_of(path)}
    if set(notes) != {"llvm", "ptx"}:
        return [f"notes are {sorted(notes)}, not llvm and ptx"]
    llvm, directory = notes["llvm"], notes["llvm"]["directory"]
    command = llvm["command"]
    wanted = plain(nvccs_kernels(command, directory, llvm["architecture"]))
    bad = [f"{kind} has {plain(note['kernels'])}, nvcc has {wanted}" for kind, note in notes.items() if plain(note["kernels"]) != wanted]
    bad += [f"missing: {llvm['missing']}"] if llvm["missing"] else []
    here, there = clangs_macros(llvm["deviceCommand"], directory), nvccs_macros(command, directory, re.search(r"\d+", llvm["architecture"]).group())
    names = MACROS + [name for name in {**here, **there} if name.startswith("MY_")]
    bad += [f"{name}: clang has {here.get(name)}, nvcc {there.get(name)}" for name in names if here.get(name) != there.get(name)]
    words, defined = EXPECTED.get(fixture, ([], []))
    bad += [f"the side compile has no {word}" for word in words if word not in llvm["deviceCommand"]]
    return bad + [f"{name} is not defined" for name in defined if name not in there]


found = [f"{os.path.basename(path)}: {line}" for path in sys.argv[2:] for line in compare(sys.argv[1], path)]
print("\n".join(found))
sys.exit(bool(found))
