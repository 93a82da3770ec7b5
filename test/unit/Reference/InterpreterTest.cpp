//===- InterpreterTest.cpp - Entries and sessions of the reference ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sinter;

namespace {

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<SinterDialect, arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &d) { message = d.str(); });
  }

  void load(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << message;
    interpreter.emplace(*module, [&](StringRef name, StringRef,
                                     RankedTensorType type, Location) {
      return FailureOr<Tensor>(weights.lookup(name));
    });
  }
  Session session(const llvm::StringMap<int64_t> &dims) {
    FailureOr<Session> s = Session::create(*module, dims);
    EXPECT_TRUE(succeeded(s)) << message;
    return *s;
  }
  /// The results, or none after an error.
  std::vector<ReferenceValue> run(StringRef entry,
                                  const llvm::StringMap<Tensor> &inputs,
                                  Session &session) {
    message.clear();
    auto results = interpreter->run(entry, inputs, session);
    return succeeded(results) ? *results : std::vector<ReferenceValue>();
  }

  Tensor f(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return Tensor::ofReals(shape, b.getF32Type(), values);
  }
  Tensor i64(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    return Tensor::ofIntegers(shape, b.getI64Type(), values);
  }
  Tensor i32(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    return Tensor::ofIntegers(shape, b.getI32Type(), values);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder b{&context};
  OwningOpRef<ModuleOp> module;
  std::optional<Interpreter> interpreter;
  llvm::StringMap<Tensor> weights;
  std::string message;
};

TEST_F(InterpreterTest, ElementwiseOpsAndAHook) {
  load(R"(func.func @f(
      %x: tensor<?xf32> {sinter.name = "x", sinter.dims = ["n"]})
      -> (tensor<?xf32> {sinter.name = "y"}) {
    %c = arith.constant 2.0 : f32
    %two = sinter.broadcast %c like(%x) : f32, tensor<?xf32>
    %p = arith.mulf %x, %two : tensor<?xf32>
    %y = sinter.relu %p : tensor<?xf32>
    return %y : tensor<?xf32> })");
  std::vector<std::string> seen;
  interpreter->setHook([&](Operation *op, ArrayRef<ReferenceValue> results) {
    EXPECT_EQ(results.size(), 1u);
    seen.push_back(op->getName().getStringRef().str());
  });
  Session s = session({});
  auto r = run("f", {{"x", f({2}, {-1, 3})}}, s);
  ASSERT_EQ(r.size(), 1u) << message;
  EXPECT_EQ(r[0].name, "y");
  EXPECT_EQ(r[0].tensor.real(0), 0);
  EXPECT_EQ(r[0].tensor.real(1), 6);
  EXPECT_EQ(seen,
            (std::vector<std::string>{"arith.constant", "sinter.broadcast",
                                      "arith.mulf", "sinter.relu"}));
}

TEST_F(InterpreterTest, InputsAreRoundedToTheirType) {
  load(R"(func.func @f(%x: tensor<1xf32> {sinter.name = "x"})
      -> (tensor<1xf32> {sinter.name = "y"}) { return %x : tensor<1xf32> })");
  Session s = session({});
  auto r = run("f", {{"x", f({1}, {0.1})}}, s);
  ASSERT_EQ(r.size(), 1u) << message;
  EXPECT_EQ(r[0].tensor.real(0), static_cast<double>(0.1f));
}

constexpr StringRef cacheModule = R"(
  sinter.state @kv dims ["batch", "context" <= 8]
    : !sinter.cache<heads = 1, key = 1, value = 1, f32>
  func.func @step(
      %x: tensor<?x?x1x1xf32> {sinter.name = "x",
                               sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]})
      -> (tensor<?x?x1x1xf32> {sinter.name = "y"},
          tensor<?x?xi64> {sinter.name = "at"}) {
    %q = arith.constant dense<0.0> : tensor<1xf32>
    %z = sinter.broadcast %q like(%x) : tensor<1xf32>, tensor<?x?x1x1xf32>
    %at = sinter.positions %x after("context") : tensor<?x?x1x1xf32>
    %y = sinter.attention %z, %x, %x causal append(@kv)
        lengths(%n : tensor<?xi64>)
        : tensor<?x?x1x1xf32>, tensor<?x?x1x1xf32>, tensor<?x?x1x1xf32>
    return %y, %at : tensor<?x?x1x1xf32>, tensor<?x?xi64>
  })";

