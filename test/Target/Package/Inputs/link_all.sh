#!/bin/bash
# Links use.c with toy.o and toz.o in every way, in the current folder; says
# which way fails.
fail() { echo "failed: $*"; exit 1; }
for ld in bfd lld; do
  for mode in "-pie -fPIE -Wl,-z,text" "-no-pie -fno-pie" "-static" \
      "-shared -fPIC -Wl,-z,text"; do
    gcc $mode -B/usr/lib/llvm-22/bin -fuse-ld=$ld -ffunction-sections \
      -Wl,--fatal-warnings -Wl,--gc-sections use.c toy.o toz.o -o out ||
      fail $ld $mode
    case $mode in *shared*) ;; *) ./out || fail running $ld $mode ;; esac
  done
done
for mode in "-pie -fPIE" "-no-pie -fno-pie"; do
  gcc $mode use.c toz.o toy.so '-Wl,-rpath,$ORIGIN' -o shared && ./shared ||
    fail toy.so $mode
done
gcc use.c toy.a toz.o -o static && ./static || fail toy.a
echo all link
