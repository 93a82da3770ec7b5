//===- FusedRecurrenceAssembly.cpp - Syntax of recurrence and its body ----===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSyntax.h"

using namespace mlir;
using namespace sinter::fused;

//===----------------------------------------------------------------------===//
// recurrence
//===----------------------------------------------------------------------===//

ParseResult RecurrenceOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause input, weights, vectors, states, lengths, outs;
  if (clauses.parseDims())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    state.addAttribute("reverse", clauses.builder.getUnitAttr());
  if (clauses.parseOptionalClause("lengths", lengths, Maps::Required) ||
      clauses.parseOptionalClause("project", input, Maps::Required) ||
      clauses.parseOptionalClause("weights", weights, Maps::None) ||
      clauses.parseOptionalClause("vectors", vectors, Maps::Required) ||
      clauses.parseOptionalClause("state", states, Maps::Required) ||
      clauses.parseClause("outs", outs, Maps::Required) ||
      clauses.parseSchedule() || clauses.parseAttributes() ||
      clauses.parseSkeletonBody(*state.addRegion()))
    return failure();
  clauses.addMap("lengths_map", lengths);
  clauses.addMap("input_map", input);
  clauses.addMaps("vector_maps", vectors);
  clauses.addMaps("state_maps", states);
  clauses.addMaps("out_maps", outs);
  clauses.addResults(outs);
  return clauses.resolve(
      {&input, &weights, &vectors, &states, &lengths, &outs});
}

void RecurrenceOp::print(OpAsmPrinter &printer) {
  ClausePrinter clauses(printer, *this, getDims());
  clauses.printDims(getExtents());
  if (getReverse())
    printer << " reverse";
  clauses.printClause("lengths", getLengths(), getLengthsMap());
  clauses.printClause("project", getInput(), getInputMap());
  clauses.printClause("weights", getWeights(), ArrayAttr());
  clauses.printClause("vectors", getVectors(), getVectorMaps());
  clauses.printClause("state", getStates(), getStateMaps());
  clauses.printClause("outs", getOuts(), getOutMaps());
  clauses.printSchedule(getScheduleAttr());
  clauses.printAttributes();
  clauses.printRegion("", getBody());
}

//===----------------------------------------------------------------------===//
// phase: the types of factors and vectors follow from those of the matrices
// and results
//===----------------------------------------------------------------------===//

/// `products(%h * %u : T)`: a factor has one number per row of its matrix.
static ParseResult parseProducts(ClauseParser &clauses, Clause &factors,
                                 Clause &matrices) {
  OpAsmParser &parser = clauses.parser;
  auto parseFactor = [&]() -> ParseResult {
    return failure(parser.parseOperand(factors.operands.emplace_back()) ||
                   parser.parseStar());
  };
  factors.loc = parser.getCurrentLocation();
  if (clauses.parseOptionalClause("products", matrices, Maps::None,
                                  parseFactor))
    return failure();
  for (Type type : matrices.types) {
    std::optional<MatrixStack> stack = getMatrixStack(type);
    if (!stack)
      return parser.emitError(matrices.loc,
                              "expected a static matrix or stack, got ")
             << type;
    Type element = getScalarType(cast<ShapedType>(type).getElementType());
    factors.types.push_back(
        UnitsType::get(parser.getContext(), stack->rows, element));
  }
  return success();
}

/// `vectors(%x, %h)`.
static ParseResult parseVectors(OpAsmParser &parser, Clause &vectors) {
  vectors.loc = parser.getCurrentLocation();
  if (parser.parseOptionalKeyword("vectors"))
    return success();
  return parser.parseOperandList(vectors.operands, AsmParser::Delimiter::Paren);
}

ParseResult PhaseOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause factors, matrices, vectors, captures;
  Region *map = state.addRegion();
  SmallVector<std::unique_ptr<Region>> reduces;
  if (clauses.useEnclosingDims() || parseProducts(clauses, factors, matrices) ||
      parseVectors(parser, vectors) ||
      clauses.parseOptionalClause("captures", captures, Maps::Optional) ||
      parser.parseArrow() || parser.parseTypeList(state.types) ||
      clauses.parseAttributes() || parseReduces(clauses, reduces) ||
      parser.parseKeyword("map") || clauses.parseScalarRegion(*map))
    return failure();
  vectors.types.assign(vectors.operands.size(), state.types.front());
  state.addRegions(reduces);
  clauses.addMaps("capture_maps", captures);
  return clauses.resolve({&factors, &matrices, &vectors, &captures});
}

void PhaseOp::print(OpAsmPrinter &printer) {
  auto recurrence = (*this)->getParentOfType<RecurrenceOp>();
  ClausePrinter clauses(printer, *this,
                        recurrence ? recurrence.getDims() : ArrayAttr());
  auto printFactor = [&](size_t i) { printer << getFactors()[i] << " * "; };
  clauses.printClause("products", getMatrices(), ArrayAttr(), printFactor);
  if (!getVectors().empty())
    printer << " vectors(" << getVectors() << ')';
  clauses.printClause("captures", getCaptures(), getCaptureMaps());
  printer << " -> " << getResultTypes();
  clauses.printAttributes();
  printReduces(clauses, getReductions(), getReduces());
  clauses.printRegion("map", getMap());
}

//===----------------------------------------------------------------------===//
// step: `outputs(%y : T) state(%h : T)`
//===----------------------------------------------------------------------===//

ParseResult StepOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause outputs, states;
  return failure(clauses.parseOptionalClause("outputs", outputs, Maps::None) ||
                 clauses.parseOptionalClause("state", states, Maps::None) ||
                 clauses.parseAttributes() ||
                 clauses.resolve({&outputs, &states}));
}

void StepOp::print(OpAsmPrinter &printer) {
  ClausePrinter clauses(printer, *this, ArrayAttr());
  clauses.printClause("outputs", getOutputs(), ArrayAttr());
  clauses.printClause("state", getStates(), ArrayAttr());
  clauses.printAttributes();
}