TEST_F(InterpreterTest, CachesGrowByEachRowsLength) {
  load(cacheModule);
  Session s = session({{"batch", 2}, {"context", 4}});
  auto r =
      run("step",
          {{"x", f({2, 2, 1, 1}, {2, 4, 10, 99})}, {"n", i64({2}, {2, 1})}}, s);
  ASSERT_EQ(r.size(), 2u) << message;
  EXPECT_EQ(r[0].tensor.real(1), 3);
  EXPECT_EQ(r[0].tensor.real(2), 10);
  EXPECT_TRUE(r[0].validity.contains({0, 1, 0, 0}));
  EXPECT_FALSE(r[0].validity.contains({1, 1, 0, 0}));
  EXPECT_EQ(*s.cursor("context"), (RowValues{2, 1}));
  // Positions go on from the cursor; a row of length 0 stays as it is.
  r = run("step", {{"x", f({2, 1, 1, 1}, {7, 20})}, {"n", i64({2}, {0, 1})}},
          s);
  ASSERT_EQ(r.size(), 2u) << message;
  EXPECT_EQ(r[0].tensor.real(1), 15);
  EXPECT_EQ(r[1].tensor.integer(1), 1);
  EXPECT_EQ(*s.cursor("context"), (RowValues{2, 2}));
}

TEST_F(InterpreterTest, MissingLengthsAreTheFullExtent) {
  load(cacheModule);
  Session s = session({{"batch", 1}, {"context", 4}});
  ASSERT_EQ(run("step", {{"x", f({1, 3, 1, 1}, {1, 2, 3})}}, s).size(), 2u)
      << message;
  EXPECT_EQ(*s.cursor("context"), (RowValues{3}));
}

TEST_F(InterpreterTest, AFullCacheIsAnErrorAndChangesNothing) {
  load(cacheModule);
  Session s = session({{"batch", 1}, {"context", 2}});
  run("step", {{"x", f({1, 2, 1, 1}, {1, 2})}}, s);
  EXPECT_TRUE(run("step", {{"x", f({1, 1, 1, 1}, {1})}}, s).empty());
  EXPECT_EQ(message, "the cache is full: row '0' has '2' positions, '1' more "
                     "do not fit in '2'");
  EXPECT_EQ(*s.cursor("context"), (RowValues{2}));
  EXPECT_TRUE(s.truncate("context", 0, 1));
  EXPECT_FALSE(s.truncate("context", 0, 2));
  auto r = run("step", {{"x", f({1, 1, 1, 1}, {5})}}, s);
  ASSERT_EQ(r.size(), 2u) << message;
  EXPECT_EQ(r[0].tensor.real(0), 3);
}

TEST_F(InterpreterTest, RowsAreForked) {
  load(cacheModule);
  Session s = session({{"batch", 1}, {"context", 2}});
  Session beams = session({{"batch", 2}, {"context", 8}});
  run("step", {{"x", f({1, 1, 1, 1}, {1})}}, s);
  EXPECT_TRUE(beams.copyRow(1, s, 0));
  EXPECT_FALSE(beams.copyRow(2, s, 0));
  EXPECT_EQ(*beams.cursor("context"), (RowValues{0, 1}));
  auto r = run("step", {{"x", f({2, 1, 1, 1}, {3, 3})}}, beams);
  ASSERT_EQ(r.size(), 2u) << message;
  EXPECT_EQ(r[0].tensor.real(0), 3);
  EXPECT_EQ(r[0].tensor.real(1), 2);
}

