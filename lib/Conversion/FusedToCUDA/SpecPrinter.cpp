//===- SpecPrinter.cpp - Prints the Spec of a kernel ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecPrinter.h"
#include "RegionToCUDA.h"
#include "SpecAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

static constexpr StringRef device = "SINTER_DEVICE static ";

SpecPrinter::SpecPrinter(fused::KernelOp kernel, unsigned symbols)
    : host(kernel), os(text) {
  rank = cast<fused::SkeletonInterface>(getSkeleton()).getDims().size();
  record.name = host.getName().str();
  record.slots = host.slots();
  os << "namespace sinter {\nstruct " << record.name << "_spec {\n";
  alias("Arguments", "sinter::Arguments<" + std::to_string(record.slots) + ">");
  member("static constexpr int rank = " + Twine(rank) + ";");
  alias("Point", "Indices<" + std::to_string(rank + symbols) + ">");
  printExtents();
}

void SpecPrinter::printExtents() {
  auto skeleton = cast<fused::SkeletonInterface>(getSkeleton());
  SmallVector<std::string> texts;
  for (unsigned dim = 0; dim != rank; ++dim) {
    int64_t known = host.staticExtent(dim);
    auto [operand, index] = skeleton.getExtentSource(dim);
    if (!ShapedType::isDynamic(known))
      texts.push_back(std::to_string(known));
    else
      texts.push_back(operand ? extentsOf(operand)[index] : "0");
  }
  os << device << "Point extents(const Arguments &args) {\nreturn {{"
     << llvm::join(texts, ", ") << "}};\n}\n";
}

/// Indents by the depth of braces; what stands in a namespace does not count.
static std::string indented(StringRef text) {
  std::string result;
  int depth = 0;
  for (StringRef line : llvm::split(text, '\n')) {
    bool isOuter = line.starts_with("namespace") || line.starts_with("} //") ||
                   line.starts_with("#");
    if (!line.empty() && !isOuter)
      result.append(2 * (depth - line.starts_with("}")), ' ');
    result += (line + "\n").str();
    if (!isOuter)
      depth += line.count('{') - line.count('}');
  }
  return result;
}

void SpecPrinter::addDefault(StringRef suffix, bool perStep) {
  Operation *module = getSkeleton()->getParentOp()->getParentOp();
  if (SymbolTable::lookupSymbolIn(module, (record.name + suffix).str()))
    return;
  if (perStep)
    host.tasks([](host::HostBuilder &k, Value, Value) { return k.i64(1); });
  else
    host.steps([](host::HostBuilder &k, Value) { return k.i64(1); });
}

DeviceKernel SpecPrinter::finish() {
  addDefault("_tasks", /*perStep=*/true);
  addDefault("_steps", /*perStep=*/false);
  os << "};\n} // namespace sinter\n\nSINTER_KERNEL(" << record.name
     << ", sinter::" << record.name << "_spec, sinter::" << record.templateName
     << ")\n";
  record.text = indented(text);
  return record;
}

//===----------------------------------------------------------------------===//
// The record and plain members
//===----------------------------------------------------------------------===//

void SpecPrinter::setThreads(int64_t threads, int64_t blocksPerSM) {
  record.threads = threads;
  record.blocksPerSM = blocksPerSM;
  member("static constexpr int threads = " + Twine(threads) +
         ", blocks_per_sm = " + Twine(blocksPerSM) + ";");
}

void SpecPrinter::setShared(int64_t bytes) {
  record.sharedBytes = bytes;
  constant("shared_bytes", bytes);
}

void SpecPrinter::constant(StringRef name, int64_t value) {
  member("static constexpr i64 " + name + " = " + Twine(value) + ";");
}

void SpecPrinter::alias(StringRef name, StringRef type) {
  member("using " + name + " = " + type + ";");
}

void SpecPrinter::function(StringRef type, StringRef name,
                           StringRef expression) {
  os << device << type << " " << name
     << "(const Arguments &args, const Point &p) {\nreturn " << expression
     << ";\n}\n";
}

void SpecPrinter::member(const Twine &line) { os << line << "\n"; }

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static std::string slotText(int64_t slot) {
  return "args.slot[" + std::to_string(slot) + "]";
}

static std::string indexText(unsigned dim) {
  return "p[" + std::to_string(dim) + "]";
}

std::string SpecPrinter::affine(AffineExpr expr) {
  return affineText(expr, indexText,
                    [&](unsigned symbol) { return indexText(rank + symbol); });
}

