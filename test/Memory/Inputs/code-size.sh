# Fails if one of two files is more than a tenth larger than the other.
first=$(stat -c %s "$1")
second=$(stat -c %s "$2")
echo "$1: $first bytes, $2: $second bytes"
[ $((10 * second)) -le $((11 * first)) ] && [ $((10 * first)) -le $((11 * second)) ]