TEST_F(InterpreterTest, SessionsNeedTheirDimensions) {
  load(cacheModule);
  EXPECT_TRUE(failed(Session::create(*module, {{"batch", 1}})));
  EXPECT_EQ(message, "the session needs a size for dimension \"context\"");
  EXPECT_TRUE(failed(Session::create(*module, {{"batch", 1}, {"context", 9}})));
  EXPECT_EQ(message, "dimension \"context\" is '9', expected at most '8'");
}

TEST_F(InterpreterTest, FillFromAndRestart) {
  load(R"(
  sinter.state @cross dims ["batch", "source"]
    : !sinter.cache<heads = 1, key = 1, value = 1, f32>
  func.func @encode(
      %x: tensor<?x?x1x1xf32> {sinter.name = "x",
                               sinter.dims = ["batch", "source"]}) {
    sinter.fill @cross, %x, %x : tensor<?x?x1x1xf32>, tensor<?x?x1x1xf32>
    return
  }
  func.func @attend(
      %q: tensor<?x1x1x1xf32> {sinter.name = "q", sinter.dims = ["batch"]})
      -> (tensor<?x1x1x1xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q from(@cross) : tensor<?x1x1x1xf32>
    return %y : tensor<?x1x1x1xf32>
  }
  func.func @forget() { sinter.restart "source" return })");
  Session s = session({{"batch", 1}, {"source", 4}});
  Tensor zero = f({1, 1, 1, 1}, {0});
  run("encode", {{"x", f({1, 3, 1, 1}, {1, 2, 6})}}, s);
  EXPECT_EQ(run("attend", {{"q", zero}}, s)[0].tensor.real(0), 3);
  run("encode", {{"x", f({1, 2, 1, 1}, {1, 2})}}, s);
  EXPECT_EQ(run("attend", {{"q", zero}}, s)[0].tensor.real(0), 1.5);
  run("forget", {}, s);
  EXPECT_EQ(run("attend", {{"q", zero}}, s)[0].tensor.real(0), 0);
}

TEST_F(InterpreterTest, TensorStateIsReadAtEntryStart) {
  load(R"(
  sinter.state @sum dims ["batch"] : tensor<?x1xf32>
  func.func @add(
      %x: tensor<?x1xf32> {sinter.name = "x", sinter.dims = ["batch"]})
      -> (tensor<?x1xf32> {sinter.name = "before"}) {
    %s = sinter.read @sum : tensor<?x1xf32>
    %t = arith.addf %s, %x : tensor<?x1xf32>
    sinter.write @sum, %t : tensor<?x1xf32>
    %u = sinter.read @sum : tensor<?x1xf32>
    return %u : tensor<?x1xf32>
  })");
  Session s = session({{"batch", 1}});
  EXPECT_EQ(run("add", {{"x", f({1, 1}, {5})}}, s)[0].tensor.real(0), 0);
  EXPECT_EQ(run("add", {{"x", f({1, 1}, {2})}}, s)[0].tensor.real(0), 5);
  EXPECT_EQ(s.tensor("sum")->real(0), 7);
  EXPECT_TRUE(s.reset(0));
  EXPECT_EQ(s.tensor("sum")->real(0), 0);
}

static std::vector<double> realsOf(const Tensor &tensor) {
  std::vector<double> reals;
  for (int64_t i = 0; i < tensor.size(); ++i)
    reals.push_back(tensor.real(i));
  return reals;
}

