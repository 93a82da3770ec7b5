//===- CommandLineTest.cpp - Table-driven command lines -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/CommandLine.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace sinter;

namespace {

constexpr StringRef kinds[] = {"obj", "asm"};
constexpr StringRef cpuAliases[] = {"mcpu"};
const OptionSpec specs[] = {
    {"o", OptionValue::Required, "FILE", "Output", "where"},
    {"emit", OptionValue::Required, "KIND", "Output", "what", kinds},
    {"target-cpu",
     OptionValue::Required,
     "CPU",
     "Target",
     "for whom",
     {},
     cpuAliases},
    {"entry", OptionValue::Required, "NAME", "Target", "which", {}, {}, true},
    {"explain", OptionValue::Optional, "FILE", "Reports", "why"},
    {"v", OptionValue::None, "", "Reports", "more"},
    {"secret", OptionValue::None, "", "Hidden", "none", {}, {}, false, true},
};

Expected<ParsedOptions> parse(ArrayRef<const char *> arguments) {
  return CommandLine(specs, "mlir-").parse(arguments);
}

std::string errorOf(ArrayRef<const char *> arguments) {
  Expected<ParsedOptions> parsed = parse(arguments);
  return parsed ? "" : toString(parsed.takeError());
}

} // namespace

TEST(CommandLine, BothFormsOfValues) {
  auto parsed =
      parse({"-o", "a.o", "--emit=obj", "in.mlir", "-mcpu=x", "-v", "--entry=a",
             "--entry", "b", "--explain", "--mlir-timing", "--", "-v.mlir"});
  ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError());
  EXPECT_EQ(parsed->get("o"), "a.o");
  EXPECT_EQ(parsed->get("emit"), "obj");
  EXPECT_EQ(parsed->get("target-cpu"), "x");
  EXPECT_EQ(parsed->all("entry").size(), 2u);
  EXPECT_TRUE(parsed->has("explain"));
  EXPECT_EQ(parsed->get("explain"), "");
  EXPECT_EQ(parsed->inputs, (std::vector<std::string>{"in.mlir", "-v.mlir"}));
  EXPECT_EQ(parsed->passedThrough, (std::vector<std::string>{"--mlir-timing"}));
}

TEST(CommandLine, Mistakes) {
  EXPECT_EQ(errorOf({"--taget-cpu=x"}),
            "unknown option '--taget-cpu'; did you mean '--target-cpu'?");
  EXPECT_EQ(errorOf({"--qqqqqqq"}), "unknown option '--qqqqqqq'");
  EXPECT_EQ(errorOf({"--secrte"}), "unknown option '--secrte'");
  EXPECT_EQ(errorOf({"--emit=objj"}),
            "unknown value 'objj' for '--emit'; did you mean 'obj'? (valid: "
            "'obj' or 'asm')");
  EXPECT_EQ(errorOf({"-o", "a", "-o", "b"}), "option '-o' is given twice");
  EXPECT_EQ(errorOf({"-o"}), "option '-o' needs a value");
  EXPECT_EQ(errorOf({"--emit="}), "option '--emit' has an empty value");
  EXPECT_EQ(errorOf({"-v=1"}), "option '-v' takes no value");
  EXPECT_EQ(errorOf({"@/nonexistent/args"}),
            "cannot read the response file '/nonexistent/args'");
}

TEST(CommandLine, ResponseFile) {
  SmallString<64> path;
  int descriptor;
  ASSERT_FALSE(sys::fs::createTemporaryFile("args", "txt", descriptor, path));
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << "-o 'a b.o'\n--emit=asm";
  std::string argument = ("@" + path).str();
  auto parsed = parse({argument.c_str(), "in.mlir"});
  sys::fs::remove(path);
  ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError());
  EXPECT_EQ(parsed->get("o"), "a b.o");
  EXPECT_EQ(parsed->get("emit"), "asm");
}

TEST(CommandLine, HelpIsGrouped) {
  std::string text;
  raw_string_ostream os(text);
  CommandLine(specs).printOptions(os, /*hidden=*/false);
  EXPECT_NE(text.find("\nOutput:\n  -o FILE "), std::string::npos) << text;
  EXPECT_NE(text.find("  --explain[=FILE] "), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}
