#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many real CUDA modules get bitcode: compiles a seeded sample of a folder's .cu files by nvcc, plainly and through
mneme-note-compiler, and prints a table of counts, reasons and processor times for docs/validation.md.

  tools/embedding_rate.py BUILD FOLDER... [--sample 200] [--seed 1] [--jobs 2] [--table FILE] [--results FILE]

A module's command is what `make -n ARCH=sm_90` of its folder would run, else `nvcc -c` with the include folders given.
Modules that nvcc refuses (third-party headers that are not here) are replaced by the next of the sample. With --results
each outcome is kept in that file, and a later run takes from it what needs no second look: modules that were refused or
had bitcode for every kernel.
"""
import argparse, collections, concurrent.futures, json, os, pathlib, random, re, resource, shlex, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
Module = collections.namedtuple("Module", "folder source words")
Outcome = collections.namedtuple("Outcome", "module accepted kernels missing reason plain noted names")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build tree of Mneme")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders of projects; each .cu below is a module")
    parser.add_argument("--sample", type=int, default=200, help="modules that nvcc takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--include", action="append", default=[], help="include folder for modules without a Makefile")
    parser.add_argument("--skip", default="nvrtc|libNVVM|Tegra", help="modules whose path matches are left out")
    parser.add_argument("--no-plain", action="store_true", help="do not compile without the launcher too: no times")
    parser.add_argument("--results", type=pathlib.Path, help="JSON lines: outcomes so far, read and added to")
    parser.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    return parser.parse_args()


def planned_by_make(folder, arch):
    """The words of each compile that the folder's Makefile would run, by source."""
    if not (folder / "Makefile").exists():
        return {}
    command = ["make", "-n", "-B", "-k", "CC=nvcc", "NVCC=nvcc", f"ARCH={arch}", f"CUDA_ARCH={arch}"]
    planned = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=60).stdout
    found = {}
    for line in planned.replace("\\\n", " ").splitlines():
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        sources = [w for w in words if w.endswith(".cu")]
        if words and words[0] == "nvcc" and len(sources) == 1 and ("-c" in words or "-dc" in words):
            found[(folder / sources[0]).resolve()] = words[1:]
    return found


def without_output(words):
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == "-o":
            skip = True
        elif not word.startswith(("-arch", "-gencode")):
            kept.append(word)
    return kept


def modules_of(options):
    """Every .cu of the folders that some Makefile compiles, or that stands in a folder without one."""
    found = []
    for top in options.folders:
        plans = {}
        for makefile in top.rglob("Makefile"):
            plans.update({source: (makefile.parent, words) for source, words in planned_by_make(makefile.parent, options.arch).items()})
        for source in sorted(p.resolve() for p in top.rglob("*.cu")):
            if re.search(options.skip, str(source)):
                continue
            if source in plans:
                folder, words = plans[source]
                found.append(Module(folder, source, without_output(words)))
            elif not any((parent / "Makefile").exists() for parent in source.parents if top.resolve() in [parent, *parent.parents]):
                include = [word for folder in options.include for word in ("-I", str(pathlib.Path(folder).resolve()))]
                found.append(Module(source.parent, source, ["-std=c++17", *include, "-c", source.name]))
    random.Random(options.seed).shuffle(found)
    return found