SmallVector<std::string> SpecPrinter::extentsOf(Value operand) {
  int64_t next = host.slot(operand) + 1;
  SmallVector<std::string> extents;
  for (int64_t size : cast<MemRefType>(operand.getType()).getShape())
    extents.push_back(ShapedType::isDynamic(size) ? slotText(next++)
                                                  : std::to_string(size));
  return extents;
}

std::string SpecPrinter::integer(Value operand) {
  return slotText(host.slot(operand));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Symbols become the point's further indices.
static AffineMap onPoints(AffineMap map, unsigned rank) {
  unsigned dims = std::max(rank, map.getNumDims());
  SmallVector<AffineExpr> symbols;
  for (unsigned i = 0; i != map.getNumSymbols(); ++i)
    symbols.push_back(getAffineDimExpr(dims + i, map.getContext()));
  SmallVector<AffineExpr> same;
  for (unsigned i = 0; i != map.getNumDims(); ++i)
    same.push_back(getAffineDimExpr(i, map.getContext()));
  return map.replaceDimsAndSymbols(same, symbols, dims + symbols.size(), 0);
}

/// Element and Scalar.
static std::string typesText(Type element) {
  return ("using Element = " + storedType(element) + ";\nusing Scalar = " +
          deviceType(fused::getScalarType(element)) + ";\n")
      .str();
}

Access SpecPrinter::analyse(Value operand, AffineMap map, unsigned along) {
  return analyseAccess(cast<MemRefType>(operand.getType()), onPoints(map, rank),
                       extentsOf(operand), along, indexText);
}

std::string SpecPrinter::accessBody(Value operand, AffineMap map,
                                    unsigned along) {
  auto type = cast<MemRefType>(operand.getType());
  Access access = analyse(operand, map, along);
  std::string address = slotText(host.slot(operand)), body;
  SmallVector<std::string> conditions = access.conditions;
  if (access.addressDivisor > 1)
    conditions.insert(conditions.begin(),
                      address + " % " + std::to_string(access.addressDivisor) +
                          " == 0");
  llvm::raw_string_ostream text(body);
  text << typesText(type.getElementType())
       << "static constexpr int along = " << along << ", step = " << access.step
       << ", lanes = " << access.lanes << ";\n"
       << device << "bool aligned(const Arguments &args) {\nreturn "
       << (conditions.empty() ? "true" : llvm::join(conditions, " && "))
       << ";\n}\n"
       << device
       << "Element *at(const Arguments &args, const Point &p) {\nreturn "
          "reinterpret_cast<Element *>("
       << address << ") + (" << access.offset << ");\n}\n";
  return body;
}

void SpecPrinter::access(StringRef name, Value operand, AffineMap map,
                         unsigned along) {
  std::string body = accessBody(operand, map, along);
  auto [earlier, isNew] = accesses.try_emplace(body, name.str());
  if (!isNew)
    return alias(name, earlier->second);
  alignedAccesses.push_back(name.str());
  os << "struct " << name << " {\n" << body << "};\n";
}

void SpecPrinter::table(StringRef name, Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  unsigned tableRank = type.getRank();
  SmallVector<std::string> extents = extentsOf(operand);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(tableRank, type.getContext());
  Access access = analyseAccess(type, identity, extents,
                                tableRank ? tableRank - 1 : 0, indexText);
  os << "struct " << name << " {\n"
     << typesText(type.getElementType())
     << "static constexpr int rank = " << tableRank << ";\n"
     << device << "Indices<rank> extents(const Arguments &args) {\nreturn {{"
     << llvm::join(extents, ", ") << "}};\n}\n"
     << device
     << "Element *at(const Arguments &args, const Indices<rank> &p) {\nreturn "
        "reinterpret_cast<Element *>("
     << slotText(host.slot(operand)) << ") + (" << access.offset
     << ");\n}\n};\n";
}

void SpecPrinter::aligned() {
  SmallVector<std::string> conditions;
  for (const std::string &name : alignedAccesses)
    conditions.push_back(name + "::aligned(args)");
  os << device << "bool aligned(const Arguments &args) {\nreturn "
     << (conditions.empty() ? "true" : llvm::join(conditions, " && "))
     << ";\n}\n";
}

void SpecPrinter::symbols(StringRef name, ValueRange operands, ArrayAttr maps) {
  std::string statements;
  for (auto [i, operand, map] :
       llvm::enumerate(operands, maps.getAsRange<AffineMapAttr>())) {
    std::string access = (name + "_in" + Twine(i)).str();
    this->access(access, operand, map.getValue(), 0);
    statements +=
        indexText(rank + i) + " = loadOne<" + access + ">(args, p);\n";
  }
  os << device << "void " << name << "(const Arguments &args, Point &p) {\n"
     << statements << "}\n";
}

void SpecPrinter::rowLimit(Value rows, std::optional<AffineMap> map,
                           std::optional<int64_t> dim) {
  member("static constexpr int limited_dim = " +
         Twine(rows ? dim.value_or(-1) : -1) + ";");
  if (rows)
    access("Rows", rows, *map, 0);
  function("i64", "limit", rows ? "loadOne<Rows>(args, p)" : "0");
}

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
    bool isPerLane = hasLanes && (binding.kind == RegionBinding::Given ||
                                  binding.kind == RegionBinding::Access);
    if (binding.kind == RegionBinding::Given && hasLanes)
      parameters += ", const Lanes<" + type + ", N> &" + name;
    else if (binding.kind == RegionBinding::Given ||
             binding.kind == RegionBinding::Uniform)
      parameters += ", " + type + " " + name;
    if (binding.kind == RegionBinding::Access)
      reads += ("const auto " + name +
                (hasLanes ? " = load<N, " : " = loadOne<") + function.name +
                "_in" + Twine(argument.getArgNumber()) + ">(args, p);\n")
                   .str();
    if (binding.kind == RegionBinding::Table)
      continue;
    if (binding.kind == RegionBinding::Index) {
      name = indexText(binding.dim);
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

void SpecPrinter::printLanesFunction(const PointFunction &function) {
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
  os << "template <int N>\n"
     << device << result << " " << function.name << "(" << at.parameters
     << ") {\n"
     << at.reads;
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
    os << "store<N, " << function.name << "_out" << i << ">(args, p, y" << i
       << ");\n";
  os << (count > at.stored ? "return returned;\n}\n" : "}\n");
}

void SpecPrinter::printScalarFunction(const PointFunction &function) {
  PointText at(function);
  size_t count = at.types.size();
  auto returned = ArrayRef(at.types).drop_front(at.stored);
  std::string result = at.stored || returned.size() < 2
                           ? resultType(os, function.name, returned)
                           : (function.name + "_region_Values").str();
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

LogicalResult SpecPrinter::pointFunction(const PointFunction &function) {
  SmallVector<Value> tables;
  unsigned along = function.along.value_or(0);
  for (auto [i, binding] : llvm::enumerate(function.bindings)) {
    tables.push_back(binding.operand);
    if (binding.kind == RegionBinding::Access)
      access((function.name + "_in" + Twine(i)).str(), binding.operand,
             binding.map, along);
  }
  for (auto [i, store] : llvm::enumerate(function.stores))
    access((function.name + "_out" + Twine(i)).str(), store.operand, store.map,
           along);
  if (failed(
          region((function.name + "_region").str(), *function.block, tables)))
    return failure();
  if (function.along)
    printLanesFunction(function);
  else
    printScalarFunction(function);
  return success();
}

int64_t SpecPrinter::chooseLanes(const PointFunction &function) {
  constexpr int64_t widest = 16;
  unsigned along = *function.along;
  int64_t smallest = widest, most = 1;
  bool onlyBytes = true;
  auto consider = [&](Value operand, AffineMap map) {
    Access access = analyse(operand, map, along);
    if (access.lanes == 1)
      return;
    Type type = cast<MemRefType>(operand.getType()).getElementType();
    int64_t bytes = std::max(1u, type.getIntOrFloatBitWidth() / 8);
    most = std::max(most, access.lanes);
    onlyBytes &= bytes < 4;
    if (bytes >= 4)
      smallest = std::min(smallest, bytes);
  };
  for (const RegionBinding &binding : function.bindings)
    if (binding.kind == RegionBinding::Access)
      consider(binding.operand, binding.map);
  for (const RegionStore &store : function.stores)
    consider(store.operand, store.map);
  int64_t lanes = std::min(most, onlyBytes ? widest : widest / smallest);
  int64_t extent = host.staticExtent(along);
  return ShapedType::isDynamic(extent)
             ? lanes
             : std::min<int64_t>(lanes, llvm::bit_floor<uint64_t>(
                                            std::max<int64_t>(1, extent)));
}
