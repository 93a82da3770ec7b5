//===- CommandLine.h - Table-driven command lines -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why not llvm::cl: its options are global, every library that is linked adds
// its own to the help and to the guesses, and a mistake does not end with the
// exit code that the tools promise.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_COMMANDLINE_H
#define SINTER_SUPPORT_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace sinter {

/// Exit codes of all tools.
enum ExitCode : int {
  ExitSuccess = 0,
  ExitDiagnosed = 1,   ///< an error in the input or the system, reported
  ExitCommandLine = 2, ///< a bad command line
  ExitDiffers = 3      ///< values differ from what was expected
};

/// Whether an option has a value. An optional one is given only as
/// `--name=value`, a required one also as `--name value`.
enum class OptionValue { None, Optional, Required };

/// One option of a tool. `name` has no dashes.
struct OptionSpec {
  llvm::StringLiteral name;
  OptionValue value;
  llvm::StringLiteral metavar; ///< what help calls the value
  llvm::StringLiteral group;   ///< the heading it stands under
  llvm::StringLiteral help;
  llvm::ArrayRef<llvm::StringRef> choices = {}; ///< all values there are
  llvm::ArrayRef<llvm::StringRef> aliases = {}; ///< further names
  bool repeatable = false; ///< else a second value is an error
  bool hidden = false;     ///< only in --help-hidden
};

/// What a command line said.
class ParsedOptions {
public:
  bool has(llvm::StringRef name) const { return values.contains(name); }

  /// The (last) value of an option, or `fallback` where it was not given.
  llvm::StringRef get(llvm::StringRef name,
                      llvm::StringRef fallback = "") const;

  /// All values of a repeatable option, in order.
  llvm::ArrayRef<std::string> all(llvm::StringRef name) const;

  /// Arguments that are not options.
  std::vector<std::string> inputs;

  /// Options with the pass-through prefix, as written.
  std::vector<std::string> passedThrough;

private:
  friend class CommandLine;
  llvm::StringMap<std::vector<std::string>> values;
};

/// A tool's options. Both `-name` and `--name` are understood; help and
/// messages use one dash for single letters and for names in capitals.
class CommandLine {
public:
  /// Options that start with `passThroughPrefix` (if any) are not looked up.
  CommandLine(llvm::ArrayRef<OptionSpec> options,
              llvm::StringRef passThroughPrefix = "")
      : options(options), passThroughPrefix(passThroughPrefix) {}

  /// Parses the arguments after the program's name. `@file` is replaced by that
  /// file's words, `--` ends the options. Errors lack the tool's name.
  llvm::Expected<ParsedOptions>
  parse(llvm::ArrayRef<const char *> arguments) const;

  /// Prints the options by group; the hidden ones too if `hidden`.
  void printOptions(llvm::raw_ostream &os, bool hidden) const;

private:
  /// Whether the following argument was this option's value.
  llvm::Expected<bool> parseOption(llvm::StringRef argument,
                                   const char *following,
                                   ParsedOptions &parsed) const;
  const OptionSpec *lookup(llvm::StringRef name) const;
  llvm::Error unknown(llvm::StringRef argument, llvm::StringRef name) const;
  llvm::Error addValue(const OptionSpec &option, llvm::StringRef value,
                       ParsedOptions &parsed) const;

  llvm::ArrayRef<OptionSpec> options;
  llvm::StringRef passThroughPrefix;
};

/// How messages and help write an option: "-o", "--emit".
std::string optionSpelling(llvm::StringRef name);

/// "unknown KIND 'word' WHERE; did you mean 'x'? (valid: 'x' or 'y')".
llvm::Error unknownName(llvm::StringRef kind, llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> valid,
                        llvm::StringRef where = "");

} // namespace sinter

#endif // SINTER_SUPPORT_COMMANDLINE_H
