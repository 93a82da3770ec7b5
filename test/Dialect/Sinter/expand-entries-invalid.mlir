// RUN: sinter-opt --sinter-expand-entries --split-input-file --verify-diagnostics %s

func.func @recursion(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = func.call @again(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func private @again(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{calls 'again' recursively, which can't be inlined}}
  %y = func.call @again(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error@+1 {{has no body; a model calls nothing outside}}
func.func private @outside(%x: tensor<?xf32>) -> tensor<?xf32>

// -----

// expected-error@+1 {{has several blocks; a model is straight-line code}}
func.func @blocks(%x: tensor<?xf32>) -> tensor<?xf32> {
  cf.br ^next
^next:
  return %x : tensor<?xf32>
}

// -----

sinter.state @h in "layers" dims ["batch"] : tensor<?x4xf32>
func.func @outside_of_layers() -> tensor<?x4xf32> {
  // expected-error@+1 {{uses @h, which is a state of each layer of 'layers', outside of these layers}}
  %y = sinter.read @h : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

sinter.state @h dims ["batch"] : tensor<?x4xf32>
func.func @two_writes(%x: tensor<?x4xf32>) {
  // expected-note@+1 {{the other use is here}}
  sinter.write @h, %x : tensor<?x4xf32>
  // expected-error@+1 {{changes state 'h' a second time in one entry}}
  sinter.write @h, %x : tensor<?x4xf32>
  return
}

// -----

sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @from_and_fill(%x: tensor<?x?x1x4xf32>) {
  // expected-note@+1 {{the other use is here}}
  %y = sinter.attention %x from(@kv) : tensor<?x?x1x4xf32>
  // expected-error@+1 {{mixes 'from' with a change of state 'kv' in one entry}}
  sinter.fill @kv, %x, %x : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
  return
}

// -----

sinter.state @a dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
sinter.state @b dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @two_lengths(%x: tensor<?x?x1x4xf32>, %n: tensor<?xi64>) {
  // expected-note@+1 {{the other use is here}}
  sinter.fill @a, %x, %x lengths(%n : tensor<?xi64>) : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
  // expected-error@+1 {{moves the cursor 'context' differently than another cache of it}}
  sinter.fill @b, %x, %x : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
  return
}

// -----

func.func private @f(%n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]}) -> (tensor<?xi64> {sinter.name = "y"}) {
  return %n : tensor<?xi64>
}
// expected-error@+1 {{binds an argument whose dimension 'batch' no other argument has}}
sinter.entry @g = @f with {n = 1}

// -----

func.func private @f(%a: tensor<?x3xf32> {sinter.name = "a", sinter.dims = ["n"]}, %b: tensor<4x2xf32> {sinter.name = "b"}) -> (tensor<?x2xf32> {sinter.name = "y"}) {
  // expected-error@+1 {{expects the inner size of rhs '4' to be '5'}}
  %y = sinter.matmul %a, %b transpose_lhs : tensor<?x3xf32>, tensor<4x2xf32>
  %c = tensor.cast %y : tensor<3x2xf32> to tensor<?x2xf32>
  return %c : tensor<?x2xf32>
}
// expected-error@+1 {{can't bind these dimensions}}
sinter.entry @g = @f with {n = 5}

// -----

// expected-note@+1 {{caches that are not filled together have dimensions of other names}}
sinter.state @a dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
sinter.state @b dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @one_of_two(%x: tensor<?x?x1x4xf32> {sinter.name = "x", sinter.dims = ["batch", "time"]}) {
  // expected-error@+1 {{moves the cursor 'context', but the entry adds nothing to cache 'a' of it}}
  sinter.fill @b, %x, %x : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
  return
}
func.func @other(%x: tensor<?x?x1x4xf32> {sinter.name = "x", sinter.dims = ["batch", "time"]}) -> (tensor<?x?x1x4xf32> {sinter.name = "y"}) {
  %y = sinter.attention %x from(@a) : tensor<?x?x1x4xf32>
  return %y : tensor<?x?x1x4xf32>
}

// -----

func.func @many(%x: tensor<?x4xf32> {sinter.name = "x", sinter.dims = ["n"]}) -> (tensor<?x4xf32> {sinter.name = "y"}) {
  // expected-error@+1 {{expects layers of at most '1000000' operations together, got '4000000000' layers of '2'}}
  %y = sinter.layers "blocks" count(4000000000) (%h = %x) : tensor<?x4xf32> {
    %r = sinter.relu %h : tensor<?x4xf32>
    sinter.yield %r : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}

// -----

func.func @nested(%x: tensor<?x4xf32> {sinter.name = "x", sinter.dims = ["n"]}) -> (tensor<?x4xf32> {sinter.name = "y"}) {
  // expected-error@+1 {{expects layers of at most '1000000' operations together, got '2000' layers of '3001'}}
  %y = sinter.layers "blocks" count(2000) (%h = %x) : tensor<?x4xf32> {
    %z = sinter.layers "inner" count(1000) (%g = %h) : tensor<?x4xf32> {
      %r = sinter.relu %g : tensor<?x4xf32>
      sinter.yield %r : tensor<?x4xf32>
    }
    sinter.yield %z : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}

// -----

sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @two(%x: tensor<2x?x1x4xf32> {sinter.name = "x", sinter.dims = ["time"]}) {
  sinter.fill @kv, %x, %x : tensor<2x?x1x4xf32>, tensor<2x?x1x4xf32>
  return
}
func.func @three(%x: tensor<3x?x1x4xf32> {sinter.name = "x", sinter.dims = ["time"]}) {
  // expected-error@+2 {{has '3' rows, but another use of state 'kv' has '2'}}
  // expected-note@+1 {{all entries work on all rows of a session}}
  sinter.fill @kv, %x, %x : tensor<3x?x1x4xf32>, tensor<3x?x1x4xf32>
  return
}
