//===- SpecPrinter.h - Prints the Spec of a kernel --------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel on a GPU is a template of device/ and one printed struct, `Spec`,
// with all that differs between kernels (docs/adr/0006-device-templates.md).
// Its members are printed in the order of the calls below.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECPRINTER_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECPRINTER_H

#include "sinter/Conversion/FusedToCUDA/DeviceKernel.h"
#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>

namespace sinter::cuda {

struct Access;
struct Gather;

/// What an argument of a region is bound to where a point function calls it.
struct RegionBinding {
  enum Kind {
    Given,   ///< A parameter of the function, one number per lane.
    Uniform, ///< A parameter of the function, one number for all lanes.
    Access,  ///< `operand` read at the point through `map`.
    Table,   ///< `operand` as a whole, for fused.read.
    Index,   ///< The point's index in dimension `dim`.
    Gathered ///< What a read of a table gave (SpecGather.h).
  };
  Kind kind;
  mlir::Value operand;
  mlir::AffineMap map;
  unsigned dim = 0;

  static RegionBinding given() { return {Given, {}, {}}; }
  static RegionBinding uniform() { return {Uniform, {}, {}}; }
  static RegionBinding gathered() { return {Gathered, {}, {}}; }
  static RegionBinding index(unsigned dim) { return {Index, {}, {}, dim}; }
  /// An access, or a table where `map` is null.
  static RegionBinding read(mlir::Value operand, mlir::AffineMap map) {
    return {map ? Access : Table, operand, map};
  }
};

/// A yielded value that goes to memory.
struct RegionStore {
  mlir::Value operand;
  mlir::AffineMap map;
};

/// A region with its reads and stores at a point, as one device function.
struct PointFunction {
  /// Also the prefix of what is printed beside it.
  llvm::StringRef name;
  mlir::Block *block;
  /// One per argument of the block.
  llvm::SmallVector<RegionBinding> bindings;
  /// Where the first yielded values go; the others are returned.
  llvm::SmallVector<RegionStore> stores;
  /// The dimension along which lanes are neighbours; none: one lane.
  std::optional<unsigned> along;
  /// Lanes of all calls in the template's loops, given that accesses are
  /// aligned; 1: single points are among them.
  int64_t loopLanes = 1;
};

/// Prints a Spec and collects what its kernel's record says.
///
/// The Spec stands in namespace sinter, so that text calls device functions by
/// their plain names: name no member like one. It has, from the constructor on:
///   using Arguments = sinter::Arguments<slots>;
///   static constexpr int rank;             dimensions of the skeleton
///   using Point = sinter::Indices<...>;    dimensions, then symbols
///   static Point extents(const Arguments &);  0 where no operand tells
/// In text, `p[d]` is the index of dimension d and p[rank + i] symbol i.
class SpecPrinter {
public:
  /// `symbols`: the largest number of symbols of any map of the skeleton;
  /// `ownMemory`: arguments of the kernel that always lie in memory that the
  /// compiler places, at multiples of 64.
  SpecPrinter(fused::KernelOp kernel, unsigned symbols,
              llvm::BitVector ownMemory);

  host::KernelFunctions host;

  mlir::Operation *getSkeleton() { return host.getSkeleton(); }
  unsigned getRank() const { return rank; }

  //===--- The record -----------------------------------------------------===//
  /// The kernel runs `sinter::<name><Spec>`, of device/<name>.cuh.
  void setTemplate(llvm::StringRef name) { record.templateName = name.str(); }
  /// Prints `threads` and `blocks_per_sm` too.
  void setThreads(int64_t threads, int64_t blocksPerSM = 1);
  /// Bytes of dynamic shared memory; prints `shared_bytes` too.
  void setShared(int64_t bytes);
  /// Bytes of device scratch; symbols are the launch slots.
  void setScratch(mlir::AffineMap bytes) { record.scratch = bytes; }
  /// In the template's loops all accesses of the scratch move 16 bytes.
  void setWideScratch() { record.hasWideScratch = true; }
  /// The complete record: call once, at the end. A kernel without host
  /// functions for its number of tasks or steps gets one that says 1.
  DeviceKernel finish();

  //===--- Members --------------------------------------------------------===//
  /// `static constexpr i64 <name> = <value>;`
  void constant(llvm::StringRef name, int64_t value);
  /// `using <name> = <type>;`
  void alias(llvm::StringRef name, llvm::StringRef type);
  /// A device function of the Spec with parameters (const Arguments &args,
  /// const Point &p) that returns an expression.
  void function(llvm::StringRef type, llvm::StringRef name,
                llvm::StringRef expression);
  /// A member as it stands.
  void member(const llvm::Twine &text);

