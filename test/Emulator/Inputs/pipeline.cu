// A kernel of every primitive, right and with one fault at a time. Four tiles a
// block go through two buffers by asynchronous copies; every thread adds up a
// quarter of a quad that another warp copied.
//
//   a[b][t] = sum over tiles j and e < 4 of in[b][j][(t + 40) % 64][e]
//   out[b][t] = a[b][t] + 2 a[b][t ^ 1] + sum over u of a[b][u]
//
// `in` has `inputs` floats, zeros follow; `out` has `outputs`.

namespace pipeline {
using namespace sinter;

enum class Fault {
  none,
  noBarrierAfterWait,
  noBarrierBeforeRefill,
  noWait,
  oneGroupTooFew,
  noCommit,
  refillOfBufferInUse,
  overlappingCopies,
  sourceOverwritten,
  endWithoutWait,
  noZeroFill,
  noStoreGuard,
  unguardedTailLoad,
  misalignedLoad,
  sharedOutOfBounds,
  sharedOutOfBoundsPlain,
  uninitializedShared,
  fewerLanesSummed,
  noWarpBarrier,
  noBarrierOneWay,
  barrierInBranch,
  partOfWarpAtBarrier,
  shuffleInBranch,
  laneEndsEarly,
  namedBarrierNeverFull,
  namedBarrierTooLarge,
  raceInBlock,
  raceBetweenBlocks
};

constexpr int kThreads = 64, kTiles = 4, kTile = 4 * kThreads;

template <Fault theFault> struct Spec {
  static constexpr int threads = kThreads, blocks_per_sm = 1;
  static constexpr Fault fault = theFault;
  using Arguments = sinter::Arguments<4>; // in, out, inputs, outputs
};

/// Starts the copies of tile j of this block.
template <Fault fault>
SINTER_DEVICE void copyTile(float *buffer, float *in, i64 inputs, int j) {
  i64 first = i64(blockIndex() * kTiles + j) * kTile + threadIndex() * 4;
  bool valid = first < inputs || fault == Fault::noZeroFill;
  float *target = buffer + threadIndex() * 4;
  if (fault == Fault::overlappingCopies)
    copyAsync<16>(target, in, true);
  copyAsync<16>(target, in + first, valid);
  if (fault == Fault::sourceOverwritten && valid)
    in[first] += 1;
  if (fault != Fault::noCommit)
    copyAsyncCommit();
}

/// The sum of a value over the lanes of the warp, in each lane.
template <Fault fault> SINTER_DEVICE float warpSum(float value) {
  for (int mask = fault == Fault::fewerLanesSummed ? 8 : 16; mask; mask /= 2)
    value += shuffleXor(value, mask);
  return value;
}

/// Faults that need a place and nothing of the kernel.
template <Fault fault>
SINTER_DEVICE void misbehave(float *shared, float *in, float *out, i64 inputs,
                             u8 *scratch) {
  float *more = reinterpret_cast<float *>(scratch);
  if (fault == Fault::unguardedTailLoad &&
      in[inputs + threadIndex() % 16] == 1234)
    out[0] = 0;
  if (fault == Fault::misalignedLoad)
    out[0] = loadGlobal(reinterpret_cast<Pack<float, 4> *>(in + 1)).lane[0];
  if (fault == Fault::sharedOutOfBounds)
    storeShared(shared + 2 * kTile + kThreads + 2, 0.0f);
  if (fault == Fault::sharedOutOfBoundsPlain)
    shared[2 * kTile + kThreads + 2] = 0;
  if (fault == Fault::namedBarrierNeverFull && warpIndex() == 0)
    namedBarrierSync(1, 64);
  if (fault == Fault::namedBarrierTooLarge)
    namedBarrierSync(1, 96);
  if (fault == Fault::raceInBlock) {
    more[threadIndex()] = 1;
    if (more[threadIndex() ^ 32] == 2)
      out[0] = 0;
  }
  if (fault == Fault::raceBetweenBlocks && threadIndex() == 0)
    more[0] += 1;
}

template <class Spec>
SINTER_DEVICE void run(const typename Spec::Arguments &arguments, i64 step,
                       Status *status, u8 *scratch) {
  constexpr Fault fault = Spec::fault;
  SINTER_SHARED(memory);
  float *shared = reinterpret_cast<float *>(memory);
  float *exchange = shared + 2 * kTile, *partial = exchange + kThreads;
  float *in = reinterpret_cast<float *>(arguments.slot[0]);
  float *out = reinterpret_cast<float *>(arguments.slot[1]);
  i64 inputs = arguments.slot[2], outputs = arguments.slot[3];
  int thread = threadIndex(), source = (thread + 40) % kThreads * 4;
  if (loadRelaxed(&status->abort))
    return;
  misbehave<fault>(shared, in, out, inputs, scratch);

  float sum = 0;
  copyTile<fault>(shared, in, inputs, 0);
  for (int j = 0; j < kTiles; ++j) {
    float *tile = shared + j % 2 * kTile;
    float *next = shared + (j + 1) % 2 * kTile;
    if (j + 1 < kTiles)
      copyTile<fault>(fault == Fault::refillOfBufferInUse ? tile : next, in,
                      inputs, j + 1);
    else
      copyAsyncCommit();
    if (fault != Fault::noWait && fault != Fault::oneGroupTooFew)
      copyAsyncWait<1>();
    if (fault == Fault::oneGroupTooFew)
      copyAsyncWait<2>();
    if (fault != Fault::noBarrierAfterWait)
      blockBarrier(); // tile j is there
    for (int e = 0; e < 4; ++e)
      sum += tile[source + e];
    if (fault == Fault::barrierInBranch) {
      if (warpIndex() == 0)
        blockBarrier();
    } else if (fault == Fault::partOfWarpAtBarrier) {
      if (laneIndex() < 16)
        blockBarrier();
    } else if (fault != Fault::noBarrierBeforeRefill) {
      blockBarrier(); // the buffer of tile j is free
    }
  }
  if (fault != Fault::endWithoutWait)
    copyAsyncWait<0>();
  else
    copyAsync<4>(shared, in, true);

  if (fault == Fault::laneEndsEarly && laneIndex() == 31)
    return;
  if (fault != Fault::uninitializedShared)
    exchange[thread] = sum;
  if (fault != Fault::noWarpBarrier)
    warpBarrier();
  float neighbour = exchange[thread ^ 1];
  float total = 0;
  if (fault != Fault::shuffleInBranch || laneIndex() < 16)
    total = warpSum<fault>(sum);
  if (laneIndex() == 0)
    partial[warpIndex()] = total;
  if (fault == Fault::noBarrierOneWay && thread == 32)
    partial[1] += partial[0]; // which warp 0 writes
  blockBarrier();
  total = partial[1];
  if (fault != Fault::noBarrierOneWay)
    total += partial[0];
  i64 index = i64(blockIndex()) * kThreads + thread;
  if (index < outputs || fault == Fault::noStoreGuard)
    storeGlobal(out + index, sum + 2 * neighbour + total);
}

} // namespace pipeline

