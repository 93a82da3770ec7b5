//===- SpecRegion.cpp - Regions and what they read and store --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionToCUDA.h"
#include "SpecAccess.h"
#include "SpecGather.h"
#include "SpecPrinter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

static constexpr StringRef device = "SINTER_DEVICE static ";

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// `name_Values`, or the type of the one value.
static std::string resultType(raw_ostream &os, StringRef name,
                              TypeRange types) {
  if (types.empty())
    return "void";
  if (types.size() == 1)
    return deviceType(types[0]).str();
  os << "struct " << name << "_Values {\n";
  for (auto [i, type] : llvm::enumerate(types))
    os << deviceType(type) << " v" << i << ";\n";
  os << "};\n";
  return (name + "_Values").str();
}

LogicalResult SpecPrinter::region(StringRef name, Block &block,
                                  ValueRange tables) {
  SmallVector<std::string> arguments;
  // Not every region reads a table or reports.
  std::string parameters = "const Arguments &args, Status *status";
  for (BlockArgument argument : block.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (isa<ShapedType>(argument.getType()) && argument.use_empty()) {
      arguments.emplace_back();
      continue;
    }
    if (isa<ShapedType>(argument.getType())) {
      arguments.push_back((name + "_table" + Twine(i)).str());
      table(arguments.back(), tables[i]);
      continue;
    }
    arguments.push_back("a" + std::to_string(i));
    parameters +=
        (", " + deviceType(argument.getType()) + " a" + Twine(i)).str();
  }
  std::string body;
  llvm::raw_string_ostream statements(body);
  SmallVector<std::string> yields;
  if (failed(printRegionBody(statements, block, arguments, yields)))
    return failure();
  std::string result =
      resultType(os, name, block.getTerminator()->getOperandTypes());
  std::string value = llvm::join(yields, ", ");
  os << device << result << " " << name << "(" << parameters << ") {\n"
     << body << "return " << (yields.size() > 1 ? "{" + value + "}" : value)
     << ";\n}\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Point functions
//===----------------------------------------------------------------------===//

namespace {
/// The pieces of a point function's text.
struct PointText {
  PointText(const PointFunction &function);

  bool hasLanes;
  unsigned stored;
  SmallVector<Type> types; // of yielded values
  std::string parameters, call, reads;
};
} // namespace

PointText::PointText(const PointFunction &function)
    : hasLanes(function.along.has_value()), stored(function.stores.size()),
      types(function.block->getTerminator()->getOperandTypes()) {
  parameters = "const Arguments &args, Status *status, const Point &p";
  call = (function.name + "_region(args, status").str();
  for (auto [binding, argument] :
       llvm::zip_equal(function.bindings, function.block->getArguments())) {
    std::string name = "a" + std::to_string(argument.getArgNumber());
    std::string type = deviceType(argument.getType()).str();
    bool isPerLane = binding.kind == RegionBinding::Gathered ||
                     (hasLanes && (binding.kind == RegionBinding::Given ||
                                   binding.kind == RegionBinding::Access));
    if (binding.kind == RegionBinding::Given && hasLanes)
      parameters += ", const Lanes<" + type + ", N> &" + name;
    else if (binding.kind == RegionBinding::Given ||
             binding.kind == RegionBinding::Uniform)
      parameters += ", " + type + " " + name;
    if (binding.kind == RegionBinding::Access)
      reads +=
          ("const auto " + name + (hasLanes ? " = load<N, " : " = loadOne<") +
           function.name + "_in" + Twine(argument.getArgNumber()) +
           (hasLanes ? ", Wide>(args, p);\n" : ">(args, p);\n"))
              .str();
    if (binding.kind == RegionBinding::Table)
      continue;
    if (binding.kind == RegionBinding::Index) {
      name = SpecPrinter::index(binding.dim);
      if (hasLanes && binding.dim == *function.along)
        name += " + l";
    }
    call += ", " + name + (isPerLane ? "[l]" : "");
  }
  call += ")";
}

static std::string yielded(unsigned number, size_t count) {
  return count == 1 ? "r" : "r.v" + std::to_string(number);
}

/// Tables and where in them: `<name>_gather<i>` and `<name>_place<i>`.
LogicalResult SpecPrinter::printGathers(StringRef name,
                                        ArrayRef<Gather> gathers) {
  for (auto [i, gather] : llvm::enumerate(gathers)) {
    std::string tableName = (name + "_gather" + Twine(i)).str();
    table(tableName, gather.operand);
    alignedAccesses.push_back(tableName);
    if (failed(region((name + "_place" + Twine(i)).str(), gather.place->front(),
                      {})))
      return failure();
  }
  return success();
}

/// The statements that read what is gathered.
static std::string gatherText(const PointFunction &function,
                              ArrayRef<Gather> gathers) {
  std::string text, name = function.name.str();
  unsigned first = function.bindings.size() - gathers.size();
  for (auto [i, gather] : llvm::enumerate(gathers)) {
    std::string n = std::to_string(i), place = name + "_place" + n;
    text += "const auto place" + n + " = " + place + "(args, status";
    for (unsigned argument : gather.arguments) {
      const RegionBinding &binding = function.bindings[argument];
      bool isRead = binding.kind == RegionBinding::Access;
      text += binding.kind == RegionBinding::Index
                  ? ", " + SpecPrinter::index(binding.dim)
                  : ", a" + std::to_string(argument) + (isRead ? "[0]" : "");
    }
    text += ");\nbool outside" + n + " = false;\nconst auto a" +
            std::to_string(first + i) + " = gather<N, " + name + "_gather" + n +
            ", Wide>(args, {";
    size_t count = gather.place->front().getTerminator()->getNumOperands();
    for (size_t d = 0; d != count; ++d)
      text +=
          "i64(place" + n + (count > 1 ? ".v" + std::to_string(d) : "") + "), ";
    text += SpecPrinter::index(*function.along) + "}, outside" + n + ");\n";
    if (gather.reports)
      text += "if (outside" + n + ") {\nreportClamp(status);\n}\n";
  }
  return text;
}

void SpecPrinter::printLanesFunction(const PointFunction &function,
                                     ArrayRef<Gather> gathers) {
  PointText at(function);
  size_t count = at.types.size();
  std::string result = "void";
  if (count > at.stored) {
    os << "template <int N> struct " << function.name << "_Lanes {\n";
    for (auto [i, type] :
         llvm::enumerate(ArrayRef(at.types).drop_front(at.stored)))
      os << "Lanes<" << deviceType(type) << ", N> v" << i << ";\n";
    os << "};\n";
    result = (function.name + "_Lanes<N>").str();
  }
  os << "template <int N, bool Wide = true>\n"
     << device << result << " " << function.name << "(" << at.parameters
     << ") {\n"
     << at.reads << gatherText(function, gathers);
  for (unsigned i = 0; i != at.stored; ++i)
    os << "Lanes<" << deviceType(at.types[i]) << ", N> y" << i << ";\n";
  if (count > at.stored)
    os << result << " returned;\n";
  os << "#pragma unroll\nfor (int l = 0; l < N; ++l) {\nconst auto r = "
     << at.call << ";\n";
  for (unsigned i = 0; i != count; ++i)
    os << (i < at.stored ? "y" + std::to_string(i)
                         : "returned.v" + std::to_string(i - at.stored))
       << "[l] = " << yielded(i, count) << ";\n";
  os << "}\n";
  for (unsigned i = 0; i != at.stored; ++i)
    os << "store<N, " << function.name << "_out" << i << ", Wide>(args, p, y"
       << i << ");\n";
  os << (count > at.stored ? "return returned;\n}\n" : "}\n");
}

void SpecPrinter::printScalarFunction(const PointFunction &function) {
  PointText at(function);
  size_t count = at.types.size();
  auto returned = ArrayRef(at.types).drop_front(at.stored);
  std::string result;
  if (at.stored || returned.size() < 2) {
    result = resultType(os, function.name, returned);
  } else {
    result = (function.name + "_Values").str();
    alias(result, (function.name + "_region_Values").str());
  }
  os << device << result << " " << function.name << "(" << at.parameters
     << ") {\n"
     << at.reads << "const auto r = " << at.call << ";\n";
  for (unsigned i = 0; i != at.stored; ++i)
    os << "storeOne<" << function.name << "_out" << i << ">(args, p, "
       << yielded(i, count) << ");\n";
  SmallVector<std::string> values;
  for (unsigned i = at.stored; i != count; ++i)
    values.push_back(yielded(i, count));
  std::string value = llvm::join(values, ", ");
  if (at.stored == 0)
    os << "return r;\n";
  else if (!values.empty())
    os << "return " << (values.size() > 1 ? "{" + value + "}" : value) << ";\n";
  os << "}\n";
}

void SpecPrinter::printAccesses(const PointFunction &function) {
  unsigned along = function.along.value_or(0);
  SmallVector<std::pair<std::string, RegionStore>> accesses;
  for (auto [i, binding] : llvm::enumerate(function.bindings))
    if (binding.kind == RegionBinding::Access)
      accesses.push_back({(function.name + "_in" + Twine(i)).str(),
                          {binding.operand, binding.map}});
  for (auto [i, store] : llvm::enumerate(function.stores))
    accesses.push_back({(function.name + "_out" + Twine(i)).str(), store});
  int64_t lanes = function.loopLanes;
  for (auto &[name, at] : accesses)
    access(name, at.operand, at.map, along,
           lanes > 1 && isWide(at.operand, at.map, along, lanes));
}

LogicalResult SpecPrinter::pointFunction(const PointFunction &function) {
  SmallVector<Value> tables;
  for (auto [i, binding] : llvm::enumerate(function.bindings))
    tables.push_back(binding.operand);
  printAccesses(function);
  unsigned along = function.along.value_or(0);
  std::string name = (function.name + "_region").str();
  if (!function.along) {
    if (failed(region(name, *function.block, tables)))
      return failure();
    printScalarFunction(function);
    return success();
  }
  GatherPlan plan(function, [&](const RegionBinding &binding) {
    return analyse(binding.operand, binding.map, along).step == 0;
  });
  tables.resize(plan.function.bindings.size());
  if (failed(region(name, *plan.function.block, tables)) ||
      failed(printGathers(function.name, plan.gathers)))
    return failure();
  printLanesFunction(plan.function, plan.gathers);
  return success();
}

bool SpecPrinter::isEven(const PointFunction &function) {
  auto isEven = [&](Value operand, AffineMap map) {
    return analyse(operand, map, *function.along).conditions.empty();
  };
  for (const RegionBinding &binding : function.bindings) {
    if (binding.kind == RegionBinding::Access &&
        !isEven(binding.operand, binding.map))
      return false;
    // May be gathered from by lanes.
    if (binding.kind == RegionBinding::Table &&
        !cast<ShapedType>(binding.operand.getType()).hasStaticShape())
      return false;
  }
  return llvm::all_of(function.stores, [&](const RegionStore &store) {
    return isEven(store.operand, store.map);
  });
}

int64_t SpecPrinter::wholeLanes(const PointFunction &function, int64_t lanes) {
  int64_t extent = host.staticExtent(*function.along);
  bool isWhole = !ShapedType::isDynamic(extent) && extent % lanes == 0;
  return isWhole && isEven(function) ? lanes : 1;
}

int64_t SpecPrinter::chooseLanes(const PointFunction &function) {
  constexpr int64_t widest = 16;
  unsigned along = *function.along;
  int64_t smallest = widest, allowed = widest;
  bool onlyBytes = true, any = false;
  auto consider = [&](Value operand, AffineMap map) {
    Access access = analyse(operand, map, along);
    if (access.step != 1)
      return;
    Type type = cast<MemRefType>(operand.getType()).getElementType();
    int64_t bytes = std::max(1u, type.getIntOrFloatBitWidth() / 8);
    any = true;
    allowed = std::min(allowed, access.lanes);
    onlyBytes &= bytes < 4;
    if (bytes >= 4)
      smallest = std::min(smallest, bytes);
  };
  for (const RegionBinding &binding : function.bindings)
    if (binding.kind == RegionBinding::Access)
      consider(binding.operand, binding.map);
  for (const RegionStore &store : function.stores)
    consider(store.operand, store.map);
  if (!any)
    return 1;
  int64_t lanes = std::min(allowed, onlyBytes ? widest : widest / smallest);
  int64_t extent = host.staticExtent(along);
  if (ShapedType::isDynamic(extent))
    return lanes;
  uint64_t least = std::max<int64_t>(1, extent);
  return std::min<int64_t>(lanes, llvm::bit_floor(least));
}
