//===- RegionToCUDA.cpp - Scalar regions as device text -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One statement per operation: an operator of C++ where it means the same, else
// a function of device/math.cuh. An i1 is bool; where its sign matters, in
// integer arithmetic, it is widened to 0 or -1 (0 or 1 without a sign).
//
//===----------------------------------------------------------------------===//

#include "RegionToCUDA.h"
#include "DeviceFunctions.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

StringRef cuda::deviceType(Type type) {
  if (type.isIndex())
    return "i64";
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return "bool";
    case 8:
      return "i8";
    case 16:
      return "i16";
    case 32:
      return "i32";
    case 64:
      return "i64";
    default:
      return "";
    }
  return type.isF32() ? "float" : type.isF64() ? "double" : "";
}

StringRef cuda::storedType(Type element) {
  if (element.isInteger(1))
    return "boolean";
  if (element.isF16())
    return "f16";
  if (element.isBF16())
    return "bf16";
  return deviceType(element);
}

namespace {
class RegionPrinter {
public:
  RegionPrinter(raw_ostream &os) : os(os) {}

  void bind(Value value, std::string text) { names[value] = std::move(text); }
  LogicalResult print(Operation &op);
  StringRef text(Value value) { return names.find(value)->second; }
  /// Tells of reads that were clamped, once per point.
  void finish() {
    if (reports)
      os << "if (clamped) {\nreportClamp(status);\n}\n";
  }

private:
  std::string expression(Operation &op);
  std::string constant(arith::ConstantOp op);
  std::string read(fused::ReadOp op);
  std::string compareInts(arith::CmpIOp op);
  std::string compareFloats(arith::CmpFOp op);
  std::string cast(Operation &op);
  std::string callFunction(Operation &op, StringRef function);
  std::string infix(Operation &op, StringRef sign) {
    return (text(op.getOperand(0)) + sign + text(op.getOperand(1))).str();
  }
  std::string integer(Value value, bool isSigned);

