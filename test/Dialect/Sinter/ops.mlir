// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s

// CHECK: module attributes {sinter.archive = "ops.safetensors"}
module attributes {sinter.archive = "ops.safetensors"} {
  // CHECK: sinter.state @hidden dims ["batch"] : tensor<?x128xf32>
  sinter.state @hidden dims ["batch"] : tensor<?x128xf32>
  // CHECK: sinter.state @kv in "layers" dims ["batch", "context" <= 512] : !sinter.cache<heads = 4, key = 8, value = 8, f32>
  sinter.state @kv in "layers" dims ["batch", "context" <= 512]
      : !sinter.cache<heads = 4, key = 8, value = 8, f32>
  // CHECK: sinter.state @cross dims ["batch", "source"]
  sinter.state @cross dims ["batch", "source"] : !sinter.cache<heads = 4, key = 8, value = 16, f32>

  // CHECK-LABEL: func.func @structure
  func.func @structure(%x: tensor<?x64xf32> {sinter.name = "x", sinter.dims = ["batch"]})
      -> (tensor<?x64xf32> {sinter.name = "y"}, tensor<?x64xf32> {sinter.name = "z"}) {
    // CHECK: sinter.weight "norm.weight", "w" : tensor<64xf32>, tensor<8x64xf32>
    %g, %w = sinter.weight "norm.weight", "w" : tensor<64xf32>, tensor<8x64xf32>
    // CHECK: sinter.weight "sinks" from("sinks.safetensors") : tensor<8xf32>
    %s = sinter.weight "sinks" from("sinks.safetensors") : tensor<8xf32>
    // CHECK: sinter.layers "blocks" count(5) from(1) index(%{{.*}}) (%{{.*}} = %{{.*}}) : tensor<?x64xf32> {
    // CHECK: sinter.yield %{{.*}} : tensor<?x64xf32>
    %y = sinter.layers "blocks" count(5) index(%n) from(1) (%h = %x) : tensor<?x64xf32> {
      %r = sinter.relu %h : tensor<?x64xf32>
      sinter.yield %r : tensor<?x64xf32>
    }
    // CHECK: sinter.layers "plain" count(2) {
    // CHECK-NEXT: sinter.yield{{$}}
    sinter.layers "plain" count(2) {
      sinter.yield
    }
    return %y, %x : tensor<?x64xf32>, tensor<?x64xf32>
  }
  // CHECK: sinter.entry @plain = @structure
  sinter.entry @plain = @structure
  // CHECK: sinter.entry @one = @structure with {batch = 1} keep ["y"]
  sinter.entry @one = @structure with {batch = 1} keep ["y"]

  // CHECK-LABEL: func.func @states
  func.func @states(%k: tensor<?x?x4x8xf32>, %v: tensor<?x?x4x16xf32>, %n: tensor<?xi64>, %ids: tensor<?x?xi32>) {
    // CHECK: %[[H:.*]] = sinter.read @hidden : tensor<?x128xf32>
    %h = sinter.read @hidden : tensor<?x128xf32>
    // CHECK: sinter.write @hidden, %[[H]] : tensor<?x128xf32>
    sinter.write @hidden, %h : tensor<?x128xf32>
    // CHECK: sinter.fill @cross, %{{.*}}, %{{.*}} lengths(%{{.*}} : tensor<?xi64>) : tensor<?x?x4x8xf32>, tensor<?x?x4x16xf32>
    sinter.fill @cross, %k, %v lengths(%n : tensor<?xi64>) : tensor<?x?x4x8xf32>, tensor<?x?x4x16xf32>
    // CHECK: sinter.restart "context"
    sinter.restart "context"
    // CHECK: sinter.positions %{{.*}} after("context") : tensor<?x?xi32>
    %at = sinter.positions %ids after("context") : tensor<?x?xi32>
    // CHECK: sinter.positions %{{.*}} : tensor<?x?xi64>
    %more = sinter.positions %at : tensor<?x?xi64>
    return
  }

