//===- ScalarConversion.cpp - Scalar conversions, and the whole table -----===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace sinter {

static std::optional<ScalarValue> sameReal(Operation *, Type type,
                                           ArrayRef<ScalarValue> x) {
  return ScalarValue::ofReal(type, x[0].real);
}

static std::optional<ScalarValue> signedInteger(Operation *, Type type,
                                                ArrayRef<ScalarValue> x) {
  return ScalarValue::ofInteger(type, toAPInt(x[0]).getSExtValue());
}

static std::optional<ScalarValue> unsignedInteger(Operation *, Type type,
                                                  ArrayRef<ScalarValue> x) {
  return ScalarValue::ofInteger(
      type, static_cast<int64_t>(toAPInt(x[0]).getZExtValue()));
}

static std::optional<ScalarValue> signedToReal(Operation *, Type type,
                                               ArrayRef<ScalarValue> x) {
  return ScalarValue::ofReal(type, toAPInt(x[0]).signedRoundToDouble());
}

static std::optional<ScalarValue> unsignedToReal(Operation *, Type type,
                                                 ArrayRef<ScalarValue> x) {
  return ScalarValue::ofReal(type, toAPInt(x[0]).roundToDouble());
}

/// Towards zero; a value that the type does not hold saturates, NaN gives 0
/// (the op leaves both open).
template <bool isUnsigned>
static std::optional<ScalarValue> realToInteger(Operation *, Type type,
                                                ArrayRef<ScalarValue> x) {
  llvm::APSInt result(widthOf(type), isUnsigned);
  bool isExact;
  llvm::APFloat(x[0].real).convertToInteger(result, llvm::APFloat::rmTowardZero,
                                            &isExact);
  return ScalarValue::ofInteger(type,
                                static_cast<int64_t>(result.getRawData()[0]));
}

static APInt bitsOf(const ScalarValue &value) {
  if (!value.isFloat())
    return toAPInt(value);
  llvm::APFloat number(value.real);
  bool losesInfo;
  number.convert(cast<FloatType>(value.type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt();
}

static std::optional<ScalarValue> bitcast(Operation *, Type type,
                                          ArrayRef<ScalarValue> x) {
  APInt bits = bitsOf(x[0]);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return ScalarValue::ofInteger(type,
                                  static_cast<int64_t>(bits.getRawData()[0]));
  llvm::APFloat number(floatType.getFloatSemantics(), bits);
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return ScalarValue::ofReal(type, number.convertToDouble());
}

void addConversionFunctions(ScalarTable &table) {
  table["arith.extf"] = sameReal;
  // Intermediates stay double, so a narrower float type changes nothing.
  table["arith.truncf"] = sameReal;
  table["arith.extsi"] = signedInteger;
  table["arith.extui"] = unsignedInteger;
  table["arith.trunci"] = unsignedInteger;
  table["arith.index_cast"] = signedInteger;
  table["arith.index_castui"] = unsignedInteger;
  table["arith.sitofp"] = signedToReal;
  table["arith.uitofp"] = unsignedToReal;
  table["arith.fptosi"] = realToInteger<false>;
  table["arith.fptoui"] = realToInteger<true>;
  table["arith.bitcast"] = bitcast;
}

ScalarFunction lookupScalarFunction(llvm::StringRef opName) {
  static const ScalarTable table = [] {
    ScalarTable all;
    addActivations(all);
    addFloatFunctions(all);
    addIntegerFunctions(all);
    addConversionFunctions(all);
    return all;
  }();
  return table.lookup(opName);
}

} // namespace sinter