def run(words, folder, environment=None):
    """Exit code, output and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=600, env=environment)
    except subprocess.TimeoutExpired:
        return 124, "took longer than 600 s", 600.0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stderr + done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def launcher(options):
    tools = options.build.resolve() / "libexec/mneme"
    return [str(tools / "mneme-note-compiler"), "--mode", "cuda", "--clang", options.clang, "--compiler", options.nvcc,
            "--include", str(ROOT / "runtime/include/mneme/nvcc"), "--"]


def kernels_in(options, binary):
    """Demangled names: those that nvcc has, by its PTX, and those with bitcode."""
    listed = subprocess.run([str(options.build.resolve() / "bin/mneme"), "ir", "ls", "--json", binary], capture_output=True, text=True)
    rows = json.loads(listed.stdout) if listed.returncode == 0 else []
    return tuple({row["demangled"] for row in rows if kind in row["code"]} for kind in ("ptx", "llvm"))


def measure(options, module):
    """Runs in a process of its own: the times are those of its children."""
    with tempfile.TemporaryDirectory() as scratch:
        binary = f"{scratch}/module.o"
        command = [options.nvcc, f"-arch={options.arch}", *module.words, "-o", binary]
        code, output, noted = run([*launcher(options), *command], module.folder, {**os.environ, "MNEME_LOG": "info"})
        if code != 0:
            return Outcome(module, False, 0, 0, output.strip(), 0, 0, [])
        kernels, noted_kernels = kernels_in(options, binary)
        missing = [line.split("no bitcode for kernel ")[1].removesuffix(", PTX only") for line in output.splitlines() if "no bitcode for kernel" in line]
        refused = re.search(r"kept as PTX only, (.*)", output)
        plain = 0 if options.no_plain else run(command, module.folder)[2]
        reason = refused.group(1) if refused else "kernel named otherwise or absent" if missing else ""
        names = missing or sorted(kernels - noted_kernels if refused else [])
        return Outcome(module, True, len(kernels), len(names), reason, plain, noted, names)


def kept_outcomes(options):
    """Of an earlier run, by source: the last outcome of each module that was refused or lacked nothing."""
    kept = {}
    if options.results and options.results.exists():
        for line in options.results.read_text().splitlines():
            fields = json.loads(line)
            kept[fields["source"]] = fields["outcome"]
    return {source: outcome for source, outcome in kept.items() if not outcome[0] or not outcome[3]}


def keep(options, outcome):
    if options.results:
        with options.results.open("a") as file:
            file.write(json.dumps({"source": str(outcome.module.source), "outcome": outcome[1:]}) + "\n")


def grouped(reason):
    """The reason without file, line and names of one program."""
    text = re.sub(r"^.*?error: ", "", reason)
    return re.sub(r"'[^']*'", "'…'", text)[:110]


def share(part, whole):
    return f"{part} ({100 * part / max(whole, 1):.1f} %)"


def table(options, outcomes, refused, total):
    count = len(outcomes)
    whole, with_kernels = [o for o in outcomes if not o.reason], [o for o in outcomes if o.kernels]
    kernels, missing = sum(o.kernels for o in outcomes), sum(o.missing for o in outcomes)
    lines = ["| real CUDA modules, built by nvcc through the launcher | |", "|---|---|",
             f"| modules to draw from, seed {options.seed} | {total} |",
             f"| refused by nvcc itself (headers or flags that are not here), left out | {refused} |",
             f"| modules | {count} |",
             f"| with bitcode for every kernel (goal: 98 %) | {share(len(whole), count)} |",
             f"| modules that have kernels | {len(with_kernels)} |",
             f"| with bitcode for every kernel | {share(sum(not o.reason for o in with_kernels), len(with_kernels))} |",
             f"| kernels | {kernels} |",
             f"| kernels with bitcode | {share(kernels - missing, kernels)} |"]
    if not options.no_plain and count:
        plain, noted = sum(o.plain for o in outcomes), sum(o.noted for o in outcomes)
        lines += [f"| processor time of all, plain | {plain:.0f} s |",
                  f"| the same with notes (goal: at most 1.5 times) | {noted:.0f} s, {noted / plain:.2f} times |"]
    reasons = collections.defaultdict(list)
    for outcome in outcomes:
        if outcome.reason:
            reasons[grouped(outcome.reason)].append(outcome.module.source.name)
    if reasons:
        lines += ["", "| why a module has not | modules |", "|---|---|"]
        for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
            lines.append(f"| {reason.replace('|', '/')} | {len(names)}: {', '.join(sorted(names)[:4])}{' …' if len(names) > 4 else ''} |")
    return "\n".join(lines)


def judged(options, modules):
    """Outcomes in the order of the sample, known ones at once."""
    kept = kept_outcomes(options)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting = collections.deque()
        for module in modules:
            known = kept.get(str(module.source))
            waiting.append((known, module) if known else (None, pool.submit(measure, options, module)))
            if len(waiting) >= 2 * options.jobs:
                yield outcome_of(options, *waiting.popleft())
        while waiting:
            yield outcome_of(options, *waiting.popleft())


def outcome_of(options, known, source):
    if known:
        return Outcome(source, *known)
    outcome = source.result()
    keep(options, outcome)
    return outcome


def main():
    options = arguments()
    modules = modules_of(options)
    accepted, refused = [], 0
    print(f"{len(modules)} modules", flush=True)
    for outcome in judged(options, modules):
        if not outcome.accepted:
            refused += 1
            continue
        accepted.append(outcome)
        if outcome.reason:
            print(f"{len(accepted)} {outcome.module.source}: {outcome.reason} {outcome.names[:3]}", flush=True)
        if len(accepted) == options.sample:
            break
    text = table(options, accepted, refused, len(modules))
    print(text)
    if options.table:
        options.table.write_text(text + "\n")


if __name__ == "__main__":
    main()
