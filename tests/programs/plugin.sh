# SPDX-License-Identifier: Apache-2.0
# Recordings of a library that the program loads: replayed by the program's name, and never pruned for want of the library.
source "$(dirname "$0")/robust.sh"
cp -r "$2/loads_plugin" "$2/plugins" "$scratch"
program=$scratch/loads_plugin
set=$scratch/set
"$mneme" record -o "$set" -- "$program" >/dev/null 2>"$scratch/said.txt" || fail "the program"
grep -q "next: mneme replay .*set/\*.\*.json --code $program$" "$scratch/said.txt" || { cat "$scratch/said.txt"; fail "next"; }
grep -q '"library": "plugins/libplugin.so"' "$set"/in_plugin.*.json || fail "the manifest does not name the library"
grep -q '"source": ".*plugin.cu"' "$set"/in_plugin.*.json || fail "the manifest does not name the source"
! grep -q '"library"' "$set"/in_program.*.json || fail "a library for the program's own kernel"
grep -q '"name": "numbers"' "$set"/in_program.*.json || fail "the annotation is lost"
"$mneme" replay "$set"/*.*.json --code "$program" || fail "replay by the program's name"
"$mneme" replay "$set"/in_plugin.*.json --code "$scratch/plugins/libplugin.so" || fail "replay by the library's name"
"$mneme" prune --code "$program" "$set" | grep -q 'removed 0 of 2' || fail "prune with the library there"

mv "$scratch/plugins/libplugin.so" "$scratch/elsewhere.so"
"$mneme" replay "$set"/in_plugin.*.json --code "$program" >"$scratch/gone.txt" 2>&1 && fail "replay without the library"
grep -q 'it was in plugins/libplugin.so, which is not there' "$scratch/gone.txt" || { cat "$scratch/gone.txt"; fail "where it was"; }
grep -q 'next: mneme replay .* --code libplugin.so' "$scratch/gone.txt" || { cat "$scratch/gone.txt"; fail "what next"; }
"$mneme" prune --code "$program" "$set" >"$scratch/pruned.txt" || fail "prune"
grep -q 'kept 1 recording of code in plugins/libplugin.so' "$scratch/pruned.txt" || { cat "$scratch/pruned.txt"; fail "prune says nothing"; }
[ "$(recordings "$set")" -eq 2 ] || fail "prune removed a recording of a library that nobody gave"

cp "$2/uses_library" "$scratch/other"
"$mneme" prune --code "$scratch/other" --code "$scratch/elsewhere.so" "$set" >/dev/null || fail "prune"
[ "$(recordings "$set")" -eq 1 ] && ls "$set"/in_plugin.*.json >/dev/null || fail "prune with both"
