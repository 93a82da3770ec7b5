// RUN: sinter-run %s %sweep --calls=3 --dim=batch=2 --dim=context=30 --dim=sequence=1,7
// Entries work on all rows of a session, so one of two rows takes sessions of two only.
// RUN: not sinter-run %s --input=random --dim=batch=3 --dim=context=9 --dim=sequence=1 2>&1 | FileCheck %s
// RUN: not sinter-run %s --reference --input=random --dim=batch=3 --dim=context=9 --dim=sequence=1 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not sinter-run %s --input=random --dim=batch=2 --dim=context=0 --dim=sequence=1 2>&1 | FileCheck %s --check-prefix=CONTEXT
// CHECK: rows_session_init: batch is outside 2..2
// REFERENCE: dimension "batch" is '3', but entries have '2' rows
// CONTEXT: rows_session_init: context is outside 1..

!q = tensor<?x?x2x4xf32>

module @rows {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 4, value = 4, f32>

  func.func @forward(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %q, %q causal append(@kv) : !q, !q, !q
    return %y : !q
  }
  sinter.entry @step = @forward with {batch = 2, sequence = 1}
}
