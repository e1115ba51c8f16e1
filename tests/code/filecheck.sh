#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every "; RUN:" line of one .ll file, as LLVM's lit would: %tool, %FileCheck, %not, %bin, %s and %S are replaced.
# usage: filecheck.sh FILE TOOL LLVM_BIN_FOLDER
set -uo pipefail
file=$1 tool=$2 bin=$3
ran=0
while IFS= read -r line; do
  [[ $line =~ ^\;\ RUN:\ (.*)$ ]] || continue
  run=${BASH_REMATCH[1]}
  run=${run//%tool/$tool} run=${run//%FileCheck/$bin/FileCheck} run=${run//%not/$bin/not} run=${run//%bin/$bin}
  run=${run//%S/$(dirname "$file")} run=${run//%s/$file}
  echo "+ $run"
  bash -o pipefail -c "$run" || { echo "failed: $run"; exit 1; }
  ran=$((ran + 1))
done < "$file"
[ $ran -gt 0 ] || { echo "no RUN line in $file"; exit 1; }
