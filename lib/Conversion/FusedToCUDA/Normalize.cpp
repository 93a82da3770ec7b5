//===- Normalize.cpp - fused.normalize on a GPU ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionToCUDA.h"
#include "SpecPrinter.h"
#include "sinter/Analysis/NormalizeRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

/// Rows up to this length are one warp's: no barrier, no shared memory.
static constexpr int64_t warpColumns = 512;
static constexpr int64_t warpSize = 32, warpRowsPerBlock = 4;
/// Threads of a row whose length only the launch knows.
static constexpr int64_t dynamicThreads = 128;
static constexpr int64_t mostThreads = 1024;
/// Of rows with costly regions: 255 registers each.
static constexpr int64_t costlyThreads = 256;
/// Half of a multiprocessor's threads run at once: 64 registers each.
static constexpr int64_t threadsPerSM = 1024;
/// Registers in which a thread may hold its part of a row.
static constexpr int64_t heldRegisters = 16;

/// Whether the regions need more registers than half of a multiprocessor's
/// threads have at once: doubles, what is computed in double, long regions.
static bool isCostly(fused::NormalizeOp op) {
  constexpr unsigned longRegion = 64;
  unsigned count = 0;
  return op
      .walk([&](Operation *inner) {
        bool isDouble = llvm::any_of(inner->getOperandTypes(),
                                     [](Type t) { return t.isF64(); });
        bool isWide = isa<math::SinOp, math::CosOp, math::TanOp, math::PowFOp,
                          math::FPowIOp, math::Atan2Op, arith::RemFOp>(inner);
        return isDouble || isWide || ++count > longRegion
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class NormalizePrinter {
public:
  NormalizePrinter(SpecPrinter &spec, fused::NormalizeOp op)
      : spec(spec), op(op), inner(op.getDims().size() - 1),
        reductions(op.getReductions().size()), statistics(isStatisticsOnly(op)),
        costly(isCostly(op)) {}

  LogicalResult print();

private:
  LogicalResult checkReductions();
  PointFunction valuesFunction();
  PointFunction postFunction();
  void chooseShape();
  LogicalResult printValues();
  void printInputsAsValues();
  LogicalResult printReductions();
  std::string passText(unsigned first, unsigned last);
  void printPasses();
  LogicalResult printPost();
  std::string results();
  std::string values();

  SpecPrinter &spec;
  fused::NormalizeOp op;
  unsigned inner, reductions;
  bool statistics, costly;
  SmallVector<Type> valueTypes;
  int64_t lanes = 1, rowThreads = warpSize, held = 0;
  /// Lanes of all accesses, whatever the launch: 1 where some are single.
  int64_t loopLanes = 1;
  std::string number;
};
} // namespace

LogicalResult NormalizePrinter::checkReductions() {
  number = "float";
  for (Region &reduce : op.getReduces()) {
    Type type = reduce.front().getTerminator()->getOperand(0).getType();
    if (!isa<FloatType>(type))
      return op.emitError("a reduction of ")
             << type << " has no translation on a GPU; reduced are f32 and f64";
    if (type.isF64())
      number = "double";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

PointFunction NormalizePrinter::valuesFunction() {
  PointFunction function{"values", nullptr, {}, {}, inner, loopLanes};
  for (auto [input, map] : llvm::zip_equal(
           op.getInputs(), op.getInputMaps().getAsRange<AffineMapAttr>()))
    function.bindings.push_back(RegionBinding::read(input, map.getValue()));
  if (!op.getPre().empty())
    function.block = &op.getPre().front();
  return function;
}

PointFunction NormalizePrinter::postFunction() {
  PointFunction function{"post", &op.getPost().front(),     {}, {},
                         inner,  statistics ? 1 : loopLanes};
  if (!statistics)
    function.bindings.append(valueTypes.size(), RegionBinding::given());
  function.bindings.append(reductions, RegionBinding::uniform());
  for (auto [capture, map] :
       llvm::zip_equal(op.getCaptures(), op.getCaptureMaps().getValue()))
    function.bindings.push_back(
        RegionBinding::read(capture, fused::getOptionalMap(map)));
  for (int64_t dim : op.getIndexDims())
    function.bindings.push_back(RegionBinding::index(dim));
  for (auto [out, map] : llvm::zip_equal(
           op.getStoreOuts(), op.getStoreMaps().getAsRange<AffineMapAttr>()))
    function.stores.push_back({op.getOuts()[out], map.getValue()});
  return function;
}

/// Threads of a row, lanes, and what of it stays in registers.
void NormalizePrinter::chooseShape() {
  PointFunction all = valuesFunction(), post = postFunction();
  if (!statistics) {
    all.bindings.append(post.bindings);
    all.stores = post.stores;
  }
  lanes = spec.chooseLanes(all);
  loopLanes =
      std::min(spec.wholeLanes(all, lanes), spec.wholeLanes(post, lanes));
  int64_t columns = spec.host.staticExtent(inner);
  if (ShapedType::isDynamic(columns)) {
    rowThreads = dynamicThreads;
    return;
  }
  int64_t registers = 0;
  for (Type type : valueTypes)
    registers += type.isIndex() ? 2 : (type.getIntOrFloatBitWidth() + 31) / 32;
  int64_t most =
      costly ? 0 : heldRegisters / (lanes * std::max<int64_t>(1, registers));
  int64_t limit = costly ? costlyThreads : mostThreads;
  rowThreads = columns <= warpColumns ? warpSize : dynamicThreads;
  while (columns > warpColumns && rowThreads < limit &&
         columns > rowThreads * lanes * most)
    rowThreads *= 2;
  int64_t groups = llvm::divideCeil(columns, rowThreads * lanes);
  if (columns % lanes == 0 && groups <= most)
    held = groups;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// ", values.v0, values.v1" and ", done[0], done[1]".
std::string NormalizePrinter::values() {
  std::string text;
  for (size_t i = 0; i != valueTypes.size(); ++i)
    text += ", values.v" + std::to_string(i);
  return text;
}

std::string NormalizePrinter::results() {
  std::string text;
  for (unsigned i = 0; i != reductions; ++i)
    text += ", done[" + std::to_string(i) + "]";
  return text;
}

/// Without a region the values are the inputs.
void NormalizePrinter::printInputsAsValues() {
  std::string members, reads;
  for (auto [i, binding] : llvm::enumerate(valuesFunction().bindings)) {
    std::string number = std::to_string(i), name = "values_in" + number;
    spec.access(name, binding.operand, binding.map, inner,
                loopLanes > 1 && spec.isWide(binding.operand, binding.map,
                                             inner, loopLanes));
    members +=
        ("Lanes<" + deviceType(valueTypes[i]) + ", N> v" + number + ";\n")
            .str();
    reads += "values.v" + number + " = load<N, " + name + ", Wide>(args, p);\n";
  }
  spec.member("template <int N> struct values_Lanes {\n" + members +
              "};\ntemplate <int N, bool Wide = true>\nSINTER_DEVICE static "
              "values_Lanes<N> "
              "values(const Arguments &args, Status *status, const Point &p) "
              "{\nvalues_Lanes<N> values;\n" +
              reads + "return values;\n}");
}

LogicalResult NormalizePrinter::printValues() {
  if (!op.getPre().empty())
    return spec.pointFunction(valuesFunction());
  printInputsAsValues();
  return success();
}

LogicalResult NormalizePrinter::printReductions() {
  for (auto [i, reduce] : llvm::enumerate(op.getReduces())) {
    std::string name = "reduce" + std::to_string(i);
    PointFunction function{name, &reduce.front(), {}, {}, inner};
    function.bindings.append(valueTypes.size(), RegionBinding::given());
    function.bindings.append(i, RegionBinding::uniform());
    if (failed(spec.pointFunction(function)))
      return failure();
  }
  return success();
}

/// A chain of `if constexpr` over a template parameter.
static std::string choose(StringRef parameter, ArrayRef<std::string> bodies) {
  std::string text;
  for (auto [i, body] : llvm::enumerate(bodies))
    text += ((i ? "} else " : "") + Twine("if constexpr (") + parameter +
             " == " + Twine(i) + ") {\n" + body)
                .str();
  return text + "}\n";
}

/// A pass adds up reductions [first, last) of N points.
std::string NormalizePrinter::passText(unsigned first, unsigned last) {
  std::string text;
  for (unsigned r = first; r != last; ++r) {
    std::string i = std::to_string(r), given;
    for (unsigned e = 0; e != r; ++e)
      given += ", done[" + std::to_string(e) + "]";
    text += "const auto x" + i + " = reduce" + i + "<N>(args, status, p" +
            values() + given +
            ").v0;\n#pragma unroll\nfor (int l = 0; l < N; "
            "++l) {\nsums[" +
            i + "] = combine<" + i + ">(sums[" + i + "], x" + i + "[l]);\n}\n";
  }
  return text;
}

void NormalizePrinter::printPasses() {
  SmallVector<std::string> firsts, lasts, sums, identities, combines;
  for (unsigned first = 0; first != reductions;) {
    unsigned last = getPassEnd(op, first);
    firsts.push_back("return " + std::to_string(first) + ";\n");
    lasts.push_back("return " + std::to_string(last) + ";\n");
    sums.push_back(passText(first, last));
    first = last;
  }
  for (Attribute kind : op.getReductions()) {
    bool isSum =
        cast<fused::ReductionAttr>(kind).getValue() == fused::Reduction::sum;
    identities.push_back(isSum ? "return 0;\n"
                               : "return -bitCast<float>(0x7f800000u);\n");
    // A NaN does not become the maximum; what is made of the row has it.
    combines.push_back(isSum ? "return a + b;\n" : "return b > a ? b : a;\n");
  }
  auto member = [&](const Twine &head, std::string body) {
    spec.member("template <" + head + " {\n" + body + "}");
  };
  spec.member("static constexpr int reductions = " + Twine(reductions) +
              ", passes = " + Twine(sums.size()) + ";");
  spec.alias("Number", number);
  member("int Pass> SINTER_DEVICE static constexpr int first()",
         choose("Pass", firsts));
  member("int Pass> SINTER_DEVICE static constexpr int last()",
         choose("Pass", lasts));
  member("int R> SINTER_DEVICE static Number identity()",
         choose("R", identities));
  member("int R> SINTER_DEVICE static Number combine(Number a, Number b)",
         choose("R", combines));
  member(
      "int Pass, int N> SINTER_DEVICE static void accumulate(const Arguments "
      "&args, Status *status, const Point &p, const values_Lanes<N> &values, "
      "const Lanes<Number, reductions> &done, Lanes<Number, reductions> "
      "&sums)",
      choose("Pass", sums));
}

LogicalResult NormalizePrinter::printPost() {
  if (failed(spec.pointFunction(postFunction())))
    return failure();
  std::string parameters = "const Arguments &args, Status *status, const Point "
                           "&p";
  std::string done = ", const Lanes<Number, reductions> &done) {\n";
  if (statistics)
    spec.member("SINTER_DEVICE static void finishRow(" + parameters + done +
                "post<1>(args, status, p" + results() + ");\n}");
  else
    spec.member(
        "template <int N, bool Wide> SINTER_DEVICE static void finish(" +
        parameters + ", const values_Lanes<N> &values" + done +
        "post<N, Wide>(args, status, p" + values() + results() + ");\n}");
  return success();
}

LogicalResult NormalizePrinter::print() {
  if (failed(checkReductions()))
    return failure();
  if (op.getPre().empty())
    for (Value input : op.getInputs())
      valueTypes.push_back(fused::getScalarType(
          cast<ShapedType>(input.getType()).getElementType()));
  else
    llvm::append_range(valueTypes,
                       op.getPre().front().getTerminator()->getOperandTypes());
  chooseShape();
  int64_t threads =
      rowThreads == warpSize ? warpSize * warpRowsPerBlock : rowThreads;
  spec.setTemplate("normalize");
  spec.setThreads(threads, costly ? 1 : threadsPerSM / threads);
  spec.setShared(rowThreads == warpSize
                     ? 0
                     : rowThreads / warpSize * reductions * sizeof(double));
  spec.member("static constexpr int row_threads = " + Twine(rowThreads) +
              ", lanes = " + Twine(lanes) + ", held = " + Twine(held) + ";");
  spec.member("static constexpr bool statistics = " +
              Twine(statistics ? "true" : "false") + ";");
  spec.rowLimit(op.getRows(), op.getRowsMap(), op.getRowsDim());
  if (failed(printValues()) || failed(printReductions()))
    return failure();
  printPasses();
  if (failed(printPost()))
    return failure();
  spec.aligned();
  int64_t rowsPerBlock = threads / rowThreads;
  spec.host.tasks([&](host::HostBuilder &k, Value args, Value) {
    Value rows = k.i64(1);
    SmallVector<Value> extents = spec.host.extents(k, args);
    for (Value extent : ArrayRef(extents).take_front(inner))
      rows = k.mul(rows, extent);
    return k.ceilDiv(rows, rowsPerBlock);
  });
  return success();
}

LogicalResult cuda::printSkeleton(SpecPrinter &spec, fused::NormalizeOp op) {
  return NormalizePrinter(spec, op).print();
}
