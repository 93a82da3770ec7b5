#!/usr/bin/env bash
# link-matrix.sh FOLDER EXAMPLE: links the example's main.c with the model in
# FOLDER in every way there is, and runs each program.
set -euo pipefail
cd "$1"
example=$2
strict=(-Wl,--fatal-warnings,-z,text,--gc-sections)

check() {
  ./program "$example/tok512.bin" | cmp - "$example/expected.txt"
}

for linker in bfd lld; do
  # gcc looks for ld.lld on its own paths only.
  [ $linker = bfd ] && tools=() || tools=(-B/usr/lib/llvm-22/bin)
  for model in stories.o libstories.a; do
    for kind in '-fPIE -pie' '-no-pie' '-static'; do
      echo "$linker $kind $model"
      gcc -I. "${tools[@]}" -fuse-ld=$linker $kind "${strict[@]}" \
        "$example/main.c" $model -o program
      check
    done
  done
  echo "$linker shared"
  gcc -I. "${tools[@]}" -fuse-ld=$linker -shared -fPIC "${strict[@]}" \
    stories.o -o libstories.so
  gcc -I. "${tools[@]}" -fuse-ld=$linker "${strict[@]}" "$example/main.c" \
    ./libstories.so -o program
  check
done
