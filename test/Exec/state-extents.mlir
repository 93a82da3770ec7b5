// Ragged rows and rows of length 0, which keep their content: extents only grow.
// RUN: sinter-run %s %sweep --calls=4 --dim=batch=1,3 --dim=source=0,1,5 --dim=source.capacity=7 --entry=encode --entry=step --entry=encode_two --entry=step
// Extents that change from call to call, by an extent of another name; above the capacity it is refused.
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=source=2 --dim=source.capacity=5 --dim=more=0,3,5 --entry=put --entry=get --entry=renew --entry=get
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=source=2 --dim=source.capacity=5 --dim=more=6 --entry=put --entry=renew
// A state that no entry has written has extent 0.
// RUN: sinter-run %s %sweep --dim=batch=1,2 --dim=source.capacity=3 --dim=source=3 --entry=get --entry=step
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=source=4 --dim=source.capacity=3 --entry=put
// RUN: not sinter-run %s --dim=batch=2 --input=random --dim=source=4 --dim=source.capacity=3 --entry=put 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: extents_put: source is more than the session's source
// RUN: not sinter-run %s --dim=batch=2 --input=random --dim=source=2 --dim=source.capacity=5 --dim=more=6 --entry=renew 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: extents_renew: "memory" would have more than the session's source
// RUN: not sinter-run %s --dim=batch=2 --input=random --dim=source=3 --dim=source.capacity=5 --dim=more=2 --entry=put --entry=renew --entry=both 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: not sinter-run %s --reference --dim=batch=2 --input=random --dim=source=3 --dim=source.capacity=5 --dim=more=2 --entry=put --entry=renew --entry=both 2>&1 | FileCheck %s --check-prefix=REFERENCE
// DIFFER: extents_both: source of the session's "ids" is not that of another state
// REFERENCE: error: state 'ids' has 'source' = '3', but 'memory' has '2'
// States of different extents are refused where one entry reads both, here and in the reference.
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=2 --dim=source=3 --dim=source.capacity=5 --dim=more=2 --entry=put --entry=renew --entry=both

!m = tensor<?x?x6xf32>
!row = tensor<?x6xf32>
!ids = tensor<?x?xi64>
!len = tensor<?xi64>
!heads = tensor<?x?x2x3xf32>

module @extents {
  sinter.state @memory dims ["batch", "source"] : !m
  sinter.state @ids dims ["batch", "source"] : !ids
  sinter.state @count dims ["batch"] : !len

  func.func @encode(%x: !m {sinter.name = "x", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!row {sinter.name = "last"}) {
    %y = math.absf %x : !m
    %last = sinter.last %y lengths(%lengths : !len) : !m
    sinter.write @memory, %y : !m
    sinter.write @count, %lengths : !len
    return %last : !row
  }

  // Another extent: two positions of each row.
  func.func @encode_two(%x: tensor<?x2x6xf32> {sinter.name = "x", sinter.dims = ["batch"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!row {sinter.name = "last"}) {
    %last = sinter.last %x lengths(%lengths : !len) : tensor<?x2x6xf32>
    sinter.write @memory, %x : tensor<?x2x6xf32>
    sinter.write @count, %lengths : !len
    return %last : !row
  }

  // Attends over what was encoded; the weights have the state's extent.
  func.func @step(%q: tensor<?x1x6xf32> {sinter.name = "q", sinter.dims = ["batch"]}) -> (tensor<?x1x6xf32> {sinter.name = "context"}) {
    %n = sinter.read @count : !len
    %m = sinter.read @memory : !m
    %qh = sinter.split_heads %q [2] : tensor<?x1x6xf32>
    %kh = sinter.split_heads %m [2] : !m
    %a = sinter.attention %qh, %kh, %kh lengths(%n : !len) : tensor<?x1x2x3xf32>, !heads, !heads
    %c = sinter.merge_heads %a : tensor<?x1x2x3xf32>
    return %c : tensor<?x1x6xf32>
  }

  func.func @put(%x: !m {sinter.name = "x", sinter.dims = ["batch", "source"]},
      %i: !ids {sinter.name = "i", sinter.dims = ["batch", "source"]}) {
    sinter.write @memory, %x : !m
    sinter.write @ids, %i : !ids
    return
  }
  func.func @get() -> (!m {sinter.name = "m", sinter.dims = ["batch", "source"]}, !m {sinter.name = "twice"}) {
    %m = sinter.read @memory : !m
    %twice = arith.addf %m, %m : !m
    return %m, %twice : !m, !m
  }
  func.func @both() -> (!m {sinter.name = "m"}, !ids {sinter.name = "i"}) {
    %m = sinter.read @memory : !m
    %i = sinter.read @ids : !ids
    return %m, %i : !m, !ids
  }
  // The old content is read first.
  func.func @renew(%x: !m {sinter.name = "x", sinter.dims = ["batch", "more"]}) -> (!m {sinter.name = "old"}) {
    %m = sinter.read @memory : !m
    sinter.write @memory, %x : !m
    return %m : !m
  }
}
