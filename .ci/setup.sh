# Sourced by quickstart, run-tests and .ci/run: installs what is missing on
# Debian 12, configures a preset and builds it. Everything here may run again;
# what is done already takes no time.

# LLVM's and MLIR's development files come without libzstd's, which their CMake
# files name. gcc is the examples' compiler, clang the project's.
packages=(
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  clang-22 lld-22 libclang-rt-22-dev clang-format-22 clang-tidy-22
  libzstd-dev zlib1g-dev libxml2-dev libffi-dev
  cmake ninja-build ccache gcc g++ git python3 python3-venv
  libgtest-dev libgmock-dev libbenchmark-dev)

say() { printf '\n== %s\n' "$*"; }

# as_root COMMAND...: as is for root, else through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "packages are missing, and there is neither root nor sudo to install them:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
}

install_packages() {
  missing=()
  local package
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: provide ${packages[*]} yourself" >&2
    return
  fi
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    echo "all packages are there"
    return
  fi
  echo "installing ${missing[*]} (up to 300 MB to download)"
  as_root apt-get update -qq
  # One line a package instead of dpkg's several.
  as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" |
    grep --line-buffered '^Setting up' || true
  for package in "${missing[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || {
      echo "$package could not be installed; 'apt-get install $package' says why" >&2
      exit 1
    }
  done
}

# NVRTC compiles kernels for GPUs. It is NVIDIA's, under a licence of its own, and
# only fetched, never shipped.
nvrtc_version=12.9.86
nvrtc_sha256=210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4
nvrtc_library=build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12

# Whether the system's loader finds one that knows all architectures (12.8).
has_nvrtc() {
  python3 - <<'END'
import ctypes, sys
for name in "libnvrtc.so.13", "libnvrtc.so.12":
    try:
        library = ctypes.CDLL(name)
    except OSError:
        continue
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    if (major.value, minor.value) >= (12, 8):
        print(f"NVRTC {major.value}.{minor.value} is installed")
        sys.exit(0)
sys.exit(1)
END
}

# Puts the pinned NVRTC into build/nvrtc, where the tests look for it, unless the
# machine has one or SINTER_NVRTC names one. Without a network the tests that need
# it are skipped.
fetch_nvrtc() {
  if [ -n "${SINTER_NVRTC:-}" ]; then
    echo "NVRTC is $SINTER_NVRTC, as SINTER_NVRTC says"
    return
  fi
  if has_nvrtc; then
    return
  fi
  if [ -e "$nvrtc_library" ]; then
    echo "NVRTC $nvrtc_version is there"
    return
  fi
  echo "fetching NVRTC $nvrtc_version, which compiles for GPUs (90 MB)"
  local work=build/nvrtc.tmp
  rm -rf "$work" build/nvrtc
  mkdir -p "$work"
  echo "nvidia-cuda-nvrtc-cu12==$nvrtc_version --hash=sha256:$nvrtc_sha256" >"$work/requirements.txt"
  if python3 -m venv "$work/venv" &&
    "$work/venv/bin/pip" --disable-pip-version-check install --no-deps --only-binary :all: \
      --require-hashes -r "$work/requirements.txt" --target "$work/nvrtc"; then
    mv "$work/nvrtc" build/nvrtc
  else
    echo "NVRTC could not be fetched: tests that compile for GPUs are skipped"
  fi
  rm -rf "$work"
}

# configure PRESET
configure() {
  local log="build/$1-configure.log"
  mkdir -p build
  if ! cmake --preset "$1" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
  fi
  echo "preset $1 in build/$1"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  NINJA_STATUS='[%f/%t %es] ' cmake --build --preset "$preset" ${1:+--target "$@"}
}