TEST_F(InterpreterTest, ExtentsOfATensorStateAreThoseOfTheLastWrite) {
  load(R"(
  sinter.state @memory dims ["batch", "source"] : tensor<?x?xf32>
  func.func @put(
      %x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["batch", "source"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]})
      -> (tensor<?xf32> {sinter.name = "y"}) {
    %y = sinter.last %x lengths(%n : tensor<?xi64>) : tensor<?x?xf32>
    sinter.write @memory, %x : tensor<?x?xf32>
    return %y : tensor<?xf32>
  })");
  Session s = session({{"batch", 2}, {"source", 4}});
  Session t = session({{"batch", 2}, {"source", 3}});
  EXPECT_EQ(s.extent("source", {"memory"}), 0);
  run("put", {{"x", f({2, 3}, {1, 2, 3, 4, 5, 6})}}, s);
  EXPECT_EQ(s.extent("source", {"memory"}), 3) << message;
  // Row 1 is left alone and keeps all it has.
  run("put", {{"x", f({2, 1}, {7, 8})}, {"n", i64({2}, {1, 0})}}, s);
  EXPECT_EQ(realsOf(*s.tensor("memory")),
            (std::vector<double>{7, 0, 0, 4, 5, 6}))
      << message;
  EXPECT_TRUE(t.copyRow(1, s, 1));
  EXPECT_EQ(realsOf(*t.tensor("memory")),
            (std::vector<double>{0, 0, 0, 4, 5, 6}));
  run("put", {{"x", f({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}}, s);
  EXPECT_FALSE(t.copyRow(0, s, 0));
  EXPECT_TRUE(s.reset(0));
  EXPECT_EQ(realsOf(*s.tensor("memory")),
            (std::vector<double>{0, 0, 0, 0, 5, 6, 7, 8}));
}

TEST_F(InterpreterTest, IdsAreCheckedUpToTheLength) {
  load(R"(func.func @f(
      %ids: tensor<?x?xi32> {sinter.name = "ids",
                             sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]})
      -> (tensor<?x1xf32> {sinter.name = "y"}) {
    %table = sinter.weight "table" : tensor<2x1xf32>
    %x = sinter.embedding %ids, %table : tensor<?x?xi32>, tensor<2x1xf32>
    %y = sinter.last %x lengths(%n : tensor<?xi64>) : tensor<?x?x1xf32>
    return %y : tensor<?x1xf32> })");
  weights["table"] = f({2, 1}, {3, 4});
  Session s = session({});
  Tensor ids = i32({2, 2}, {1, 77, 0, 1});
  auto r = run("f", {{"ids", ids}, {"n", i64({2}, {1, 2})}}, s);
  ASSERT_EQ(r.size(), 1u) << message;
  EXPECT_EQ(r[0].tensor.real(0), 4);
  r = run("f", {{"ids", ids}, {"n", i64({2}, {1, 0})}}, s);
  EXPECT_FALSE(r[0].validity.contains({1, 0}));
  EXPECT_TRUE(run("f", {{"ids", ids}}, s).empty());
  EXPECT_EQ(message, "index '77' is outside of the table's '2' rows");
  EXPECT_TRUE(run("f", {{"ids", ids}, {"n", i64({2}, {1, 3})}}, s).empty());
  EXPECT_EQ(message, "input 'n' has '3' for row '1', expected 0 to '2'");
}

TEST_F(InterpreterTest, RulesReadOutsideTensors) {
  load(R"(func.func @f(
      %x: tensor<1x2x1x1xf32> {sinter.name = "x"},
      %t: tensor<2xf32> {sinter.name = "t"})
      -> (tensor<1x2x1x1xf32> {sinter.name = "y"}) {
    %y = sinter.attention %x, %x, %x
      : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %r = tensor.extract %t[%j] : tensor<2xf32>
        sinter.yield %r : f32
      }
      mask(%b: index, %h: index, %i: index, %j: index) {
        %m = arith.cmpi sle, %j, %i : index
        sinter.yield %m : i1
      }
    return %y : tensor<1x2x1x1xf32> })");
  Session s = session({});
  auto r =
      run("f", {{"x", f({1, 2, 1, 1}, {1, 4})}, {"t", f({2}, {0, 1000})}}, s);
  ASSERT_EQ(r.size(), 1u) << message;
  EXPECT_EQ(r[0].tensor.real(0), 1);
  EXPECT_EQ(r[0].tensor.real(1), 4);
}

