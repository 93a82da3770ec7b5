// Every primitive on random bits. A GPU and the emulator must print the same
// bits; `approximations` alone may differ, in the last bits.
//
//   emulate bits OBJECT KERNEL
//
// Each thread has 64 words of `in` and of `out`, 64 bytes of shared memory.

namespace conformance {
using namespace sinter;

struct Spec {
  static constexpr int threads = 128, blocks_per_sm = 1;
  using Arguments = sinter::Arguments<2>; // in, out
};
constexpr int kWords = 64, kSharedWords = 16;

struct Thread {
  const u32 *in;
  u32 *out;
  u8 *shared; // of this thread

  SINTER_DEVICE Thread(const Spec::Arguments &arguments) {
    SINTER_SHARED(memory);
    i64 thread = i64(blockIndex()) * threadCount() + threadIndex();
    in = reinterpret_cast<const u32 *>(arguments.slot[0]) + thread * kWords;
    out = reinterpret_cast<u32 *>(arguments.slot[1]) + thread * kWords;
    shared = memory + threadIndex() * kSharedWords * 4;
  }
  /// The next words of `out`.
  template <class T> SINTER_DEVICE void put(T value) {
    constexpr int words = (sizeof(T) + 3) / 4;
    u32 bits[words] = {};
    for (int i = 0; i < int(sizeof(T)); ++i)
      bits[i / 4] |= u32(reinterpret_cast<const u8 *>(&value)[i]) << i % 4 * 8;
    for (int i = 0; i < words; ++i)
      *out++ = bits[i];
  }
  template <class T> SINTER_DEVICE T word(int index) const {
    return *reinterpret_cast<const T *>(in + index);
  }
};

template <class T> SINTER_DEVICE void shuffle(Thread &thread, int word) {
  T value = thread.word<T>(word);
  for (int lanes = 1; lanes < 32; lanes *= 2)
    thread.put(shuffleXor(value, lanes));
  thread.put(shuffleDown(value, 5));
  thread.put(shuffleIndex(value, i32(thread.in[0])));
}

template <class>
SINTER_DEVICE void shuffles(const Spec::Arguments &arguments, i64, Status *,
                            u8 *) {
  Thread thread(arguments);
  shuffle<u32>(thread, 1);
  shuffle<float>(thread, 2);
  shuffle<i64>(thread, 4);
  shuffle<double>(thread, 6);
  thread.put(warpBallot(thread.in[8] & 1));
}

template <class T> SINTER_DEVICE void access(Thread &thread, int word) {
  const T *source = reinterpret_cast<const T *>(thread.in + word);
  storeShared(reinterpret_cast<T *>(thread.shared), loadGlobal(source));
  T value = loadShared(reinterpret_cast<const T *>(thread.shared));
  storeGlobal(reinterpret_cast<T *>(thread.out), value);
  thread.out += 4;
}

template <class>
SINTER_DEVICE void accesses(const Spec::Arguments &arguments, i64, Status *,
                            u8 *) {
  Thread thread(arguments);
  access<u8>(thread, 0);
  access<u16>(thread, 1);
  access<float>(thread, 2);
  access<double>(thread, 4);
  access<Pack<float, 4>>(thread, 8);
  access<Pack<bf16, 8>>(thread, 12);
  access<Pack<u8, 16>>(thread, 16);
  access<Pack<double, 2>>(thread, 20);
}

/// Whole copies and zeros, of each size, in two groups.
template <class>
SINTER_DEVICE void copies(const Spec::Arguments &arguments, i64, Status *,
                          u8 *) {
  Thread thread(arguments);
  bool valid = thread.in[0] & 1;
  copyAsync<16>(thread.shared, thread.in + 4, valid);
  copyAsync<8>(thread.shared + 16, thread.in + 8, !valid);
  copyAsyncCommit();
  copyAsync<4>(thread.shared + 24, thread.in + 10, valid);
  copyAsync<4>(thread.shared + 28, thread.in + 11, true);
  copyAsyncCommit();
  copyAsyncWait<1>();
  for (int i = 0; i < 6; ++i)
    thread.put(reinterpret_cast<const u32 *>(thread.shared)[i]);
  copyAsyncWait<0>();
  blockBarrier();
  SINTER_SHARED(all);
  int other = (threadIndex() + 50) % threadCount() * kSharedWords;
  for (int i = 0; i < 8; ++i)
    thread.put(reinterpret_cast<const u32 *>(all)[other + i]);
}

template <class>
SINTER_DEVICE void conversions(const Spec::Arguments &arguments, i64, Status *,
                               u8 *) {
  Thread thread(arguments);
  for (int i = 0; i < 16; ++i) {
    u32 bits = thread.in[i];
    // Of the random numbers most are out of f16's range: also some in it.
    u32 inRange = (bits & 0x87ffffff) | 0x38000000;
    thread.put(u32(toF16(bitCast<float>(bits)).bits) |
               u32(toF16(bitCast<float>(inRange)).bits) << 16);
    thread.put(u32(toBf16(bitCast<float>(bits)).bits));
    float half = toFloat(f16{u16(bits)});
    thread.put(half == half ? half : 0);
    thread.put(toFloat(bf16{u16(bits)}));
  }
}

/// The first two warps hand a value over to the others, twice.
template <class>
SINTER_DEVICE void barriers(const Spec::Arguments &arguments, i64, Status *,
                            u8 *) {
  Thread thread(arguments);
  SINTER_SHARED(memory);
  u32 *slots = reinterpret_cast<u32 *>(memory);
  for (int round = 0; round < 2; ++round) {
    if (threadIndex() < 64) {
      if (round)
        namedBarrierSync(2, 128); // the slots are free
      slots[threadIndex()] = thread.in[round];
      namedBarrierArrive(1, 128);
    } else {
      namedBarrierSync(1, 128); // the slots are full
      thread.put(slots[threadIndex() ^ 65]);
      if (!round)
        namedBarrierArrive(2, 128);
    }
  }
  warpBarrier();
}

/// What comes before depends on the order of threads; the end does not.
template <class>
SINTER_DEVICE void atomics(const Spec::Arguments &arguments, i64,
                           Status *status, u8 *) {
  Thread thread(arguments);
  atomicMaxRelaxed(&status->notice, i32(thread.in[0] & 0xffff));
  i32 *sum =
      reinterpret_cast<i32 *>(reinterpret_cast<u32 *>(arguments.slot[1]) +
                              i64(blockIndex()) * threadCount() * kWords);
  atomicAddRelaxed(sum, i32(thread.in[1]));
  blockBarrier();
  thread.out += 1;
  thread.put(loadRelaxed(sum));
}

template <class>
SINTER_DEVICE void approximations(const Spec::Arguments &arguments, i64,
                                  Status *, u8 *) {
  Thread thread(arguments);
  for (int i = 0; i < 16; ++i) {
    float small = bitCast<float>((thread.in[i] & 0x83ffffff) | 0x3c000000);
    thread.put(ex2(small));
    thread.put(rsqrtApprox(bitCast<float>(thread.in[i] & 0x7fffffff)));
  }
}

} // namespace conformance

SINTER_KERNEL(shuffles, conformance::Spec, conformance::shuffles)
SINTER_KERNEL(accesses, conformance::Spec, conformance::accesses)
SINTER_KERNEL(copies, conformance::Spec, conformance::copies)
SINTER_KERNEL(conversions, conformance::Spec, conformance::conversions)
SINTER_KERNEL(barriers, conformance::Spec, conformance::barriers)
SINTER_KERNEL(atomics, conformance::Spec, conformance::atomics)
SINTER_KERNEL(approximations, conformance::Spec, conformance::approximations)
