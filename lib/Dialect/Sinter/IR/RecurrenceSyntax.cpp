//===- RecurrenceSyntax.cpp - activations(...) of recurrent ops -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceSyntax.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sinter;

/// How many parameters an activation takes, and what they are by default.
static ArrayRef<double> defaultParameters(CellFunction function) {
  static constexpr double affine[] = {1, 0}, leaky[] = {0.01}, one[] = {1},
                          scaled[] = {1, 1}, hard[] = {0.2, 0.5};
  switch (function) {
  case CellFunction::Affine:
    return affine;
  case CellFunction::LeakyRelu:
    return leaky;
  case CellFunction::ThresholdedRelu:
  case CellFunction::Elu:
    return one;
  case CellFunction::ScaledTanh:
    return scaled;
  case CellFunction::HardSigmoid:
    return hard;
  case CellFunction::Sigmoid:
  case CellFunction::Tanh:
  case CellFunction::Relu:
  case CellFunction::Softsign:
  case CellFunction::Softplus:
    return {};
  }
  llvm_unreachable("all functions are above");
}

SmallVector<CellActivation>
sinter::resolveActivations(ArrayAttr names, DenseF64ArrayAttr parameters,
                           ArrayRef<CellActivation> defaults) {
  if (!names)
    return SmallVector<CellActivation>(defaults);
  SmallVector<CellActivation> activations;
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
    activations.push_back({*symbolizeCellFunction(name.getValue()),
                           parameters[2 * i], parameters[2 * i + 1]});
  return activations;
}

/// activation ::= name (`(` alpha (`,` beta)? `)`)?
static ParseResult parseActivation(OpAsmParser &parser,
                                   SmallVectorImpl<Attribute> &names,
                                   SmallVectorImpl<double> &parameters) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<CellFunction> function = symbolizeCellFunction(keyword);
  if (!function) {
    auto all = llvm::map_range(
        llvm::seq<uint32_t>(0, getMaxEnumValForCellFunction() + 1),
        [](uint32_t i) {
          return stringifyCellFunction(static_cast<CellFunction>(i)).str();
        });
    return parser.emitError(loc, "unknown activation '")
           << keyword << "', expected one of " << llvm::join(all, ", ");
  }
  SmallVector<double> values(defaultParameters(*function));
  size_t taken = values.size(), given = 0;
  values.resize(2);
  if (succeeded(parser.parseOptionalLParen())) {
    do {
      SMLoc numberLoc = parser.getCurrentLocation();
      double value;
      if (parser.parseFloat(value))
        return failure();
      if (given == taken)
        return parser.emitError(numberLoc, "'")
               << keyword << "' takes '" << taken << "' parameters";
      values[given++] = value;
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRParen())
      return failure();
  }
  names.push_back(parser.getBuilder().getStringAttr(keyword));
  llvm::append_range(parameters, values);
  return success();
}

ParseResult sinter::parseCellActivations(OpAsmParser &parser, ArrayAttr &names,
                                         DenseF64ArrayAttr &parameters) {
  SmallVector<Attribute> list;
  SmallVector<double> numbers;
  if (parser.parseCommaSeparatedList(
          [&] { return parseActivation(parser, list, numbers); }))
    return failure();
  names = parser.getBuilder().getArrayAttr(list);
  parameters = parser.getBuilder().getDenseF64ArrayAttr(numbers);
  return success();
}

void sinter::printCellActivations(OpAsmPrinter &printer, Operation *,
                                  ArrayAttr names,
                                  DenseF64ArrayAttr parameters) {
  if (!names)
    return;
  llvm::interleaveComma(resolveActivations(names, parameters, {}), printer,
                        [&](const CellActivation &activation) {
                          printer << stringifyCellFunction(activation.function);
                          size_t taken =
                              defaultParameters(activation.function).size();
                          if (taken == 0)
                            return;
                          printer << '(';
                          printer.printFloat(APFloat(activation.alpha));
                          if (taken == 2) {
                            printer << ", ";
                            printer.printFloat(APFloat(activation.beta));
                          }
                          printer << ')';
                        });
}
