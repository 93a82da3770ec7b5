//===- NvrtcTextTest.cpp - logs, PTX and cubins as texts ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Cubin.h"
#include "sinter/Target/NVRTC/Log.h"
#include "sinter/Target/NVRTC/Ptx.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace sinter::nvrtc;
using testing::ElementsAre;

TEST(NvrtcLog, UsualReportsAreClean) {
  // As 12.9 writes it, and as 13.0 does.
  for (llvm::StringRef second : {"ptxas         .     ", "ptxas info    : "}) {
    Log log = parseLog(
        ("ptxas info    : 0 bytes gmem\n"
         "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
         "ptxas info    : Function properties for k\n" +
         second +
         "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 32 registers, used 1 barriers, 128 bytes smem\n"
         "ptxas info    : Compile time = 14.369 ms\n\n")
            .str());
    EXPECT_TRUE(log.isClean()) << (log.remarks.empty() ? "" : log.remarks[0]);
  }
  EXPECT_TRUE(parseLog("").isClean());
}

TEST(NvrtcLog, FindsWhatIsNotUsual) {
  llvm::StringRef loss = "ptxas info    : (C7510) Potential Performance Loss: "
                         "wgmma.mma_async instructions are serialized";
  llvm::StringRef warning = "k.cu(3): warning #177-D: variable \"a\" was "
                            "declared but never referenced";
  Log log = parseLog((loss + "\n" + warning + "\n  int a;\n  ^\n\n").str());
  EXPECT_THAT(log.remarks,
              ElementsAre(loss.str(), warning.str() + "\nint a;\n^"));
  EXPECT_FALSE(log.isClean());
}

TEST(NvrtcLog, FindsSpills) {
  Log log = parseLog(
      "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes "
      "spill loads\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_80'\n"
      "ptxas         .     536 bytes stack frame, 948 bytes spill stores, "
      "1060 bytes spill loads\n");
  ASSERT_EQ(log.spills.size(), 1u);
  EXPECT_EQ(log.spills[0].kernel, "b");
  EXPECT_EQ(log.spills[0].stackBytes, 536u);
  EXPECT_EQ(log.spills[0].storeBytes, 948u);
  EXPECT_EQ(log.spills[0].loadBytes, 1060u);
}

/// Two nested loops, one of which has two branches back, and one beside them.
static constexpr llvm::StringLiteral kPtx = R"(.version 8.8
.visible .entry other(
	.param .u64 other_param_0
)
{
$L__BB0_1:
	ld.global.f32 	%f1, [%rd1];
	bra.uni 	$L__BB0_1;
}
	// .globl	k
.visible .entry k(
	.param .u64 k_param_0
)
.maxntid 128, 1, 1
{
	ld.global.u32 	%r1, [%rd2];
$L__BB1_1:
	ld.f32 	%f1, [%rd2];
	ld.shared.f32 	%f1, [%r2];
	@%p1 bra 	$L__BB1_4;
$L__BB1_2:
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd2];
	// begin inline asm
	@%p2 cp.async.cg.shared.global [%r1], [%rd1], 16, %r7;
	cp.async.ca.shared.global [%r1], [%rd1], 4;
	cp.async.commit_group;
	// end inline asm
	@!%p3 bra 	$L__BB1_2;
	st.global.v2.u64 	[%rd4], {%rd5, %rd6};
	@%p3 bra 	$L__BB1_2;
	st.local.u32 	[%rd4], %r1;
	bra.uni 	$L__BB1_1;
$L__BB1_4:
	st.global.v4.u16 	[%rd4], {%rs1, %rs2, %rs3, %rs4};
	@%p1 bra 	$L__BB1_4;
	ret;

}
)";

