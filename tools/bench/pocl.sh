#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Six kernels on the CPU device against the same in OpenCL on PoCL, in turn on the same machine; then what a launch costs.
#   tools/bench/pocl.sh MNEME [BENCHMARK]
# Needs PoCL (Debian: pocl-opencl-icd ocl-icd-opencl-dev). BENCHMARK: the build tree's mneme_host_engine_bench, for the second
# table. TURNS (default 3): how often each program runs; the least time counts. Prints tables for docs/validation.md.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '3,6s/^# //p' "$0" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")/pocl
mneme=$(realpath "$1") turns=${TURNS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$("$mneme" host-toolchain)" -O3 -std=c++17 "$here/kernels.cu" -o "$work/host"
g++ -O2 -std=c++17 "$here/opencl.cpp" -o "$work/opencl" -lOpenCL
for ((i = 0; i < turns; ++i)); do
  "$work/host" >>"$work/host.txt"
  "$work/opencl" "$here/kernels.cl" "Portable Computing Language" >>"$work/pocl.txt"
done

echo "$(date -u +%Y-%m-%d), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores, load average $(cut -d' ' -f1 /proc/loadavg), $(dpkg-query -W -f='PoCL ${Version}' pocl-opencl-icd 2>/dev/null || echo PoCL)"
echo
awk '
  FNR == NR { if (!($1 in host) || $2 < host[$1]) host[$1] = $2; made[$1] = $3; order[$1] = ++n; next }
  { if (!($1 in pocl) || $2 < pocl[$1]) pocl[$1] = $2; if ($1 != "histogram" && ($3 - made[$1]) ^ 2 > 1e-6 * made[$1] ^ 2 + 1e-6) bad = bad " " $1 }
  END {
    print "| kernel | host (ms) | PoCL (ms) | ratio | goal |\n|---|---|---|---|---|"
    split("vector_add stencil matrix_product reduction histogram n_body", names)
    for (i = 1; i <= 6; ++i) {
      ratio = host[names[i]] / pocl[names[i]]
      product += log(ratio)
      printf "| %s | %.2f | %.2f | %.2f | at most 2 |\n", names[i], 1e3 * host[names[i]], 1e3 * pocl[names[i]], ratio
    }
    printf "| geometric mean | | | %.2f | at most 1.0 |\n", exp(product / 6)
    if (bad) { print "the two do not agree on:" bad > "/dev/stderr"; exit 1 }
  }' "$work/host.txt" "$work/pocl.txt"
[ $# -ge 2 ] || exit 0

"$2" --benchmark_format=csv 2>/dev/null >"$work/engine.csv"
nanoseconds() { awk -F, -v name="\"$1\"" '$1 == name { print $3 * ($5 == "ms" ? 1e6 : $5 == "us" ? 1e3 : 1); exit }' "$work/engine.csv"; }
row() { awk -v what="$1" -v ns="$2" -v unit="$3" -v goal="$4" 'BEGIN { printf "| %s | %.2f %s | %s |\n", what, ns / (unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1), unit, goal }'; }
echo
echo "| | measured | goal |"
echo "|---|---|---|"
row "an empty kernel, one block" "$(nanoseconds emptyLaunch/1)" us "at most 5 us"
row "first launch of a small kernel, compiled" "$(nanoseconds load/first/real_time)" ms "at most 60 ms"
row "first launch from the disk cache" "$(nanoseconds load/cached/real_time)" ms "at most 5 ms"
row "an empty kernel, each of 10^5 blocks" "$(awk -v a="$(nanoseconds emptyLaunch/100000)" 'BEGIN { print a / 1e5 }')" ns ""
row "an empty kernel, each of 10^7 blocks" "$(awk -v a="$(nanoseconds emptyLaunch/10000000)" 'BEGIN { print a / 1e7 }')" ns "as of 10^5"
