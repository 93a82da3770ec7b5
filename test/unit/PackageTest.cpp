//===- PackageTest.cpp - sizes, names and checks of an interface ----------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Package/ModelInterface.h"
#include "gtest/gtest.h"

using namespace sinter::package;

static SizeExpr dim(const char *name) { return SizeExpr::dim(name); }
static std::string print(const SizeExpr &value) {
  return value.printC([](llvm::StringRef name) { return name.str(); });
}
static std::optional<uint64_t> evaluate(const SizeExpr &value, uint64_t a,
                                        uint64_t b) {
  return value.evaluate(
      [&](llvm::StringRef name) { return name == "a" ? a : b; });
}

TEST(SizeExpr, PrintsAPolynomialInOneForm) {
  SizeExpr x = SizeExpr(64) + dim("b") * dim("a") * SizeExpr(8);
  EXPECT_EQ(print(x), "(size_t)64 + (size_t)(a) * (size_t)(b) * 8");
  EXPECT_TRUE(x == SizeExpr(8) * dim("a") * dim("b") + SizeExpr(64));
  EXPECT_EQ(print(SizeExpr()), "(size_t)0");
  EXPECT_EQ(print(SizeExpr(0) * dim("a")), "(size_t)0");
}

TEST(SizeExpr, RoundsUpOnlyWhereItMust) {
  EXPECT_TRUE((dim("a") * SizeExpr(128)).alignTo(64) ==
              dim("a") * SizeExpr(128));
  SizeExpr rounded = (dim("a") * SizeExpr(8)).alignTo(64);
  EXPECT_EQ(print(rounded), "(((size_t)(a) * 8 + 63) / 64) * 64");
  EXPECT_EQ(evaluate(rounded, 9, 0), 128u);
  EXPECT_EQ(SizeExpr(65).alignTo(64).asConstant(), 128u);
}

TEST(SizeExpr, MaximumDropsWhatIsCovered) {
  SizeExpr small = dim("a") * SizeExpr(8);
  SizeExpr large = dim("a") * SizeExpr(16) + SizeExpr(1);
  EXPECT_TRUE(SizeExpr::max(small, large) == large);
  SizeExpr both = SizeExpr::max(dim("a"), dim("b"));
  EXPECT_TRUE(both == SizeExpr::max(dim("b"), SizeExpr::max(dim("a"), both)));
  EXPECT_EQ(evaluate(both, 3, 7), 7u);
}

TEST(SizeExpr, OverflowIsNoValue) {
  SizeExpr product = dim("a") * dim("b");
  EXPECT_EQ(evaluate(product, uint64_t(1) << 31, uint64_t(1) << 31), uint64_t(1)
                                                                         << 62);
  EXPECT_EQ(evaluate(product, uint64_t(1) << 32, uint64_t(1) << 31),
            std::nullopt);
  EXPECT_EQ(evaluate(dim("a") + dim("b"), INT64_MAX, 1), std::nullopt);
}

