//===- Generic.cpp - linalg.generic on a GPU ------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecPrinter.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

static constexpr int64_t threads = 256, blocksPerSM = 2;

namespace {
class GenericPrinter {
public:
  GenericPrinter(SpecPrinter &spec, linalg::GenericOp op)
      : spec(spec), op(op), maps(op.getIndexingMapsArray()),
        inputs(op.getNumDpsInputs()), outs(op.getNumDpsInits()) {
    op.getParallelDims(parallel);
    op.getReductionDims(reduction);
  }

  LogicalResult print();

private:
  void printPlace();
  LogicalResult printBody();
  void printRun();

  SpecPrinter &spec;
  linalg::GenericOp op;
  SmallVector<AffineMap> maps;
  unsigned inputs, outs;
  SmallVector<unsigned> parallel, reduction;
};
} // namespace

static std::string at(unsigned dim) { return "[" + std::to_string(dim) + "]"; }

void GenericPrinter::printPlace() {
  std::string product = "1", statements;
  for (unsigned dim : llvm::reverse(parallel)) {
    std::string d = at(dim);
    product += " * extents(args)" + d;
    // The outermost index is what is left.
    if (dim == parallel.front()) {
      statements += "p" + d + " = flat;\n";
      continue;
    }
    statements += "const i64 next" + std::to_string(dim) +
                  " = divide(flat, extents(args)" + d + ");\np" + d +
                  " = flat - next" + std::to_string(dim) + " * extents(args)" +
                  d + ";\nflat = next" + std::to_string(dim) + ";\n";
  }
  spec.member(
      "SINTER_DEVICE static i64 points(const Arguments &args) {\nreturn " +
      product + ";\n}");
  spec.member(
      "SINTER_DEVICE static void place(const Arguments &args, i64 flat, "
      "Point &p) {\n" +
      statements + "}");
}

LogicalResult GenericPrinter::printBody() {
  PointFunction body{"body", &op.getRegion().front(), {}, {}, std::nullopt};
  for (unsigned i = 0; i != inputs; ++i)
    body.bindings.push_back(RegionBinding::read(op->getOperand(i), maps[i]));
  body.bindings.append(outs, RegionBinding::given());
  for (unsigned i = 0; i != outs; ++i)
    spec.access("out" + std::to_string(i), op->getOperand(inputs + i),
                maps[inputs + i], 0);
  return spec.pointFunction(body);
}

/// The loops over reduced dimensions around the body, which turns the results
/// into the next ones.
void GenericPrinter::printRun() {
  std::string reads, loops, given, next, stores;
  for (unsigned i = 0; i != outs; ++i) {
    std::string n = std::to_string(i);
    reads += "auto r" + n + " = loadOne<out" + n + ">(args, p);\n";
    given += ", r" + n;
    next += "r" + n + (outs == 1 ? " = next;\n" : " = next.v" + n + ";\n");
    stores += "storeOne<out" + n + ">(args, p, r" + n + ");\n";
  }
  std::string ends;
  for (unsigned dim : reduction) {
    std::string d = at(dim);
    loops += "for (p" + d + " = 0; p" + d + " < extents(args)" + d + "; ++p" +
             d + ") {\n";
    ends += "}\n";
  }
  spec.member("SINTER_DEVICE static void run(const Arguments &args, Status "
              "*status, Point &p) {\n" +
              reads + loops + "const auto next = body(args, status, p" + given +
              ");\n" + next + ends + stores + "}");
}

LogicalResult GenericPrinter::print() {
  spec.setTemplate("generic");
  spec.setThreads(threads, blocksPerSM);
  printPlace();
  if (failed(printBody()))
    return failure();
  printRun();
  spec.host.tasks([&](host::HostBuilder &k, Value args, Value) {
    SmallVector<Value> extents = spec.host.extents(k, args);
    Value points = k.i64(1);
    for (unsigned dim : parallel)
      points = k.mul(points, extents[dim]);
    return k.ceilDiv(points, threads);
  });
  return success();
}

LogicalResult cuda::printSkeleton(SpecPrinter &spec, linalg::GenericOp op) {
  return GenericPrinter(spec, op).print();
}