#define PIPELINE(fault)                                                        \
  SINTER_KERNEL(fault, pipeline::Spec<pipeline::Fault::fault>, pipeline::run)
PIPELINE(none)
PIPELINE(noBarrierAfterWait)
PIPELINE(noBarrierBeforeRefill)
PIPELINE(noWait)
PIPELINE(oneGroupTooFew)
PIPELINE(noCommit)
PIPELINE(refillOfBufferInUse)
PIPELINE(overlappingCopies)
PIPELINE(sourceOverwritten)
PIPELINE(endWithoutWait)
PIPELINE(noZeroFill)
PIPELINE(noStoreGuard)
PIPELINE(unguardedTailLoad)
PIPELINE(misalignedLoad)
PIPELINE(sharedOutOfBounds)
PIPELINE(sharedOutOfBoundsPlain)
PIPELINE(uninitializedShared)
PIPELINE(fewerLanesSummed)
PIPELINE(noWarpBarrier)
PIPELINE(noBarrierOneWay)
PIPELINE(barrierInBranch)
PIPELINE(partOfWarpAtBarrier)
PIPELINE(shuffleInBranch)
PIPELINE(laneEndsEarly)
PIPELINE(namedBarrierNeverFull)
PIPELINE(namedBarrierTooLarge)
PIPELINE(raceInBlock)
PIPELINE(raceBetweenBlocks)