  // CHECK-LABEL: func.func @layers
  func.func @layers(%ids: tensor<?x?xi32>, %x: tensor<?x?x64xf32>, %table: tensor<512x64xf32>,
                    %w: tensor<64x32xf32>, %b: tensor<32xf32>, %g: tensor<64xf32>) -> tensor<?x?x32xf32> {
    // CHECK: sinter.embedding %{{.*}}, %{{.*}} : tensor<?x?xi32>, tensor<512x64xf32>
    %e = sinter.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xf32>
    // CHECK: sinter.linear %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<512x64xf32>
    %l = sinter.linear %e, %table : tensor<?x?x64xf32>, tensor<512x64xf32>
    // CHECK: sinter.linear %{{.*}}, %{{.*}}, %{{.*}} in_out : tensor<?x?x64xf32>, tensor<64x32xf32>, tensor<32xf32>
    %m = sinter.linear %x, %w, %b in_out : tensor<?x?x64xf32>, tensor<64x32xf32>, tensor<32xf32>
    // CHECK: sinter.matmul %{{.*}}, %{{.*}} transpose_rhs : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    %p = sinter.matmul %x, %e transpose_rhs : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    // CHECK: sinter.matmul %{{.*}}, %{{.*}} transpose_lhs : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    %p2 = sinter.matmul %x, %e transpose_lhs : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    // CHECK: sinter.softmax %{{.*}} : tensor<?x?x?xf32>
    %s = sinter.softmax %p : tensor<?x?x?xf32>
    // CHECK: sinter.log_softmax %{{.*}} : tensor<?x?x?xf32>
    %ls = sinter.log_softmax %p : tensor<?x?x?xf32>
    // CHECK: sinter.layer_norm %{{.*}}, %{{.*}}, %{{.*}} eps(1.000000e-05) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
    %n1 = sinter.layer_norm %x, %g, %g eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
    // CHECK: sinter.layer_norm %{{.*}}, %{{.*}} eps(1.000000e-05) : tensor<?x?x64xf32>, tensor<64xf32>
    %n2 = sinter.layer_norm %x, %g eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
    // CHECK: sinter.rms_norm %{{.*}}, %{{.*}} eps(1.000000e-05) : tensor<?x?x64xf32>, tensor<64xf32>
    %n3 = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
    // CHECK: sinter.layer_norm %{{.*}} eps(1.000000e-05) : tensor<?x?x64xf32>
    %n4 = sinter.layer_norm %x eps(1.0e-5) : tensor<?x?x64xf32>
    // CHECK: sinter.rms_norm %{{.*}}, %{{.*}} unit_offset eps(1.000000e-04) : tensor<?x?x64xf32>, tensor<64xf32>
    %n5 = sinter.rms_norm %x, %g unit_offset eps(1.0e-4) : tensor<?x?x64xf32>, tensor<64xf32>
    // CHECK: sinter.rms_norm %{{.*}} eps(1.000000e-04) : tensor<?x?x64xf32>
    %n6 = sinter.rms_norm %x eps(1.0e-4) : tensor<?x?x64xf32>
    // CHECK: sinter.dropout %{{.*}} rate(1.000000e-01) : tensor<?x?x64xf32>
    %n7 = sinter.dropout %x rate(0.1) : tensor<?x?x64xf32>
    return %m : tensor<?x?x32xf32>
  }

  // CHECK-LABEL: func.func @feed_forward
  func.func @feed_forward(%x: tensor<?x64xf32>, %up: tensor<256x64xf32>, %ub: tensor<256xf32>,
                          %down: tensor<64x256xf32>, %db: tensor<64xf32>,
                          %half: tensor<64x128xf32>) {
    // CHECK: sinter.ffn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} gelu :
    %a = sinter.ffn %x, %up, %ub, %down, %db gelu
        : tensor<?x64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>
    // CHECK: sinter.ffn %{{.*}}, %{{.*}}, %{{.*}} relu in_out : tensor<?x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>
    %b = sinter.ffn %x, %down, %up relu in_out : tensor<?x64xf32>, tensor<64x256xf32>, tensor<256x64xf32>
    // CHECK: sinter.gated_ffn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} silu :
    %c = sinter.gated_ffn %x, %up, %up, %down silu
        : tensor<?x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64x256xf32>
    // CHECK: sinter.gated_ffn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} identity :
    %c2 = sinter.gated_ffn %x, %up, %ub, %up, %ub, %down, %db identity
        : tensor<?x64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>
    // CHECK: sinter.gated_ffn %{{.*}}, %{{.*}}, %{{.*}} gelu : tensor<?x64xf32>, tensor<256x64xf32>, tensor<64x128xf32>
    %c3 = sinter.gated_ffn %x, %up, %half gelu : tensor<?x64xf32>, tensor<256x64xf32>, tensor<64x128xf32>
    // CHECK: sinter.gated_ffn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} relu :
    %c4 = sinter.gated_ffn %x, %up, %ub, %half, %db relu
        : tensor<?x64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x128xf32>, tensor<64xf32>
    // CHECK: sinter.gelu %{{.*}} : tensor<?x64xf32>
    %d = sinter.gelu %x : tensor<?x64xf32>
    // CHECK: sinter.gelu %{{.*}} tanh : tensor<?x64xf32>
    %e = sinter.gelu %x tanh : tensor<?x64xf32>
    // CHECK: sinter.silu %{{.*}} : tensor<?x64xf32>
    %f = sinter.silu %x : tensor<?x64xf32>
    // CHECK: sinter.relu %{{.*}} : tensor<?x64xf32>
    %g = sinter.relu %x : tensor<?x64xf32>
    // CHECK: sinter.sigmoid %{{.*}} : tensor<?x64xf32>
    %h = sinter.sigmoid %x : tensor<?x64xf32>
    // CHECK: sinter.quick_gelu %{{.*}} : tensor<?x64xf32>
    %i = sinter.quick_gelu %x : tensor<?x64xf32>
    // CHECK: sinter.mish %{{.*}} : tensor<?x64xf32>
    %j = sinter.mish %x : tensor<?x64xf32>
    // CHECK: sinter.relu_squared %{{.*}} : tensor<?x64xf32>
    %k = sinter.relu_squared %x : tensor<?x64xf32>
    // CHECK: sinter.leaky_relu %{{.*}} alpha(1.000000e-02) : tensor<?x64xf32>
    %l = sinter.leaky_relu %x alpha(0.01) : tensor<?x64xf32>
    // CHECK: sinter.thresholded_relu %{{.*}} alpha(1.000000e+00) : tensor<?x64xf32>
    %m = sinter.thresholded_relu %x alpha(1.0) : tensor<?x64xf32>
    // CHECK: sinter.elu %{{.*}} alpha(1.000000e+00) : tensor<?x64xf32>
    %n = sinter.elu %x alpha(1.0) : tensor<?x64xf32>
    // CHECK: sinter.hard_sigmoid %{{.*}} alpha(2.000000e-01) beta(5.000000e-01) : tensor<?x64xf32>
    %o = sinter.hard_sigmoid %x alpha(0.2) beta(0.5) : tensor<?x64xf32>
    // CHECK: sinter.hard_swish %{{.*}} : tensor<?x64xf32>
    %p = sinter.hard_swish %x : tensor<?x64xf32>
    // CHECK: sinter.softplus %{{.*}} : tensor<?x64xf32>
    %q = sinter.softplus %x : tensor<?x64xf32>
    // CHECK: sinter.softsign %{{.*}} : tensor<?x64xf32>
    %r = sinter.softsign %x : tensor<?x64xf32>
    return
  }