TEST(SizeExpr, NamesItsDimensions) {
  SizeExpr x = SizeExpr::max(dim("b"), (dim("a") * dim("c")).alignTo(64));
  EXPECT_EQ(x.dims(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Names, AreCIdentifiers) {
  EXPECT_EQ(cIdentifier("tok.ids"), "tok_ids");
  EXPECT_EQ(cIdentifier("float"), "float_");
  EXPECT_EQ(cIdentifier("template"), "template_");
  EXPECT_EQ(cIdentifier("2x"), "_2x");
  EXPECT_EQ(cIdentifier(""), "_");
  EXPECT_EQ(cIdentifier("int32_t"), "int32_t_");
  EXPECT_EQ(cIdentifier("SIZE_MAX"), "SIZE_MAX_");
  EXPECT_EQ(cIdentifier("SINTER_OK"), "SINTER_OK_");
  EXPECT_EQ(cIdentifier("Sinter_OK"), "Sinter_OK_");
  EXPECT_EQ(cIdentifier("sinter"), "sinter_");
  EXPECT_EQ(cIdentifier("_Bool"), "x_Bool");
  EXPECT_EQ(cIdentifier("linux"), "linux_");
  EXPECT_EQ(cParameter("weights"), "weights_");
  EXPECT_EQ(cParameter("memory"), "memory");
  EXPECT_EQ(cDimension("memory"), "memory_");
  EXPECT_EQ(cDimension("workers"), "workers_");
}

static ModelInterface makeModel() {
  ModelInterface model;
  model.name = "m";
  EntryInterface entry;
  entry.name = "run";
  entry.dims = {{"n", EntryDim::Parameter, 0, 8, ""}};
  entry.tensors = {{Tensor::Input, "x", ElementType::F32, {Extent::dim("n")}}};
  model.entries = {entry};
  return model;
}

static std::string verify(const ModelInterface &model) {
  return llvm::toString(model.verify());
}

TEST(Interface, VerifiesNames) {
  ModelInterface model = makeModel();
  EXPECT_EQ(verify(model), "");
  model.entries[0].tensors[0].name = "work.space";
  EXPECT_EQ(verify(model), "");
  model.entries[0].tensors[0].name = "workspace";
  EXPECT_EQ(verify(model), "");
  model.entries[0].tensors[0].name = "n";
  EXPECT_EQ(verify(model),
            "entry \"run\": \"n\" and \"n\" are both \"n\" in C");
  model = makeModel();
  model.entries.push_back(model.entries[0]);
  model.entries[1].name = "Run";
  EXPECT_EQ(verify(model), "module \"m\": \"Run\" and \"run\" are both "
                           "\"RUN_WORKSPACE_SIZE\" in C");
  model.entries.pop_back();
  model.entries[0].name = "abi";
  EXPECT_EQ(verify(model),
            "module \"m\": \"abi\" is \"abi\" in C, a name of the API's own");
}

TEST(Interface, VerifiesReferences) {
  ModelInterface model = makeModel();
  model.entries[0].tensors[0].shape = {Extent::dim("k")};
  EXPECT_EQ(verify(model), "entry \"run\" has no dimension \"k\"");
  model = makeModel();
  model.entries[0].tensors[0].lengths = 0; // not a Lengths tensor
  EXPECT_NE(verify(model), "");
  model = makeModel();
  model.entries[0].cursors = {{"context", CursorUse::Append}};
  EXPECT_NE(verify(model), "");
}

TEST(Interface, VerifiesTensors) {
  ModelInterface model = makeModel();
  model.entries[0].tensors[0].limit = 4;
  EXPECT_EQ(verify(model), "entry \"run\": \"x\" has a range and so must be "
                           "i32 or i64");
  model = makeModel();
  model.entries[0].tensors.push_back({Tensor::Lengths,
                                      "lengths",
                                      ElementType::I64,
                                      {Extent::dim("n")},
                                      Extent::constant(3)});
  EXPECT_EQ(verify(model), "");
  model.entries[0].tensors[0].lengths = 1;
  EXPECT_EQ(verify(model), "entry \"run\": \"x\" does not have the positions "
                           "that its lengths count");
  model.entries[0].tensors[1].type = ElementType::I32;
  EXPECT_NE(verify(model), "");
}

TEST(Interface, HashesFollowWhatMatters) {
  ModelInterface model = makeModel();
  uint32_t abi = abiHash(model);
  uint64_t identity = modelHash(model, 1);
  model.computationHash = 7;
  EXPECT_EQ(abiHash(model), abi);
  EXPECT_NE(modelHash(model, 1), identity);
  EXPECT_NE(modelHash(model, 2), modelHash(model, 1));
  model.entries[0].slots = {SizeExpr::dim("n") * SizeExpr(64)};
  EXPECT_NE(abiHash(model), abi);
}

TEST(Hash, SeesEveryByteAndTheLength) {
  std::string bytes(100, 'x');
  uint64_t hash = hashBytes(bytes);
  for (char &byte : bytes) {
    byte ^= 1;
    EXPECT_NE(hashBytes(bytes), hash);
    byte ^= 1;
  }
  EXPECT_NE(hashBytes(bytes + '\0'), hash);
  EXPECT_EQ(hashBytes(""), hashBytes(""));
}

/// Static models are plain numbers, so that memory can be static.
TEST(Header, FixedDimensionsGiveNumbers) {
  ModelInterface model = makeModel();
  model.entries[0].dims.clear();
  model.entries[0].tensors[0].shape = {Extent::constant(512)};
  model.entries[0].scratchBytes = 100;
  State state;
  state.kind = State::Tensor;
  state.name = "h";
  state.shape = {Extent::constant(128)};
  model.states = {state};
  model.entries[0].usesSession = true;
  model.entries[0].rows = Extent::constant(1);
  std::string header = writeHeader(model, 0, 4096);
  for (const char *line :
       {"#define M_SESSION_SIZE 576\n", "#define M_RUN_WORKSPACE_SIZE 192\n",
        "#define M_RUN_WORKSPACE_SIZE_FOR(workers)",
        "#define M_RUN_X_COUNT 512\n", "#define M_STACK 4096",
        "m_session_reset(m_session *session, int64_t row);"})
    EXPECT_NE(header.find(line), std::string::npos) << line;
  EXPECT_EQ(header.find("truncate"), std::string::npos);
}