  raw_ostream &os;
  DenseMap<Value, std::string> names;
  unsigned count = 0;
  bool reports = false, ignores = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::string floatText(APFloat value, bool isDouble) {
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (!value.isFinite())
    return isDouble ? "bitCast<double>(u64(" + std::to_string(bits) + "ull))"
                    : "bitCast<float>(u32(" + std::to_string(bits) + "u))";
  // As many digits as tell it from its neighbours.
  SmallString<32> digits;
  value.toString(digits, /*FormatPrecision=*/isDouble ? 17 : 9,
                 /*FormatMaxPadding=*/3);
  if (digits.find_first_of(".eE") == StringRef::npos)
    digits += ".0";
  std::string text = (digits + (isDouble ? "" : "f")).str();
  return value.isNegative() ? "(" + text + ")" : text;
}

static std::string integerText(const APInt &value, Type type) {
  if (type.isInteger(1))
    return value.isZero() ? "false" : "true";
  std::string name = deviceType(type).str();
  if (value.isMinSignedValue())
    return name + "(" + std::to_string(value.getSExtValue() + 1) + "ll - 1)";
  return name + "(" + std::to_string(value.getSExtValue()) + ")";
}

std::string RegionPrinter::constant(arith::ConstantOp op) {
  Type type = op.getType();
  if (deviceType(type).empty())
    return "";
  if (auto attr = dyn_cast<FloatAttr>(op.getValue()))
    return floatText(attr.getValue(), type.isF64());
  if (auto attr = dyn_cast<IntegerAttr>(op.getValue()))
    return integerText(attr.getValue(), type);
  return "";
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// An operand of integer arithmetic: a bool is widened.
std::string RegionPrinter::integer(Value value, bool isSigned) {
  std::string name = text(value).str();
  if (!value.getType().isInteger(1))
    return name;
  return isSigned ? "withSign(" + name + ")" : "i8(" + name + ")";
}

std::string RegionPrinter::compareInts(arith::CmpIOp op) {
  static constexpr StringRef signs[] = {" == ", " != ", " < ",  " <= ", " > ",
                                        " >= ", " < ",  " <= ", " > ",  " >= "};
  auto predicate = op.getPredicate();
  StringRef sign = signs[static_cast<unsigned>(predicate)];
  if (predicate <= arith::CmpIPredicate::ne)
    return infix(*op, sign);
  bool isSigned = predicate < arith::CmpIPredicate::ult;
  std::string a = integer(op.getLhs(), isSigned);
  std::string b = integer(op.getRhs(), isSigned);
  if (isSigned)
    return a + sign.str() + b;
  return "bare(" + a + ")" + sign.str() + "bare(" + b + ")";
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

std::string RegionPrinter::compareFloats(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  std::string a = text(op.getLhs()).str(), b = text(op.getRhs()).str();
  switch (op.getPredicate()) {
  case P::AlwaysFalse:
    return "false";
  case P::OEQ:
    return a + " == " + b;
  case P::OGT:
    return a + " > " + b;
  case P::OGE:
    return a + " >= " + b;
  case P::OLT:
    return a + " < " + b;
  case P::OLE:
    return a + " <= " + b;
  case P::ONE:
    return a + " < " + b + " || " + a + " > " + b;
  case P::ORD:
    return "!isNan(" + a + ") && !isNan(" + b + ")";
  case P::UEQ:
    return "!(" + a + " < " + b + " || " + a + " > " + b + ")";
  case P::UGT:
    return "!(" + a + " <= " + b + ")";
  case P::UGE:
    return "!(" + a + " < " + b + ")";
  case P::ULT:
    return "!(" + a + " >= " + b + ")";
  case P::ULE:
    return "!(" + a + " > " + b + ")";
  case P::UNE:
    return a + " != " + b;
  case P::UNO:
    return "isNan(" + a + ") || isNan(" + b + ")";
  case P::AlwaysTrue:
    return "true";
  }
  llvm_unreachable("all predicates are above");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// To another type of number; empty if `op` is no such thing.
std::string RegionPrinter::cast(Operation &op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 1)
    return "";
  Value from = op.getOperand(0);
  Type type = op.getResult(0).getType();
  std::string to = deviceType(type).str();
  if (isa<arith::BitcastOp>(op))
    return "bitCast<" + to + ">(" + text(from).str() + ")";
  bool isBare = isa<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(op);
  bool known =
      isBare ||
      isa<arith::ExtSIOp, arith::TruncIOp, arith::SIToFPOp, arith::IndexCastOp,
          arith::FPToSIOp, arith::FPToUIOp, arith::ExtFOp, arith::TruncFOp>(op);
  if (!known)
    return "";
  std::string value = isa<FloatType>(from.getType()) ? text(from).str()
                                                     : integer(from, !isBare);
  if (isBare)
    value = "bare(" + value + ")";
  // An i1 keeps the lowest bit, where a bool would be "not 0".
  if (type.isInteger(1))
    return "(i64(" + value + ") & 1) != 0";
  // A number of all 64 bits is beyond what a signed one holds.
  if (isa<arith::FPToUIOp>(op))
    return to + "(u64(" + value + "))";
  return to + "(" + value + ")";
}

std::string RegionPrinter::callFunction(Operation &op, StringRef function) {
  auto [ofIntegers, isSigned] = getIntegerFunction(op.getName().getStringRef());
  std::string call = (function + "(").str();
  llvm::interleave(
      op.getOperands(),
      [&](Value value) {
        call += isa<IntegerType>(value.getType()) && !ofIntegers.empty()
                    ? integer(value, isSigned)
                    : text(value).str();
      },
      [&] { call += ", "; });
  call += ")";
  bool narrows = !ofIntegers.empty() && op.getResult(0).getType().isInteger(1);
  return narrows ? "(" + call + " & 1) != 0" : call;
}

std::string RegionPrinter::read(fused::ReadOp op) {
  bool &declared = op.getReports() ? reports : ignores;
  StringRef variable = op.getReports() ? "clamped" : "ignored";
  if (!declared)
    os << "bool " << variable << " = false;\n";
  declared = true;
  std::string call = "readClamped<" + text(op.getTable()).str() + ">(args, {";
  llvm::interleave(
      op.getIndices(),
      [&](Value index) { call += "i64(" + integer(index, true) + ")"; },
      [&] { call += ", "; });
  return call + "}, " + variable.str() + ")";
}

std::string RegionPrinter::expression(Operation &op) {
  // Widened, a bool would have more digits than its one.
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op) &&
      op.getOperand(0).getType().isInteger(1))
    return "!" + text(op.getOperand(0)).str();
  StringRef name = op.getName().getStringRef();
  if (StringRef function = getFloatFunction(name); !function.empty())
    return callFunction(op, function);
  if (StringRef function = getIntegerFunction(name).name; !function.empty())
    return callFunction(op, function);
  return llvm::TypeSwitch<Operation *, std::string>(&op)
      .Case([&](arith::ConstantOp o) { return constant(o); })
      .Case([&](arith::AddFOp) { return infix(op, " + "); })
      .Case([&](arith::SubFOp) { return infix(op, " - "); })
      .Case([&](arith::MulFOp) { return infix(op, " * "); })
      .Case([&](arith::DivFOp) { return infix(op, " / "); })
      .Case([&](arith::NegFOp o) { return "-" + text(o.getOperand()).str(); })
      .Case([&](arith::AndIOp) { return infix(op, " & "); })
      .Case([&](arith::OrIOp) { return infix(op, " | "); })
      .Case([&](arith::XOrIOp) { return infix(op, " ^ "); })
      .Case([&](arith::CmpIOp o) { return compareInts(o); })
      .Case([&](arith::CmpFOp o) { return compareFloats(o); })
      .Case([&](arith::SelectOp o) {
        return (text(o.getCondition()) + " ? " + text(o.getTrueValue()) +
                " : " + text(o.getFalseValue()))
            .str();
      })
      .Case([&](math::FPowIOp o) {
        return ("power(" + text(o.getLhs()) + ", " + deviceType(o.getType()) +
                "(" + text(o.getRhs()) + "))")
            .str();
      })
      .Case([&](fused::ReadOp o) { return read(o); })
      .Default([&](Operation *) { return cast(op); });
}

LogicalResult RegionPrinter::print(Operation &op) {
  bool isNumber =
      op.getNumResults() == 1 && !deviceType(op.getResult(0).getType()).empty();
  std::string value = isNumber ? expression(op) : "";
  if (value.empty())
    return op.emitError("'")
           << op.getName() << "' has no translation in a region on a GPU";
  std::string name = "v" + std::to_string(count++);
  os << "const " << deviceType(op.getResult(0).getType()) << " " << name
     << " = " << value << ";\n";
  bind(op.getResult(0), name);
  return success();
}

LogicalResult cuda::printRegionBody(raw_ostream &os, Block &block,
                                    ArrayRef<std::string> arguments,
                                    SmallVectorImpl<std::string> &yields) {
  RegionPrinter printer(os);
  for (auto [argument, text] : llvm::zip_equal(block.getArguments(), arguments))
    printer.bind(argument, text);
  for (Operation &op : block.without_terminator())
    if (failed(printer.print(op)))
      return failure();
  printer.finish();
  for (Value value : block.getTerminator()->getOperands())
    yields.push_back(printer.text(value).str());
  return success();
}
