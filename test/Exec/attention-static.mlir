// RUN: sinter-run %s %sweep --calls=2 --dim=batch=2 --dim=context=11

!q = tensor<2x5x4x8xf32>
!k = tensor<2x9x2x8xf32>
!v = tensor<2x9x2x6xf32>
!y = tensor<2x5x4x6xf32>
// All extents are constants: offsets, tables of numbers and views too.
module @attention_static {
  func.func @f(%q: !q {sinter.name = "q"}, %k: !k {sinter.name = "k"}, %v: !v {sinter.name = "v"}, %n: tensor<2xi64> {sinter.name = "lengths"}, %m: tensor<2x1x5x9xi1> {sinter.name = "m"})
     -> (!y {sinter.name = "y"}, tensor<2x5x4xf32> {sinter.name = "l"}, tensor<2x4x5x9xf32> {sinter.name = "p"}) {
    %y, %l, %p = sinter.attention %q, %k, %v causal window(3, ?) lengths(%n : tensor<2xi64>) mask(%m : tensor<2x1x5x9xi1>) lse weights : !q, !k, !v
    return %y, %l, %p : !y, tensor<2x5x4xf32>, tensor<2x4x5x9xf32>
  }
  func.func @g(%q: tensor<2x19xf32> {sinter.name = "q"}, %k: tensor<2x9x19xf32> {sinter.name = "k"}, %v: tensor<2x9x6xf32> {sinter.name = "v"}, %w: tensor<19xf32> {sinter.name = "w"})
     -> (tensor<2x6xf32> {sinter.name = "y"}, tensor<2x9xf32> {sinter.name = "p"}) {
    %y, %p = sinter.additive_attention %q, %k, %v, %w weights : tensor<2x19xf32>, tensor<2x9x19xf32>, tensor<2x9x6xf32>, tensor<19xf32>
    return %y, %p : tensor<2x6xf32>, tensor<2x9xf32>
  }
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 8, value = 6, f32>
  func.func @h(%q: !q {sinter.name = "q"}, %k: tensor<2x5x2x8xf32> {sinter.name = "k"}, %v: tensor<2x5x2x6xf32> {sinter.name = "v"})
     -> (!y {sinter.name = "y"}, tensor<2x5x4xf32> {sinter.name = "l"}) {
    %y, %l = sinter.attention %q, %k, %v causal append(@kv) lse : !q, tensor<2x5x2x8xf32>, tensor<2x5x2x6xf32>
    return %y, %l : !y, tensor<2x5x4xf32>
  }
  func.func @i(%q: !q {sinter.name = "q"}) -> (!y {sinter.name = "y"}) {
    %y = sinter.attention %q from(@kv) causal : !q -> !y
    return %y : !y
  }
}