  // CHECK-LABEL: func.func @shapes
  func.func @shapes(%x: tensor<?x?x128xf32>, %n: tensor<?xi64>, %i: tensor<?xi32>, %c: f32) {
    // CHECK: sinter.split %{{.*}} [100, 28] : tensor<?x?x128xf32>
    %a:2 = sinter.split %x [100, 28] : tensor<?x?x128xf32>
    // CHECK: sinter.split_heads %{{.*}} [8, 4, 4] : tensor<?x?x128xf32>
    %q, %k, %v = sinter.split_heads %x [8, 4, 4] : tensor<?x?x128xf32>
    // CHECK: sinter.merge_heads %{{.*}} : tensor<?x?x8x8xf32>
    %m = sinter.merge_heads %q : tensor<?x?x8x8xf32>
    // CHECK: sinter.last %{{.*}} lengths(%{{.*}} : tensor<?xi64>) : tensor<?x?x64xf32>
    %l = sinter.last %m lengths(%n : tensor<?xi64>) : tensor<?x?x64xf32>
    // CHECK: sinter.last %{{.*}} : tensor<?x?x8x8xf32>
    %l2 = sinter.last %q : tensor<?x?x8x8xf32>
    // CHECK: sinter.take %{{.*}} at(%{{.*}} : tensor<?xi32>) : tensor<?x?x64xf32>
    %t = sinter.take %m at(%i : tensor<?xi32>) : tensor<?x?x64xf32>
    // CHECK: sinter.broadcast %{{.*}} like(%{{.*}}) : f32, tensor<?x64xf32>
    %b = sinter.broadcast %c like(%t) : f32, tensor<?x64xf32>
    // CHECK: sinter.broadcast %{{.*}} like(%{{.*}}) : tensor<?x64xf32>, tensor<?x?x64xf32>
    %b2 = sinter.broadcast %t like(%m) : tensor<?x64xf32>, tensor<?x?x64xf32>
    // CHECK: sinter.transpose %{{.*}} [0, 2, 1, 3] : tensor<?x?x8x8xf32>
    %p = sinter.transpose %q [0, 2, 1, 3] : tensor<?x?x8x8xf32>
    return
  }

