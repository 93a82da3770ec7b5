//===- Spelling.cpp - Suggestions for misspelt names -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/Spelling.h"
#include <algorithm>

using namespace llvm;

namespace sinter {

StringRef nearestName(StringRef word, ArrayRef<StringRef> candidates) {
  unsigned best = std::max<size_t>(1, word.size() / 3) + 1;
  StringRef nearest;
  for (StringRef candidate : candidates) {
    unsigned distance = word.edit_distance(
        candidate, /*AllowReplacements=*/true, /*MaxEditDistance=*/best);
    // Replacing every letter is not a likely slip.
    if (distance >= best || distance >= candidate.size())
      continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string didYouMean(StringRef word, ArrayRef<StringRef> candidates) {
  StringRef nearest = nearestName(word, candidates);
  if (nearest.empty())
    return "";
  return "; did you mean '" + nearest.str() + "'?";
}

std::string listNames(ArrayRef<StringRef> names, size_t most) {
  std::string text;
  size_t shown = names.size() > most ? most : names.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i)
      text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i].str() + "'";
  }
  if (shown < names.size())
    text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

} // namespace sinter
