// RUN: sinter-run %s %sweep --entry=prefill --entry=step --input=old=1x15360x1x16xf32=nan

!old = tensor<1x15360x1x16xf32>
!new = tensor<1x1024x1x16xf32>
!all = tensor<1x16384x1x16xf32>

// A window of 256 in 16384 keys costs what its tiles cost: of the keys and values before the last tiles all are NaN,
// and one that was visited would show, for 0 times NaN is NaN.
module @attention_window {
  func.func private @window(%q: tensor<1x?x1x16xf32> {sinter.name = "q", sinter.dims = ["rows"]}, %old: !old {sinter.name = "old"},
      %k: !new {sinter.name = "k"}, %v: !new {sinter.name = "v"}) -> (tensor<1x?x1x16xf32> {sinter.name = "y"}) {
    %keys = tensor.concat dim(1) %old, %k : (!old, !new) -> !all
    %values = tensor.concat dim(1) %old, %v : (!old, !new) -> !all
    %y = sinter.attention %q, %keys, %values causal window(255, ?) : tensor<1x?x1x16xf32>, !all, !all
    return %y : tensor<1x?x1x16xf32>
  }

  sinter.entry @prefill = @window with {rows = 96}
  sinter.entry @step = @window with {rows = 1}
}
