//===- StoriesTest.cpp - The reference tells the story ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"
#include "sinter/Reference/Interpreter.h"
#include "sinter/Support/Safetensors.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace mlir;
using namespace sinter;

namespace {

constexpr int64_t beginOfSequence = 1;

std::string folder() { return STORIES_FOLDER; }

std::string readFile(StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(folder() + "/" + name.str());
  EXPECT_TRUE(static_cast<bool>(buffer)) << name.str();
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// tok512.bin: the longest length, then a score, a length and the bytes of each
/// token.
std::vector<std::string> readPieces() {
  std::string file = readFile("tok512.bin");
  std::vector<std::string> pieces;
  for (size_t at = 4; at + 8 <= file.size();) {
    uint32_t length = llvm::support::endian::read32le(file.data() + at + 4);
    pieces.push_back(file.substr(at + 8, length));
    at += 8 + length;
  }
  return pieces;
}

std::string textOf(int64_t previous, int64_t token,
                   const std::vector<std::string> &pieces) {
  StringRef piece = pieces[token];
  unsigned byte;
  if (piece.size() == 6 && piece.starts_with("<0x") &&
      !piece.substr(3, 2).getAsInteger(16, byte))
    return std::string(1, static_cast<char>(byte));
  if (previous == beginOfSequence)
    piece.consume_front(" ");
  return piece.str();
}

class StoriesTest : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<SinterDialect, arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, tensor::TensorDialect>();
    module = parseSourceFile<ModuleOp>(folder() + "/stories.mlir", &context);
    ASSERT_TRUE(module);
    auto opened = SafetensorsArchive::open(folder() + "/stories.safetensors");
    ASSERT_TRUE(static_cast<bool>(opened));
    archive = std::move(*opened);
  }

  void expand(bool andLibrary) {
    PassManager passes(&context);
    passes.addPass(createSinterExpandEntries());
    if (andLibrary)
      passes.addPass(createSinterExpandLibrary());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    interpreter.emplace(
        *module,
        [this](StringRef name, StringRef, RankedTensorType type,
               Location location) { return weight(name, type, location); });
    auto created = Session::create(*module, {{"batch", 1}, {"context", 200}});
    ASSERT_TRUE(succeeded(created));
    session.emplace(std::move(*created));
  }

  FailureOr<Tensor> weight(StringRef name, RankedTensorType type,
                           Location location) {
    const ArchiveTensor *stored = archive->lookup(name);
    if (!stored)
      return emitError(location, "no weight '") << name << "'";
    std::optional<Tensor> tensor =
        Tensor::fromBytes(stored->shape, type.getElementType(), stored->bytes);
    if (!tensor)
      return emitError(location, "wrong weight '") << name << "'";
    return *tensor;
  }

  std::vector<double> logits(StringRef entry, ArrayRef<int64_t> tokens) {
    Tensor ids = Tensor::ofIntegers({1, static_cast<int64_t>(tokens.size())},
                                    Builder(&context).getI32Type(), tokens);
    auto results = interpreter->run(entry, {{"tokens", ids}}, *session);
    if (failed(results))
      return {};
    std::vector<double> values;
    for (int64_t i = 0; i < results->front().tensor.size(); ++i)
      values.push_back(results->front().tensor.real(i));
    return values;
  }

  /// Greedy decoding from the begin-of-sequence token.
  std::string tell(int steps, std::vector<int64_t> *tokens = nullptr) {
    std::vector<std::string> pieces = readPieces();
    std::string text;
    int64_t token = beginOfSequence;
    for (int step = 0; step < steps; ++step) {
      std::vector<double> values =
          logits(step == 0 ? "prefill" : "decode", {token});
      if (values.size() != pieces.size())
        return "failed";
      int64_t previous = token;
      token = llvm::max_element(values) - values.begin();
      text += textOf(previous, token, pieces);
      if (tokens)
        tokens->push_back(token);
    }
    return text;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<SafetensorsArchive> archive;
  std::optional<Interpreter> interpreter;
  std::optional<Session> session;
};

TEST_F(StoriesTest, TellsTheWholeStory) {
  expand(/*andLibrary=*/false);
  EXPECT_EQ(tell(200), readFile("expected.txt"));
}

TEST_F(StoriesTest, LibraryFormsAsRegionsTellTheSame) {
  expand(/*andLibrary=*/true);
  std::string text = tell(24);
  EXPECT_EQ(text, readFile("expected.txt").substr(0, text.size()));
}

TEST_F(StoriesTest, PrefillAgreesWithDecode) {
  expand(/*andLibrary=*/false);
  std::vector<int64_t> prompt{beginOfSequence};
  tell(6, &prompt);
  std::vector<double> decoded = logits("decode", {prompt.back()});
  ASSERT_TRUE(session->truncate("context", 0, 0));
  std::vector<double> prefilled = logits("prefill", prompt);
  ASSERT_EQ(decoded.size(), 512u);
  ASSERT_EQ(prefilled.size(), 512u);
  for (size_t i = 0; i < decoded.size(); ++i)
    EXPECT_NEAR(prefilled[i], decoded[i], 1e-12);
}

} // namespace
