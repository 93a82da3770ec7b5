// For bench/gpu/kernels.py: 4 blocks of 128 threads that come to a barrier 1000
// times, and that do not. `emulate bits` runs them.

namespace switches {
using namespace sinter;

struct Spec {
  static constexpr int threads = 128, blocks_per_sm = 1;
  using Arguments = sinter::Arguments<2>;
};

template <int Count>
SINTER_DEVICE void wait(const Spec::Arguments &, i64, Status *, u8 *) {
  for (int i = 0; i < Count; ++i)
    blockBarrier();
}

template <class S>
SINTER_DEVICE void thousand(const Spec::Arguments &arguments, i64 step,
                            Status *status, u8 *scratch) {
  wait<1000>(arguments, step, status, scratch);
}
template <class S>
SINTER_DEVICE void none(const Spec::Arguments &arguments, i64 step,
                        Status *status, u8 *scratch) {
  wait<0>(arguments, step, status, scratch);
}

} // namespace switches

SINTER_KERNEL(thousand, switches::Spec, switches::thousand)
SINTER_KERNEL(none, switches::Spec, switches::none)
