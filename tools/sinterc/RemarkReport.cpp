//===- RemarkReport.cpp - what passes say of their decisions --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemarkReport.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace sinter {

void printPlace(raw_ostream &os, mlir::Location location) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  if (place)
    os << sys::path::filename(place.getFilename().getValue()) << ':'
       << place.getLine();
  else
    os << "(no place)";
}

namespace {

StringRef labelOf(remarks::Type kind) {
  switch (kind) {
  case remarks::Type::Passed:
    return "fused";
  case remarks::Type::Missed:
    return "not fused";
  default:
    return "note";
  }
}

/// The sentence of a remark, without its kind, category and function.
std::string messageOf(const mlir::remark::detail::Remark &remark) {
  std::string all = remark.getMsg();
  StringRef message = StringRef(all).split("Remark=\"").second;
  message.consume_back("\"");
  return message.str();
}

class LineStreamer : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  using Lines = std::vector<std::pair<std::string, unsigned>>;
  explicit LineStreamer(Lines &lines) : lines(lines) {}

  void
  streamOptimizationRemark(const mlir::remark::detail::Remark &remark) final {
    std::string line;
    raw_string_ostream os(line);
    printPlace(os, remark.getLocation());
    os << ": " << labelOf(remark.getRemarkType()) << ": " << messageOf(remark);
    auto [known, isNew] = places.try_emplace(line, lines.size());
    if (isNew)
      lines.push_back({line, 0});
    ++lines[known->second].second;
  }

private:
  Lines &lines;
  StringMap<size_t> places;
};

} // namespace

mlir::LogicalResult RemarkReport::listen(mlir::MLIRContext &context) {
  mlir::remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      "fusion|packing";
  return mlir::remark::enableOptimizationRemarks(
      context, std::make_unique<LineStreamer>(lines),
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories);
}

std::string RemarkReport::text() const {
  std::string text;
  raw_string_ostream os(text);
  for (const auto &[line, count] : lines) {
    os << line;
    if (count > 1)
      os << " (" << count << " times)";
    os << '\n';
  }
  return text;
}

} // namespace sinter
