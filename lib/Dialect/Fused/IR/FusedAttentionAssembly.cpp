//===- FusedAttentionAssembly.cpp - Syntax of attention -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSyntax.h"

using namespace mlir;
using namespace sinter::fused;

/// `offset(%o by (b) : T)` into `<name>_map`.
static ParseResult parseLimit(ClauseParser &clauses, StringRef name,
                              Clause &clause) {
  SMLoc loc = clauses.parser.getCurrentLocation();
  if (clauses.parseOptionalClause(name, clause, Maps::Required))
    return failure();
  if (clause.operands.size() > 1)
    return clauses.parser.emitError(loc, "expected one operand in '")
           << name << "'";
  clauses.addMap((name + "_map").str(), clause);
  return success();
}

/// `name captures(...) {...}`, absent as a whole or with an empty list.
static ParseResult parseNamedRegion(ClauseParser &clauses, StringRef name,
                                    Clause &captures) {
  Region *region = clauses.state.addRegion();
  if (succeeded(clauses.parser.parseOptionalKeyword(name)) &&
      (clauses.parseOptionalClause("captures", captures, Maps::Optional) ||
       clauses.parseScalarRegion(*region)))
    return failure();
  clauses.addMaps((name + "_maps").str(), captures);
  return success();
}

/// `ins(%q by (...), %k by (...), %v by (...) : types)`.
static ParseResult parseInputs(ClauseParser &clauses, Clause &query,
                               Clause &key, Clause &value) {
  Clause all;
  SMLoc loc = clauses.parser.getCurrentLocation();
  if (clauses.parseClause("ins", all, Maps::Required))
    return failure();
  Clause *parts[] = {&query, &key, &value};
  if (all.operands.size() != 3)
    return clauses.parser.emitError(
        loc, "expected a query, a key and a value in 'ins'");
  for (auto [i, part] : llvm::enumerate(parts))
    *part = {{all.operands[i]}, {all.maps[i]}, {all.types[i]}, all.loc};
  clauses.addMap("query_map", query);
  clauses.addMap("key_map", key);
  clauses.addMap("value_map", value);
  return success();
}

/// `outs(%a by (...) : T)`, then `extras(lse %l by (...) : T)`.
static ParseResult parseOuts(ClauseParser &clauses, Clause &outs) {
  Clause extras;
  ClauseParser::Names names;
  auto parseName = [&] {
    return clauses.parser.parseKeyword(&names.emplace_back());
  };
  if (clauses.parseClause("outs", outs, Maps::Required) ||
      clauses.parseOptionalClause("extras", extras, Maps::Required, parseName))
    return failure();
  outs.operands.append(extras.operands);
  outs.maps.append(extras.maps);
  outs.types.append(extras.types);
  clauses.addMaps("out_maps", outs);
  clauses.state.addAttribute("extras", clauses.builder.getStrArrayAttr(names));
  return success();
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  Clause query, key, value, offset, length, rows, outs;
  Clause combine, score, mask, sink;
  if (clauses.parseDims() || parseLimit(clauses, "offset", offset) ||
      parseLimit(clauses, "length", length) ||
      parseLimit(clauses, "rows", rows) ||
      parseInputs(clauses, query, key, value) || parseOuts(clauses, outs) ||
      clauses.parseSchedule() || clauses.parseAttributes() ||
      parseNamedRegion(clauses, "combine", combine) ||
      parseNamedRegion(clauses, "score", score) ||
      parseNamedRegion(clauses, "mask", mask) ||
      parseNamedRegion(clauses, "sink", sink))
    return failure();
  clauses.addResults(outs);
  return clauses.resolve({&query, &key, &value, &offset, &length, &rows,
                          &combine, &score, &mask, &sink, &outs});
}

void AttentionOp::print(OpAsmPrinter &printer) {
  ClausePrinter clauses(printer, *this, getDims());
  auto printNamedRegion = [&](StringRef name, Region &region,
                              ValueRange captures, ArrayAttr maps) {
    if (region.empty())
      return;
    printer << ' ' << name;
    clauses.printClause("captures", captures, maps);
    clauses.printRegion("", region);
  };
  auto printExtra = [&](size_t i) {
    printer << cast<StringAttr>(getExtras()[i]).getValue() << ' ';
  };
  SmallVector<Attribute> inputMaps = {getQueryMapAttr(), getKeyMapAttr(),
                                      getValueMapAttr()};
  ArrayRef<Attribute> outMaps = getOutMaps().getValue();
  MLIRContext *context = getContext();

  clauses.printDims(getExtents());
  clauses.printClause("offset", getOffset(), getOffsetMap());
  clauses.printClause("length", getLength(), getLengthMap());
  clauses.printClause("rows", getRows(), getRowsMap());
  clauses.printClause("ins", {getQuery(), getKey(), getValue()},
                      ArrayAttr::get(context, inputMaps));
  clauses.printClause("outs", getOuts().take_front(1),
                      ArrayAttr::get(context, outMaps.take_front(1)));
  clauses.printClause("extras", getOuts().drop_front(1),
                      ArrayAttr::get(context, outMaps.drop_front(1)),
                      printExtra);
  clauses.printSchedule(getScheduleAttr());
  clauses.printAttributes();
  printNamedRegion("combine", getCombine(), getCombineCaptures(),
                   getCombineMaps());
  printNamedRegion("score", getScore(), getScoreCaptures(), getScoreMaps());
  printNamedRegion("mask", getMask(), getMaskCaptures(), getMaskMaps());
  printNamedRegion("sink", getSink(), getSinkCaptures(), getSinkMaps());
}