  /// How `operand` is accessed through `map`, as a struct:
  ///   Element       the type in memory
  ///   Scalar        the type in regions
  ///   along         the dimension that `lanes` and `step` speak of
  ///   step          elements between neighbours along it: 1, 0 (the same
  ///                 element), or -1 (not known)
  ///   lanes         largest N, a power of two of at most 16, such that N
  ///                 neighbours from an index that N divides lie side by side,
  ///                 and accesses of min(16, N * sizeof(Element)) bytes are
  ///                 aligned wherever `aligned(args)` holds; 1 if step is not 1
  ///   even(args)    what of that only the launch's extents tell
  ///   aligned(args) that, and what the operand's address tells
  ///   at(args, p)   the element's address
  /// `sinter::load<N, Struct>(args, p)` and `store` read and write with it.
  /// Printed once; an equal access of another name is an alias.
  /// `isWide` is what OperandAccess says of it, and what the gates hold the
  /// template to.
  void access(llvm::StringRef name, mlir::Value operand, mlir::AffineMap map,
              unsigned along, bool isWide = false);
  /// Whether `lanes` neighbours take accesses of 16 bytes wherever the
  /// operand's address is a multiple of 16.
  bool isWide(mlir::Value operand, mlir::AffineMap map, unsigned along,
              int64_t lanes = 4);
  /// A whole operand: Element, Scalar, rank, extents(args), and at(args, i) of
  /// Indices<rank>; lanes, even and aligned as of an access along the last
  /// index.
  void table(llvm::StringRef name, mlir::Value operand);
  /// `static bool aligned(const Arguments &)` and `even`: all accesses printed
  /// so far are.
  void aligned();
  /// The structs that `aligned` asks.
  llvm::ArrayRef<std::string> getAlignedAccesses() const {
    return alignedAccesses;
  }
  /// `<name>(args, p)`: writes p[rank + i] for symbols read through `maps`.
  void symbols(llvm::StringRef name, mlir::ValueRange operands,
               mlir::ArrayAttr maps);
  /// `static constexpr int limited_dim` (-1: none) and `static i64 limit(args,
  /// p)`: points whose index in that dimension is not below are left out.
  void rowLimit(mlir::Value rows, std::optional<mlir::AffineMap> map,
                std::optional<int64_t> dim);

  /// The region alone: `<name>(args, status, arguments...)`, the arguments that
  /// are no tables. One yielded value is returned as it is, several as
  /// `<name>_Values` with v0, v1, ... Tables are `tables[i]` for argument i.
  mlir::LogicalResult region(llvm::StringRef name, mlir::Block &block,
                             mlir::ValueRange tables);

  /// A region with its accesses, which are printed as `<name>_in<argument>` and
  /// `<name>_out<store>`, and the region as `<name>_region`.
  /// With `along`:
  ///   template <int N, bool Wide = true> <name>(args, status, p,
  ///   parameters...)
  /// for N points from p along that dimension, which N divides (or N = 1); Wide
  /// promises that accesses are aligned;
  /// given parameters are `const Lanes<T, N> &`, uniform ones T; what is not
  /// stored is returned as `<name>_Lanes<N>` with v0, v1, ... of type
  /// Lanes<T, N>.
  /// Without: <name>(args, status, p, parameters...) of scalars, which returns
  /// the value that is not stored, or `<name>_Values` of several.
  mlir::LogicalResult pointFunction(const PointFunction &function);

  /// Whether no extent of a launch keeps a function's calls from many lanes.
  bool isEven(const PointFunction &function);
  /// `lanes` where the function is even and they divide the extent of its
  /// dimension whatever the launch, else 1: what its `loopLanes` may be.
  int64_t wholeLanes(const PointFunction &function, int64_t lanes);

  /// How many lanes a point function should have: what makes accesses of 16
  /// bytes of its smallest elements of 4 bytes or more that lie side by side
  /// (of bytes if there are only such), at most the extent and what each of
  /// these accesses allows.
  int64_t chooseLanes(const PointFunction &function);

  //===--- Expressions ----------------------------------------------------===//
  /// The text of an affine expression; dimension d is `p[d]`, symbol i
  /// `p[rank + i]`.
  std::string affine(mlir::AffineExpr expr);
  /// The index of a dimension: "p[dim]".
  static std::string index(unsigned dim);
  /// The extents of an operand: constants, or launch slots of `args`.
  llvm::SmallVector<std::string> extentsOf(mlir::Value operand);
  /// An integer operand.
  std::string integer(mlir::Value operand);

private:
  void printExtents();
  void printWidths();
  void note(llvm::StringRef name, mlir::Value operand, bool isWide);
  void addDefault(llvm::StringRef suffix, bool perStep);
  Access analyse(mlir::Value operand, mlir::AffineMap map, unsigned along);
  void printAccesses(const PointFunction &function);
  std::string accessBody(mlir::Value operand, mlir::AffineMap map,
                         unsigned along);
  mlir::LogicalResult printGathers(llvm::StringRef name,
                                   llvm::ArrayRef<Gather> gathers);
  void printLanesFunction(const PointFunction &function,
                          llvm::ArrayRef<Gather> gathers);
  void printScalarFunction(const PointFunction &function);

  unsigned rank;
  llvm::BitVector ownMemory;
  DeviceKernel record;
  std::string text;
  llvm::raw_string_ostream os;
  /// Body of an access to the name under which it is printed.
  llvm::StringMap<std::string> accesses;
  llvm::SmallVector<std::string> alignedAccesses;
  /// By the operand's slot.
  std::map<int64_t, OperandAccess> operands;
};

/// One per skeleton: prints the Spec and writes the host functions of a kernel
/// that holds this op. Failures are located errors.
mlir::LogicalResult printSkeleton(SpecPrinter &spec, fused::ContractOp op);
mlir::LogicalResult printSkeleton(SpecPrinter &spec, fused::AttentionOp op);
mlir::LogicalResult printSkeleton(SpecPrinter &spec, fused::NormalizeOp op);
mlir::LogicalResult printSkeleton(SpecPrinter &spec, fused::RecurrenceOp op);
mlir::LogicalResult printSkeleton(SpecPrinter &spec, fused::MapOp op);
mlir::LogicalResult printSkeleton(SpecPrinter &spec,
                                  mlir::linalg::GenericOp op);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECPRINTER_H
