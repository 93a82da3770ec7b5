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

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

static constexpr StringRef device = "SINTER_DEVICE static ";

SpecPrinter::SpecPrinter(fused::KernelOp kernel, unsigned symbols,
                         llvm::BitVector ownMemory)
    : host(kernel), ownMemory(std::move(ownMemory)), os(text) {
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

/// Says of each operand how it is accessed: what gate-kernels checks.
void SpecPrinter::printWidths() {
  SmallVector<std::string> wide, narrow;
  for (auto &[slot, operand] : operands) {
    (operand.isWide ? wide : narrow).push_back(operand.name);
    record.operands.push_back(operand);
  }
  if (record.scratch)
    (record.hasWideScratch ? wide : narrow).push_back("scratch");
  if (!wide.empty())
    member("// In loops, 16 bytes at a time: " + llvm::join(wide, ", "));
  if (!narrow.empty())
    member("// In loops, less than 16 bytes: " + llvm::join(narrow, ", "));
}

DeviceKernel SpecPrinter::finish() {
  addDefault("_tasks", /*perStep=*/true);
  addDefault("_steps", /*perStep=*/false);
  printWidths();
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
  std::string blocks = std::to_string(blocksPerSM);
  if (blocksPerSM > 1) {
    std::string macro = record.getBlocksMacro();
    member("#ifndef " + macro + "\n#define " + macro + " " + blocks +
           "\n#endif");
    blocks = macro;
  }
  member("static constexpr int threads = " + Twine(threads) +
         ", blocks_per_sm = " + blocks + ";");
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

std::string SpecPrinter::index(unsigned dim) {
  return "p[" + std::to_string(dim) + "]";
}

std::string SpecPrinter::affine(AffineExpr expr) {
  return affineText(expr, index,
                    [&](unsigned symbol) { return index(rank + symbol); });
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
  Access access =
      analyseAccess(cast<MemRefType>(operand.getType()), onPoints(map, rank),
                    extentsOf(operand), along, index);
  if (ownMemory.test(cast<BlockArgument>(operand).getArgNumber()))
    access.addressDivisor = 1;
  return access;
}

bool SpecPrinter::isWide(Value operand, AffineMap map, unsigned along,
                         int64_t lanes) {
  Access access = analyse(operand, map, along);
  return access.step == 1 && access.lanes >= lanes &&
         access.conditions.empty() && lanes * access.elementBytes >= 16;
}

void SpecPrinter::note(StringRef name, Value operand, bool isWide) {
  int64_t slot = host.slot(operand);
  auto [entry, isNew] =
      operands.try_emplace(slot, OperandAccess{name.str(), slot, isWide});
  entry->second.isWide &= isWide;
}

/// `even` and `aligned`.
static std::string alignmentText(const Access &access,
                                 const std::string &address) {
  std::string even = access.conditions.empty()
                         ? "true"
                         : llvm::join(access.conditions, " && ");
  std::string aligned = "even(args)";
  if (access.addressDivisor > 1)
    aligned = "isMultiple<" + std::to_string(access.addressDivisor) + ">(" +
              address + ") && " + aligned;
  return (device + "bool even(const Arguments &args) {\nreturn " + even +
          ";\n}\n" + device + "bool aligned(const Arguments &args) {\nreturn " +
          aligned + ";\n}\n")
      .str();
}

std::string SpecPrinter::accessBody(Value operand, AffineMap map,
                                    unsigned along) {
  auto type = cast<MemRefType>(operand.getType());
  Access access = analyse(operand, map, along);
  std::string address = slotText(host.slot(operand)), body;
  llvm::raw_string_ostream text(body);
  text << typesText(type.getElementType())
       << "static constexpr int along = " << along << ", step = " << access.step
       << ", lanes = " << access.lanes << ";\n"
       << alignmentText(access, address) << device
       << "Element *at(const Arguments &args, const Point &p) {\nreturn "
          "reinterpret_cast<Element *>("
       << address << ") + (" << access.offset << ");\n}\n";
  return body;
}

void SpecPrinter::access(StringRef name, Value operand, AffineMap map,
                         unsigned along, bool isWide) {
  note(name, operand, isWide);
  std::string body = accessBody(operand, map, along);
  auto [earlier, isNew] = accesses.try_emplace(body, name.str());
  if (!isNew)
    return alias(name, earlier->second);
  alignedAccesses.push_back(name.str());
  os << "struct " << name << " {\n" << body << "};\n";
}

void SpecPrinter::table(StringRef name, Value operand) {
  note(name, operand, /*isWide=*/false);
  auto type = cast<MemRefType>(operand.getType());
  unsigned tableRank = type.getRank();
  SmallVector<std::string> extents = extentsOf(operand);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(tableRank, type.getContext());
  Access access = analyseAccess(type, identity, extents,
                                tableRank ? tableRank - 1 : 0, index);
  if (ownMemory.test(cast<BlockArgument>(operand).getArgNumber()))
    access.addressDivisor = 1;
  os << "struct " << name << " {\n"
     << typesText(type.getElementType())
     << "static constexpr int rank = " << tableRank
     << ", lanes = " << access.lanes << ";\n"
     << alignmentText(access, slotText(host.slot(operand))) << device
     << "Indices<rank> extents(const Arguments &args) {\nreturn {{"
     << llvm::join(extents, ", ") << "}};\n}\n"
     << device
     << "Element *at(const Arguments &args, const Indices<rank> &p) {\nreturn "
        "reinterpret_cast<Element *>("
     << slotText(host.slot(operand)) << ") + (" << access.offset
     << ");\n}\n};\n";
}

void SpecPrinter::aligned() {
  for (StringRef property : {"aligned", "even"}) {
    SmallVector<std::string> conditions;
    for (StringRef name : alignedAccesses)
      conditions.push_back((name + "::" + property + "(args)").str());
    os << device << "bool " << property << "(const Arguments &args) {\nreturn "
       << (conditions.empty() ? "true" : llvm::join(conditions, " && "))
       << ";\n}\n";
  }
}

void SpecPrinter::symbols(StringRef name, ValueRange operands, ArrayAttr maps) {
  std::string statements;
  for (auto [i, operand, map] :
       llvm::enumerate(operands, maps.getAsRange<AffineMapAttr>())) {
    std::string access = (name + "_in" + Twine(i)).str();
    this->access(access, operand, map.getValue(), 0);
    statements += index(rank + i) + " = loadOne<" + access + ">(args, p);\n";
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
