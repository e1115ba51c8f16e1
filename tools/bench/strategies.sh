#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares search strategies on measured spaces (Kernel Tuner cache files, T4), without a GPU: percent of the optimum after
# 25, 50, 100 and 200 evaluations, median over seeds, one line a space.
#   tools/bench/strategies.sh <build tree of Mneme> FILE...
# SEEDS=30 and STRATEGIES=auto,random,… in the environment choose how many seeds and which strategies.
set -euo pipefail
build=$1
shift
cmake --build "$build" --target mneme_strategies_bench >/dev/null
exec "$build/tests/bench/mneme_strategies_bench" "${SEEDS:-30}" \
  "${STRATEGIES:-auto,random,local,annealing,genetic,differential-evolution,tabu,tpe,halving}" "$@"
