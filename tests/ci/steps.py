#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steps.py FILE JOB [NAME…]: the shell text of a GitHub or GitLab job, one bash script on stdout that stops at the first
failure. Of GitHub only the steps of these names, in the file's order; a name that is not there is an error."""
import sys

import yaml

file, job, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(file) as text:
    pipeline = yaml.safe_load(text)
variables = {}


def take(more):
    """Values that the CI service itself fills in are left to the caller's environment."""
    variables.update({name: value for name, value in (more or {}).items() if "${{" not in str(value)})


if "jobs" in pipeline:
    take(pipeline.get("env"))
    steps = {step["name"]: step for step in pipeline["jobs"][job]["steps"] if "run" in step}
    missing = [name for name in wanted if name not in steps]
    if missing:
        sys.exit(f"{file}: {job} has no step {missing[0]!r}; it has {', '.join(steps)}")
    chosen = [step for name, step in steps.items() if name in wanted]
    for step in chosen:
        take(step.get("env"))
    commands = [step["run"] for step in chosen]
else:
    take(pipeline.get("variables"))
    take(pipeline[job].get("variables"))
    commands = pipeline[job]["script"]
print("set -euo pipefail")
for name, value in variables.items():
    print(f"export {name}='{value}'")
print("\n".join(commands))
