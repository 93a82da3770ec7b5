//===- Spelling.h - Suggestions for misspelt names -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_SPELLING_H
#define SINTER_SUPPORT_SPELLING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace sinter {

/// The candidate that `word` most likely means: least edit distance
/// (Levenshtein 1966), at most a third of the word's length; the first one
/// among equals. Empty if none is near.
llvm::StringRef nearestName(llvm::StringRef word,
                            llvm::ArrayRef<llvm::StringRef> candidates);

/// "; did you mean 'x'?" or nothing: the tail of a message about `word`.
std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> candidates);

/// "'a', 'b' or 'c'"; after `most` names the rest is counted: "'a', 'b' and 7
/// more".
std::string listNames(llvm::ArrayRef<llvm::StringRef> names, size_t most = 12);

} // namespace sinter

#endif // SINTER_SUPPORT_SPELLING_H
