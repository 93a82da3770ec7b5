//===- RecurrenceSyntax.h - activations(...) of recurrent ops ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_SINTER_IR_RECURRENCESYNTAX_H
#define SINTER_LIB_DIALECT_SINTER_IR_RECURRENCESYNTAX_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// activations ::= activation (`,` activation)*
/// activation ::= name (`(` alpha (`,` beta)? `)`)?
/// Parameters that are not written get their defaults.
mlir::ParseResult parseCellActivations(mlir::OpAsmParser &parser,
                                       mlir::ArrayAttr &names,
                                       mlir::DenseF64ArrayAttr &parameters);
void printCellActivations(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          mlir::ArrayAttr names,
                          mlir::DenseF64ArrayAttr parameters);

} // namespace sinter

#endif // SINTER_LIB_DIALECT_SINTER_IR_RECURRENCESYNTAX_H
