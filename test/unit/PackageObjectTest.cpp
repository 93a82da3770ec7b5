//===- PackageObjectTest.cpp - what cannot become an object ---------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Object/Object.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace sinter::package;

static ModelInterface makeModel() {
  ModelInterface model;
  model.name = "m";
  EntryInterface entry;
  entry.name = "go";
  entry.tensors = {
      {Tensor::Output, "y", ElementType::F32, {Extent::constant(1)}}};
  model.entries = {entry};
  return model;
}

/// The object of a module whose text defines @go_run, or the message.
static std::string compile(llvm::StringRef text, const TargetSpec &target = {},
                           CodeKind kind = CodeKind::Object) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  auto compiled =
      compileModel(std::move(module), makeModel(), {}, target, kind);
  return compiled ? compiled->code : llvm::toString(compiled.takeError());
}

static const char *kEmpty = "define void @go_run(ptr %c) { ret void }";

TEST(CompileModel, GivesEachKind) {
  EXPECT_EQ(compile(kEmpty).substr(1, 3), "ELF");
  EXPECT_EQ(compile(kEmpty), compile(kEmpty));
  EXPECT_NE(compile(kEmpty, {}, CodeKind::Assembly).find(".globl\tm_go\n"),
            std::string::npos);
  EXPECT_NE(compile(kEmpty, {}, CodeKind::LLVM).find("define i32 @m_go("),
            std::string::npos);
}

TEST(CompileModel, NamesWhatIsMissing) {
  EXPECT_EQ(compile("declare void @go_run(ptr)"),
            "the module lacks the function \"go_run\"");
}

TEST(CompileModel, RefusesLibraryCalls) {
  EXPECT_EQ(compile("declare float @sinf(float)\n"
                    "define void @go_run(ptr %c) {\n"
                    "  %x = load float, ptr %c\n"
                    "  %y = call float @sinf(float %x)\n"
                    "  store float %y, ptr %c\n  ret void\n}"),
            "the code calls \"sinf\", which no application has to provide");
}

TEST(CompileModel, RefusesLargeFrames) {
  std::string message = compile("declare void @sinter_launch(ptr, ptr, ptr)\n"
                                "define void @go_run(ptr %c) {\n"
                                "  %a = alloca [20000 x i8]\n"
                                "  call void @sinter_launch(ptr %c, ptr %c, "
                                "ptr %a)\n  ret void\n}");
  EXPECT_EQ(message.find("the function \"go_run\" needs a stack frame of 20"),
            0u)
      << message;
}

TEST(TargetMachine, NamesTheValidChoices) {
  TargetSpec cpu{"x86_64-linux-gnu", "x86-64-v5", ""};
  EXPECT_EQ(compile(kEmpty, cpu), "unknown CPU \"x86-64-v5\"; known are "
                                  "x86-64-v2, x86-64-v3, x86-64-v4, native");
  TargetSpec triple{"riscv64-linux-gnu", "x86-64-v3", ""};
  EXPECT_EQ(compile(kEmpty, triple), "unsupported target \"riscv64-linux-gnu\""
                                     "; supported is x86_64-linux-gnu");
}

TEST(TargetMachine, KnowsWhatALevelNeeds) {
  auto bits = [](const char *cpu) {
    auto machine = createTargetMachine({"x86_64-linux-gnu", cpu, ""});
    return machine ? requiredCpuFeatures(**machine) : 0;
  };
  uint64_t v2 = bits("x86-64-v2"), v3 = bits("x86-64-v3"),
           v4 = bits("x86-64-v4");
  EXPECT_EQ(v2 & v3, v2);
  EXPECT_EQ(v3 & v4, v3);
  EXPECT_NE(v2, 0u);
  EXPECT_NE(v2, v3);
  EXPECT_NE(v3, v4);
}
