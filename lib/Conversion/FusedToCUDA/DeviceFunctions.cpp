//===- DeviceFunctions.cpp - Functions of math.cuh ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

IntegerFunction cuda::getIntegerFunction(StringRef operation) {
  static const llvm::StringMap<IntegerFunction> table = {
      {"arith.addi", {"add", true}},
      {"arith.subi", {"subtract", true}},
      {"arith.muli", {"multiply", true}},
      {"arith.divsi", {"divideSigned", true}},
      {"arith.divui", {"divideBare", false}},
      {"arith.remsi", {"remainderSigned", true}},
      {"arith.remui", {"remainderBare", false}},
      {"arith.floordivsi", {"divideFloor", true}},
      {"arith.ceildivsi", {"divideCeil", true}},
      {"arith.ceildivui", {"divideCeilBare", false}},
      {"arith.shli", {"shiftLeft", false}},
      {"arith.shrsi", {"shiftRight", true}},
      {"arith.shrui", {"shiftRightBare", false}},
      {"arith.maxsi", {"largerSigned", true}},
      {"arith.minsi", {"smallerSigned", true}},
      {"arith.maxui", {"largerBare", false}},
      {"arith.minui", {"smallerBare", false}},
      {"math.absi", {"magnitude", true}},
      {"math.ctpop", {"countOnes", false}},
      {"math.ctlz", {"countLeadingZeros", false}},
      {"math.cttz", {"countTrailingZeros", false}},
  };
  return table.lookup(operation);
}

StringRef cuda::getFloatFunction(StringRef operation) {
  static const llvm::StringMap<StringRef> table = {
      {"arith.maximumf", "maximum"},
      {"arith.minimumf", "minimum"},
      {"arith.maxnumf", "maximumNumber"},
      {"arith.minnumf", "minimumNumber"},
      {"arith.remf", "remainder"},
      {"fused.sigmoid", "sigmoid"},
      {"math.absf", "absolute"},
      {"math.acos", "acos"},
      {"math.acosh", "acosh"},
      {"math.asin", "asin"},
      {"math.asinh", "asinh"},
      {"math.atan", "atan"},
      {"math.atan2", "atan2"},
      {"math.atanh", "atanh"},
      {"math.cbrt", "cubeRoot"},
      {"math.ceil", "ceil"},
      {"math.clampf", "clamp"},
      {"math.copysign", "copySign"},
      {"math.cos", "cos"},
      {"math.cosh", "cosh"},
      {"math.erf", "errorFunction"},
      {"math.exp", "exp"},
      {"math.exp2", "exp2"},
      {"math.expm1", "expm1"},
      {"math.floor", "floor"},
      {"math.fma", "multiplyAdd"},
      {"math.isfinite", "isFinite"},
      {"math.isinf", "isInfinite"},
      {"math.isnan", "isNan"},
      {"math.log", "log"},
      {"math.log10", "log10"},
      {"math.log1p", "log1p"},
      {"math.log2", "log2"},
      {"math.powf", "power"},
      {"math.round", "round"},
      {"math.roundeven", "roundEven"},
      {"math.rsqrt", "reciprocalRoot"},
      {"math.sin", "sin"},
      {"math.sinh", "sinh"},
      {"math.sqrt", "squareRoot"},
      {"math.tan", "tan"},
      {"math.tanh", "tanh"},
      {"math.trunc", "trunc"},
  };
  return table.lookup(operation);
}
