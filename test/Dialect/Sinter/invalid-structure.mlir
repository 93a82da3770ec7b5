// RUN: sinter-opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{'sinter.archive' is a string on the module}}
module @archive_c1 attributes {sinter.archive = 3} {}

// -----

// expected-error@+1 {{'sinter.name' is a non-empty string}}
func.func @names_c1(%x: tensor<4xf32> {sinter.name = ""}) { return }

// -----

// expected-error@+1 {{'sinter.dims' is an array of strings}}
func.func @names_c2(%x: tensor<?xf32> {sinter.dims = [3]}) { return }

// -----

// expected-error@+1 {{'sinter.dims' has '2' names for '1' dynamic dimensions of 'tensor<?x4xf32>'}}
func.func @names_c3(%x: tensor<?x4xf32> {sinter.dims = ["a", "b"]}) { return }

// -----

// expected-error@+1 {{expects positive heads, key and value sizes, got '0', '8', '8'}}
sinter.state @cache_c1 dims ["b", "s"] : !sinter.cache<heads = 0, key = 8, value = 8, f32>

// -----

// expected-error@+1 {{expects element type 'f32', got 'f16'}}
sinter.state @cache_c2 dims ["b", "s"] : !sinter.cache<heads = 1, key = 8, value = 8, f16>

// -----

func.func @weight_c1() {
  // expected-error@+1 {{has '2' names for '1' results}}
  %w = sinter.weight "a", "b" : tensor<4xf32>
  return
}

// -----

func.func @weight_c2() {
  // expected-error@+1 {{expects non-empty names}}
  %w = sinter.weight "" : tensor<4xf32>
  return
}

// -----

func.func @weight_c3() {
  // expected-error@+1 {{expects a static shape for "w", got 'tensor<?xf32>'}}
  %w = sinter.weight "w" : tensor<?xf32>
  return
}

// -----

func.func @element_type() {
  // expected-error@+1 {{must be variadic of ranked tensor of 32-bit float values, but got 'tensor<4xf16>'}}
  %w = sinter.weight "w" : tensor<4xf16>
  return
}

// -----

func.func @layers_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects a non-empty scope}}
  %y = sinter.layers "" count(2) (%h = %x) : tensor<4xf32> {
    sinter.yield %h : tensor<4xf32>
  }
  return
}

// -----

func.func @layers_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects count and from of at least 0}}
  %y = sinter.layers "a" count(-2) (%h = %x) : tensor<4xf32> {
    sinter.yield %h : tensor<4xf32>
  }
  return
}

// -----

func.func @layers_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects results of the types of its initial values}}
  %y = "sinter.layers"(%x) <{scope = "a", count = 2}> ({
  ^bb0(%h: tensor<4xf32>):
    sinter.yield %h : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @layers_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects block arguments of the types of its initial values}}
  %y = "sinter.layers"(%x) <{scope = "a", count = 2}> ({
  ^bb0(%h: tensor<5xf32>):
    sinter.yield %h : tensor<5xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @layers_c5(%x: tensor<4xf32>, %z: tensor<5xf32>) {
  %y = sinter.layers "a" count(2) (%h = %x) : tensor<4xf32> {
    // expected-error@+1 {{expects values of the types of the layers' results}}
    sinter.yield %z : tensor<5xf32>
  }
  return
}

// -----

// expected-error@+1 {{expects one bound per dimension}}
"sinter.state"() <{sym_name = "state_c1", dims = ["a"], bounds = array<i64>, type = tensor<?xf32>}> : () -> ()

// -----

// expected-error@+1 {{expects two dimension names for a cache, got '1'}}
sinter.state @state_c2 dims ["b"] : !sinter.cache<heads = 1, key = 8, value = 8, f32>

// -----

// expected-error@+1 {{expects elements of f32, i32 or i64, got 'f16'}}
sinter.state @state_c3 dims ["b"] : tensor<?xf16>

// -----

// expected-error@+1 {{has '2' names for '1' dynamic dimensions of 'tensor<?x4xf32>'}}
sinter.state @state_c4 dims ["b", "s"] : tensor<?x4xf32>

// -----

// expected-error@+1 {{expects rows as the first dimension, dynamic if any other is, got 'tensor<4x?xf32>'}}
sinter.state @state_c5 dims ["s"] : tensor<4x?xf32>

// -----

// expected-error@+1 {{expects rows as the first dimension, dynamic if any other is, got 'tensor<f32>'}}
sinter.state @state_c5 dims [] : tensor<f32>

// -----

// expected-note@+1 {{the state is 'tensor<?x4xf32>'}}
sinter.state @s dims ["b"] : tensor<?x4xf32>
func.func @read_c1() {
  // expected-error@+1 {{expects a tensor like state @s, got 'tensor<?x5xf32>'}}
  %x = sinter.read @s : tensor<?x5xf32>
  return
}

// -----

// expected-note@+1 {{the state is 'tensor<?x?x4xf32>'}}
sinter.state @s dims ["b", "t"] : tensor<?x?x4xf32>
func.func @read_c1_extent() {
  // expected-error@+1 {{expects a tensor like state @s, got 'tensor<?x5x4xf32>'}}
  %x = sinter.read @s : tensor<?x5x4xf32>
  return
}

// -----

func.func @write_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{uses an unknown state @s}}
  sinter.write @s, %x : tensor<?x4xf32>
  return
}