TEST_F(InterpreterTest, TensorOpsOfTheSketches) {
  load(R"(func.func @f(
      %x: tensor<?x4xf32> {sinter.name = "x", sinter.dims = ["batch"]})
      -> (tensor<?x2x3xf32> {sinter.name = "y"},
          tensor<?x2xf32> {sinter.name = "z"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 9.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %s = tensor.extract_slice %x[0, 1] [%n, 2] [1, 2]
        : tensor<?x4xf32> to tensor<?x2xf32>
    %g = tensor.generate %n {
    ^bb0(%i: index, %j: index):
      %e = tensor.extract %x[%i, %j] : tensor<?x4xf32>
      tensor.yield %e : f32
    } : tensor<?x2xf32>
    %c = tensor.concat dim(1) %s, %g
        : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
    %e = tensor.expand_shape %c [[0], [1, 2]] output_shape [%n, 2, 2]
        : tensor<?x4xf32> into tensor<?x2x2xf32>
    %p = tensor.pad %e low[0, 0, 1] high[0, 0, 0] {
    ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32
    } : tensor<?x2x2xf32> to tensor<?x2x3xf32>
    return %p, %s : tensor<?x2x3xf32>, tensor<?x2xf32> })");
  Session s = session({});
  auto r = run("f", {{"x", f({1, 4}, {0, 1, 2, 3})}}, s);
  ASSERT_EQ(r.size(), 2u) << message;
  const double y[] = {9, 1, 3, 9, 0, 1};
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(r[0].tensor.real(i), y[i]) << i;
  EXPECT_EQ(r[1].tensor.real(1), 3);
}

TEST_F(InterpreterTest, StructuredOpsAreLoops) {
  load(R"(func.func @f(
      %x: tensor<1x1x5xf32> {sinter.name = "x"},
      %w: tensor<1x1x2xf32> {sinter.name = "w"})
      -> (tensor<1x1x2xf32> {sinter.name = "y"}) {
    %b = arith.constant dense<10.0> : tensor<1xf32>
    %e = tensor.empty() : tensor<1x1x2xf32>
    %z = linalg.broadcast ins(%b : tensor<1xf32>) outs(%e : tensor<1x1x2xf32>)
        dimensions = [0, 2]
    %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>,
                                 strides = dense<3> : tensor<1xi64>}
        ins(%x, %w : tensor<1x1x5xf32>, tensor<1x1x2xf32>)
        outs(%z : tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
    return %y : tensor<1x1x2xf32> })");
  Session s = session({});
  auto r = run(
      "f", {{"x", f({1, 1, 5}, {1, 2, 3, 4, 5})}, {"w", f({1, 1, 2}, {1, -1})}},
      s);
  ASSERT_EQ(r.size(), 1u) << message;
  EXPECT_EQ(r[0].tensor.real(0), 9);
  EXPECT_EQ(r[0].tensor.real(1), 9);
}

TEST_F(InterpreterTest, WrongInputsAreNamed) {
  load(cacheModule);
  Session s = session({{"batch", 2}, {"context", 4}});
  EXPECT_TRUE(run("nowhere", {}, s).empty());
  EXPECT_EQ(message, "the module has no entry 'nowhere'");
  EXPECT_TRUE(run("step", {}, s).empty());
  EXPECT_EQ(message, "input 'x' is missing");
  EXPECT_TRUE(run("step", {{"x", f({1, 1, 1, 1}, {1})}}, s).empty());
  EXPECT_EQ(message, "input 'x' has 'batch' = '1', the session has '2'");
  EXPECT_TRUE(run("step", {{"y", f({1}, {1})}}, s).empty());
  EXPECT_EQ(message, "entry 'step' has no input 'y'");
}

} // namespace
