#!/usr/bin/env bash
# outputs.sh SINTERC EXAMPLE FOLDER
set -uo pipefail
sinterc=$1
model=$2/stories.mlir
cd "$3"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# unchanged WHAT: object and header are the old ones, and nothing else lies here.
unchanged() {
  sha256sum --quiet -c sums || fail "$1: an old output changed"
  [ "$(ls -A out | wc -l)" = 2 ] || fail "$1: something was left: $(ls -A out)"
}

mkdir out
"$sinterc" "$model" -o out/stories.o || fail "first run"
sha256sum out/stories.o out/stories.h >sums
header=$(stat -c %i-%Y out/stories.h)

# Again: the same bytes, and the header's time stays.
sleep 1.1
"$sinterc" "$model" -o out/stories.o || fail "second run"
unchanged "second run"
[ "$(stat -c %i-%Y out/stories.h)" = "$header" ] || fail "an unchanged header got a new time"

# Killed: SIGTERM removes temporaries, SIGKILL cannot.
for signal in TERM INT; do
  for delay in 0.05 0.2 0.5; do
    "$sinterc" "$model" -o out/stories.o --target-cpu=x86-64-v2 2>/dev/null &
    sleep $delay
    kill -$signal $! 2>/dev/null
    wait $!
    if [ $? = 0 ]; then
      "$sinterc" "$model" -o out/stories.o || fail "restoring"
    fi
    unchanged "SIG$signal after $delay s"
  done
done
"$sinterc" "$model" -o out/stories.o --target-cpu=x86-64-v2 &
sleep 0.3
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
[ $? = 0 ] || sha256sum --quiet -c sums || fail "SIGKILL: an old output changed"
rm -f out/*.tmp-*
"$sinterc" "$model" -o out/stories.o || fail "restoring"

# A full disk. The header is written, but must not appear.
"$sinterc" "$model" -o /dev/full --emit=obj --header=out/stories.h \
  --target-cpu=x86-64-v2 2>err
[ $? = 1 ] || fail "/dev/full: exit code"
grep -q "cannot write '/dev/full': No space left on device" err || fail "/dev/full: $(cat err)"
unchanged "/dev/full"

# No such folder, and a folder in the way.
"$sinterc" "$model" -o none/stories.o 2>err
[ $? = 1 ] || fail "missing folder: exit code"
grep -q "cannot write 'none/stories.o': No such file or directory" err || fail "missing folder: $(cat err)"
"$sinterc" "$model" -o out --emit=obj --header=out/stories.h 2>err
[ $? = 1 ] || fail "folder in the way: exit code"
grep -q "cannot write 'out': Is a directory" err || fail "folder in the way: $(cat err)"
unchanged "folder in the way"
if [ "$(id -u)" != 0 ]; then
  chmod a-w out
  "$sinterc" "$model" -o out/stories.o --target-cpu=x86-64-v2 2>err
  code=$?
  chmod u+w out
  [ $code = 1 ] || fail "unwritable folder: exit code"
  unchanged "unwritable folder"
fi

# A wrong input: the archive is missing.
sed 's/stories.safetensors/missing.safetensors/' "$model" >wrong.mlir
"$sinterc" wrong.mlir -o out/stories.o 2>err
[ $? = 1 ] || fail "missing weights: exit code"
grep -q "missing.safetensors" err || fail "missing weights: $(cat err)"
unchanged "missing weights"

# Two at once, for different processors: the last rename wins, whole.
"$sinterc" "$model" -o out/stories.o &
first=$!
"$sinterc" "$model" -o out/stories.o &
wait $first || fail "first of two"
wait $! || fail "second of two"
unchanged "two at once"
