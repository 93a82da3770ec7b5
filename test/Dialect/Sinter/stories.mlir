// The example of the documentation parses, prints and comes back.
// RUN: sinter-opt --verify-roundtrip %src/docs/examples/stories/stories.mlir | FileCheck %s
// RUN: sinter-opt --sinter-expand-entries --sinter-expand-library --canonicalize --cse --symbol-dce \
// RUN:   %src/docs/examples/stories/stories.mlir | FileCheck %s --check-prefix=EXPANDED

// CHECK: module @stories
// CHECK: sinter.layers "layers" count(5)

// EXPANDED: sinter.state @layers.0.kv dims ["batch", "context" <= 512]
// EXPANDED: sinter.state @layers.4.kv
// EXPANDED-NOT: sinter.state
// EXPANDED: func.func @prefill
// EXPANDED-COUNT-5: sinter.attention
// EXPANDED-NOT: sinter.attention
// EXPANDED: func.func @decode
// EXPANDED-SAME: tensor<?x1xi32>
// EXPANDED-COUNT-5: sinter.attention
// EXPANDED-NOT: sinter.{{attention|entry|layers|gated_ffn}}
