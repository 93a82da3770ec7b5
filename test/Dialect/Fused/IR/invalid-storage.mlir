// RUN: sinter-opt -split-input-file -verify-diagnostics %s

// expected-error@+1 {{expects a name and a bound for each of '2' dynamic dimensions, got '1' and '2'}}
fused.storage @memory dims ["batch"] bounds [0, 0] : tensor<?x?x64xf32>

// -----

// expected-error@+1 {{expects rows, dynamic if any other dimension is, got 'tensor<4x?xf32>'}}
fused.storage @memory dims ["source"] bounds [0] : tensor<4x?xf32>

// -----

// expected-error@+1 {{expects a cursor if it is the keys or the values of a cache}}
fused.storage @keys dims ["batch", "context"] cursor "context" bounds [0, 0] : tensor<?x4x?x8xf32>

// -----

// expected-error@+1 {{expects a cursor if it is the keys or the values of a cache}}
fused.storage @keys dims ["batch", "context"] keys of "kv" bounds [0, 0] : tensor<?x4x?x8xf32>

// -----

// expected-error@+1 {{expects 4 dimensions for half of a cache, got 'tensor<?x?x8xf32>'}}
fused.storage @keys dims ["batch", "context"] cursor "context" keys of "kv" bounds [0, 0] : tensor<?x?x8xf32>