TEST(NvrtcPtx, CountsAccessesOfLoops) {
  std::vector<PtxLoop> loops = readPtxLoops(kPtx, "k");
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_EQ(loops[0].depth, 1u);
  EXPECT_FALSE(loops[0].innermost);
  EXPECT_EQ(loops[0].line, 17u);
  EXPECT_EQ(loops[0].accesses.generic, 1u);
  EXPECT_EQ(loops[0].accesses.local, 1u);
  EXPECT_EQ(loops[0].accesses.wideGlobal, 0u);
  EXPECT_EQ(loops[0].accesses.narrowGlobal, 0u);
  EXPECT_EQ(loops[1].depth, 2u);
  EXPECT_TRUE(loops[1].innermost);
  EXPECT_EQ(loops[1].accesses.wideGlobal, 3u);
  EXPECT_EQ(loops[1].accesses.narrowGlobal, 1u);
  EXPECT_EQ(loops[1].accesses.generic, 0u);
  EXPECT_EQ(loops[2].depth, 1u);
  EXPECT_EQ(loops[2].accesses.wideGlobal, 0u);
  EXPECT_EQ(loops[2].accesses.narrowGlobal, 1u);
  EXPECT_EQ(readPtxLoops(kPtx, "other").size(), 1u);
  EXPECT_TRUE(readPtxLoops(kPtx, "absent").empty());
  EXPECT_TRUE(readPtxLoops("", "k").empty());
}

/// Addresses through registers, a select, and shared memory; the index of the
/// last one was read from a table.
static constexpr llvm::StringLiteral kOrigins = R"(
.visible .entry k(
	.param .align 8 .b8 k_param_0[32],
	.param .u64 k_param_1
)
{
	.reg .b64 	%rd<20>;
	ld.param.v2.u64 	{%rd1, %rd2}, [k_param_0+8];
	mov.b64 	%rd13, k_param_0;
	mov.u64 	%rd14, %rd13;
	ld.param.u64 	%rd3, [%rd14];
	ld.param.u64 	%rd4, [k_param_1];
	cvta.to.global.u64 	%rd5, %rd1;
	st.shared.v2.b64 	[%r1], {%rd3, %rd9};
$L__BB0_1:
	mad.lo.s64 	%rd6, %rd2, %rd7, %rd5;
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd6+16];
	ld.shared.b64 	%rd8, [%r1];
	// begin inline asm
	cp.async.ca.shared.global [%r2], [%rd8], 4, %r3;
	// end inline asm
	add.s64 	%rd5, %rd5, 64;
	@%p1 bra 	$L__BB0_1;
	selp.b64 	%rd10, %rd3, %rd4, %p1;
	ld.global.u32 	%r4, [%rd10];
	mul.wide.s32 	%rd11, %r4, 4;
	add.s64 	%rd12, %rd4, %rd11;
	st.global.f32 	[%rd12], %f1;
	ret;
}
)";

TEST(NvrtcPtx, FindsWhereAddressesComeFrom) {
  std::vector<PtxGlobalAccess> accesses = readPtxGlobalAccesses(kOrigins, "k");
  ASSERT_EQ(accesses.size(), 4u);
  using Origins = std::vector<PtxOrigin>;
  // The tensor at byte 8 and its stride at byte 16.
  EXPECT_EQ(accesses[0].bytes, 16u);
  EXPECT_TRUE(accesses[0].inLoop);
  EXPECT_EQ(accesses[0].line, 17u);
  EXPECT_EQ(accesses[0].origins, (Origins{{0, 8}, {0, 16}}));
  EXPECT_EQ(accesses[1].bytes, 4u);
  EXPECT_TRUE(accesses[1].inLoop);
  EXPECT_EQ(accesses[1].origins, (Origins{{0, 0}}));
  EXPECT_FALSE(accesses[2].inLoop);
  EXPECT_EQ(accesses[2].origins, (Origins{{0, 0}, {1, 0}}));
  EXPECT_EQ(accesses[3].origins, (Origins{{1, 0}}));
  EXPECT_TRUE(readPtxGlobalAccesses(kOrigins, "absent").empty());
}

TEST(NvrtcCubin, WhatIsNone) {
  EXPECT_FALSE(isCubin(""));
  EXPECT_FALSE(isCubin("\177ELF"));
  EXPECT_FALSE(isCubin(std::string(4096, 'x')));
  auto read = readCubin("no");
  ASSERT_FALSE(bool(read));
  EXPECT_EQ(llvm::toString(read.takeError()),
            "the cubin is malformed: it is not an ELF file for a GPU");
}
