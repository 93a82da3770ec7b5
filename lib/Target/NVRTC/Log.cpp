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

Log sinter::nvrtc::parseLog(StringRef text) {
  Log log;
  std::string kernel;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.trim();
    if (line.empty())
      continue;
    StringRef rest = line;
    bool isInfo = rest.consume_front("ptxas");
    // "info    :" before the first line of a message, "." before the others.
    rest = rest.ltrim();
    bool continues = isInfo && rest.consume_front(".");
    bool starts = isInfo && rest.consume_front("info");
    if (starts)
      rest = rest.ltrim().drop_front(rest.ltrim().starts_with(":"));
    rest = rest.trim();
    Spills spills;
    if (parseSpills(rest, spills)) {
      spills.kernel = kernel;
      if (spills.stackBytes || spills.storeBytes || spills.loadBytes)
        log.spills.push_back(spills);
      continue;
    }
    StringRef quoted = rest;
    if (quoted.consume_front("Compiling entry function '"))
      kernel = quoted.split('\'').first.str();
    if (!(starts || continues) || !isUsual(rest))
      log.remarks.push_back(line.str());
  }
  return log;
}