  // CHECK-LABEL: func.func @position_vectors
  func.func @position_vectors(%x: tensor<?x?x8x64xf32>, %at: tensor<?x?xi64>) {
    // CHECK: sinter.rope %{{.*}}, %{{.*}} : tensor<?x?x8x64xf32>, tensor<?x?xi64>
    %a = sinter.rope %x, %at theta(1.0e4) : tensor<?x?x8x64xf32>, tensor<?x?xi64>
    // CHECK: sinter.rope %{{.*}}, %{{.*}} interleaved theta(5.000000e+05) : tensor<?x?x8x64xf32>, tensor<?x?xi64>
    %b = sinter.rope %x, %at theta(5.0e5) interleaved : tensor<?x?x8x64xf32>, tensor<?x?xi64>
    // CHECK: sinter.sinusoidal_positions %{{.*}} : tensor<?x?xi64> -> tensor<?x?x512xf32>
    %c = sinter.sinusoidal_positions %at : tensor<?x?xi64> -> tensor<?x?x512xf32>
    // CHECK: sinter.sinusoidal_positions %{{.*}} halves : tensor<?x?xi64> -> tensor<?x?x512xf32>
    %d = sinter.sinusoidal_positions %at halves : tensor<?x?xi64> -> tensor<?x?x512xf32>
    // CHECK: sinter.positions %{{.*}} offset(2) : tensor<?x?xi64>
    %e = sinter.positions %at offset(2) : tensor<?x?xi64>
    // CHECK: sinter.alibi_slopes : tensor<12xf32>
    %f = sinter.alibi_slopes : tensor<12xf32>
    return
  }

  // CHECK-LABEL: func.func @rope_scaling
  func.func @rope_scaling(%x: tensor<?x?x8x4xf32>, %at: tensor<?x?xi64>, %n: tensor<?xi64>) {
    // CHECK: sinter.rope %{{.*}}, %{{.*}} rotary(2) scaling<linear, factor = 2.000000e+00> : tensor<?x?x8x4xf32>, tensor<?x?xi64>
    %a = sinter.rope %x, %at rotary(2) scaling<linear, factor = 2> : tensor<?x?x8x4xf32>, tensor<?x?xi64>
    // CHECK: scaling<dynamic, factor = 2.000000e+00, original_length = 5.120000e+02> lengths(%{{.*}} : tensor<?xi64>) :
    %b = sinter.rope %x, %at scaling<dynamic, original_length = 512, factor = 2.0> lengths(%n : tensor<?xi64>)
        : tensor<?x?x8x4xf32>, tensor<?x?xi64>
    // CHECK: interleaved scaling<yarn, factor = 4.000000e+00, original_length = 4.096000e+03, truncate = false> :
    %c = sinter.rope %x, %at interleaved scaling<yarn, factor = 4.0, original_length = 4096, truncate = false>
        : tensor<?x?x8x4xf32>, tensor<?x?xi64>
    // CHECK: scaling<longrope, original_length = 4.096000e+03, short_factor = [1.000000e+00, 1.100000e+00], long_factor = [1.000000e+00, 8.000000e+00], factor = 3.200000e+01> :
    %d = sinter.rope %x, %at
        scaling<longrope, original_length = 4096, factor = 32.0, short_factor = [1, 1.1], long_factor = [1.0, 8.0]>
        : tensor<?x?x8x4xf32>, tensor<?x?xi64>
    // CHECK: scaling<llama3, factor = 8.000000e+00, original_length = 8.192000e+03, low_freq_factor = 1.000000e+00, high_freq_factor = 4.000000e+00> :
    %e = sinter.rope %x, %at theta(5.0e5)
        scaling<llama3, factor = 8.0, original_length = 8192, low_freq_factor = 1.0, high_freq_factor = 4.0>
        : tensor<?x?x8x4xf32>, tensor<?x?xi64>
    return
  }

  // CHECK-LABEL: func.func @recurrence
  func.func @recurrence(%x: tensor<?x?x64xf32>, %xt: tensor<?x64xf32>, %h: tensor<?x32xf32>, %w: tensor<128x64xf32>,
                        %r: tensor<128x32xf32>, %b: tensor<128xf32>, %n: tensor<?xi64>) {
    // CHECK: sinter.lstm %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>
    %y:3 = sinter.lstm %x, %w, %r gates("ifgo") : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>
    // CHECK: sinter.lstm {{.*}} gates("iofg") reverse init(%{{.*}}, %{{.*}} : tensor<?x32xf32>, tensor<?x32xf32>) lengths(%{{.*}} : tensor<?xi64>) : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>
    %z:3 = sinter.lstm %x, %w, %r, %b, %b lengths(%n : tensor<?xi64>) init(%h, %h : tensor<?x32xf32>, tensor<?x32xf32>) reverse gates("iofg")
        : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>
    // CHECK: sinter.lstm_cell {{.*}} gates("iofg") : tensor<?x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<128x64xf32>, tensor<128x32xf32>
    %c:2 = sinter.lstm_cell %xt, %h, %h, %w, %r gates("iofg")
        : tensor<?x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<128x64xf32>, tensor<128x32xf32>
    return
  }
}
