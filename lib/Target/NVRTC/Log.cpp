//===- Log.cpp - What NVRTC says of a compilation -------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Log.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace sinter::nvrtc;

/// "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads".
static bool parseSpills(StringRef line, Spills &spills) {
  SmallVector<StringRef> parts;
  line.split(parts, ',');
  if (parts.size() != 3)
    return false;
  static constexpr StringLiteral units[] = {
      " bytes stack frame", " bytes spill stores", " bytes spill loads"};
  unsigned *values[] = {&spills.stackBytes, &spills.storeBytes,
                        &spills.loadBytes};
  for (auto [part, unit, value] : zip_equal(parts, units, values)) {
    part = part.trim();
    if (!part.consume_back(unit) || part.getAsInteger(10, *value))
      return false;
  }
  return true;
}

/// Lines that ptxas prints under -v for every kernel.
static bool isUsual(StringRef line) {
  if (line.contains("(C7"))
    return false;
  return line.starts_with("Used ") || line.starts_with("Compile time = ") ||
         line.starts_with("Function properties for ") ||
         line.starts_with("Compiling entry function ") ||
         line.contains(" bytes gmem");
}

/// Whether a line that is not usual starts a remark; else it goes on with the
/// one before: the line of the text, a caret, advice.
static bool startsRemark(StringRef line) {
  return line.starts_with("ptxas") || line.contains(": warning") ||
         line.contains(": error") || line.starts_with("nvrtc");
}

namespace {
class LogReader {
public:
  void read(StringRef line);
  Log log;

private:
  std::string kernel;
};
} // namespace

void LogReader::read(StringRef line) {
  StringRef rest = line;
  // "info    :" before the first line of a message, "." before the others.
  bool isInfo = rest.consume_front("ptxas");
  rest = rest.ltrim();
  isInfo &= rest.consume_front(".") || rest.consume_front("info");
  rest = rest.ltrim();
  rest.consume_front(":");
  rest = rest.trim();
  Spills spills;
  if (parseSpills(rest, spills)) {
    spills.kernel = kernel;
    if (spills.stackBytes || spills.storeBytes || spills.loadBytes)
      log.spills.push_back(spills);
    return;
  }
  StringRef quoted = rest;
  if (quoted.consume_front("Compiling entry function '"))
    kernel = quoted.split('\'').first.str();
  if (isInfo && isUsual(rest))
    return;
  if (log.remarks.empty() || startsRemark(line))
    log.remarks.push_back(line.str());
  else
    log.remarks.back() += "\n" + line.str();
}

unsigned Log::localBytes() const {
  unsigned bytes = 0;
  for (const Spills &kernel : spills)
    bytes += kernel.stackBytes + kernel.storeBytes + kernel.loadBytes;
  return bytes;
}

Log sinter::nvrtc::parseLog(StringRef text) {
  LogReader reader;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.trim();
    if (!line.empty())
      reader.read(line);
  }
  return std::move(reader.log);
}