// -----

sinter.state @s dims ["b"] : tensor<?x4xf32>
func.func @fill_c1(%x: tensor<?x?x1x4xf32>) {
  // expected-error@+1 {{expects a cache, got a state of 'tensor<?x4xf32>'}}
  sinter.fill @s, %x, %x : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
  return
}

// -----

sinter.state @s dims ["b", "s"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @fill_c2(%x: tensor<?x?x1x4xf32>, %y: tensor<?x?x2x4xf32>) {
  // expected-error@+1 {{expects dimension 2 of value '2' to be '1'}}
  sinter.fill @s, %x, %y : tensor<?x?x1x4xf32>, tensor<?x?x2x4xf32>
  return
}

// -----

sinter.state @s dims ["b", "s"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @fill_c3(%x: tensor<2x?x1x4xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  sinter.fill @s, %x, %x lengths(%n : tensor<3xi64>) : tensor<2x?x1x4xf32>, tensor<2x?x1x4xf32>
  return
}

// -----

sinter.state @s dims ["b", "s"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
func.func @fill_c4(%x: tensor<?x?x1x8xf32>) {
  // expected-error@+1 {{expects the key size '8' to be '4'}}
  sinter.fill @s, %x, %x : tensor<?x?x1x8xf32>, tensor<?x?x1x8xf32>
  return
}

// -----

func.func @restart_c1() {
  // expected-error@+1 {{names the cursor 'context', which no cache of the module has}}
  sinter.restart "context"
  return
}

// -----

func.func private @f(%n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]}) { return }
// expected-error@+1 {{expects a number of at least 0 for 'n'}}
sinter.entry @entry_c1 = @f with {n = -1}

// -----

// expected-error@+1 {{expects a function with a body, got @nothing}}
sinter.entry @entry_c2 = @nothing

// -----

func.func private @f(%n: tensor<?xf32> {sinter.name = "n", sinter.dims = ["batch"]}) { return }
// expected-error@+1 {{binds 'n', which is no dimension or integer argument of @f}}
sinter.entry @entry_c3 = @f with {batch = 1, n = 1}

// -----

func.func private @f(%n: tensor<?xf32>) -> (tensor<?xf32> {sinter.name = "y"}) { return %n : tensor<?xf32> }
// expected-error@+1 {{keeps 'z', which is no result of @f}}
sinter.entry @entry_c4 = @f keep ["y", "z"]

// -----

func.func private @f(%n: tensor<?xf32>) { return }
// expected-error@+1 {{binds 'n' twice}}
sinter.entry @twice = @f with {n = 1, n = 2}

// -----

func.func @missing_op() {
  // expected-error@+1 {{unregistered operation 'sinter.nothing' found in dialect ('sinter')}}
  "sinter.nothing"() : () -> ()
  return
}
