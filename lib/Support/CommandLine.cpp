//===- CommandLine.cpp - Table-driven command lines -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/CommandLine.h"
#include "sinter/Support/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace sinter {

StringRef ParsedOptions::get(StringRef name, StringRef fallback) const {
  auto it = values.find(name);
  return it == values.end() ? fallback : StringRef(it->second.back());
}

ArrayRef<std::string> ParsedOptions::all(StringRef name) const {
  auto it = values.find(name);
  if (it == values.end())
    return {};
  return it->second;
}

std::string optionSpelling(StringRef name) {
  bool oneDash = name.size() == 1 || isUpper(name.front());
  return (oneDash ? "-" : "--") + name.str();
}

Error unknownName(StringRef kind, StringRef word, ArrayRef<StringRef> valid,
                  StringRef where) {
  std::string message = ("unknown " + kind + " '" + word + "'").str();
  if (!where.empty())
    message += " " + where.str();
  message += didYouMean(word, valid);
  if (!valid.empty())
    message += " (valid: " + listNames(valid, /*most=*/40) + ")";
  return createStringError(message);
}

const OptionSpec *CommandLine::lookup(StringRef name) const {
  for (const OptionSpec &option : options)
    if (option.name == name || is_contained(option.aliases, name))
      return &option;
  return nullptr;
}

Error CommandLine::unknown(StringRef argument, StringRef name) const {
  SmallVector<StringRef> names;
  for (const OptionSpec &option : options)
    if (!option.hidden)
      names.push_back(option.name);
  std::string message =
      ("unknown option '" + argument.split('=').first + "'").str();
  StringRef nearest = nearestName(name, names);
  if (!nearest.empty())
    message += "; did you mean '" + optionSpelling(nearest) + "'?";
  return createStringError(message);
}

Error CommandLine::addValue(const OptionSpec &option, StringRef value,
                            ParsedOptions &parsed) const {
  std::vector<std::string> &values = parsed.values[option.name];
  bool takesValue = option.value != OptionValue::None;
  if (takesValue && !option.repeatable && !values.empty())
    return createStringError("option '" + optionSpelling(option.name) +
                             "' is given twice");
  if (!option.choices.empty() && !value.empty() &&
      !is_contained(option.choices, value))
    return unknownName("value", value, option.choices,
                       "for '" + optionSpelling(option.name) + "'");
  values.push_back(value.str());
  return Error::success();
}

/// Replaces each @file by its words.
static Error expandResponseFiles(SmallVectorImpl<const char *> &arguments,
                                 StringSaver &saver) {
  cl::ExpansionContext context(saver.getAllocator(),
                               cl::TokenizeGNUCommandLine);
  if (Error error = context.expandResponseFiles(arguments))
    return error;
  for (const char *argument : arguments) {
    if (StringRef(argument) == "--")
      break;
    // LLVM leaves what it cannot open.
    if (argument[0] == '@')
      return createStringError("cannot read the response file '" +
                               Twine(argument + 1) + "'");
  }
  return Error::success();
}

Expected<bool> CommandLine::parseOption(StringRef argument,
                                        const char *following,
                                        ParsedOptions &parsed) const {
  StringRef name = argument.drop_front(argument.starts_with("--") ? 2 : 1);
  if (!passThroughPrefix.empty() && name.starts_with(passThroughPrefix)) {
    parsed.passedThrough.push_back(argument.str());
    return false;
  }
  bool joined = name.contains('=');
  StringRef value;
  std::tie(name, value) = name.split('=');
  const OptionSpec *option = lookup(name);
  if (!option)
    return unknown(argument, name);
  std::string spelling = optionSpelling(option->name);
  if (joined && option->value == OptionValue::None)
    return createStringError("option '" + spelling + "' takes no value");
  bool separate = !joined && option->value == OptionValue::Required;
  if (separate && !following)
    return createStringError("option '" + spelling + "' needs a value");
  if (separate)
    value = following;
  if ((joined || separate) && value.empty())
    return createStringError("option '" + spelling + "' has an empty value");
  if (Error error = addValue(*option, value, parsed))
    return error;
  return separate;
}

Expected<ParsedOptions>
CommandLine::parse(ArrayRef<const char *> arguments) const {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> words(arguments);
  if (Error error = expandResponseFiles(words, saver))
    return error;
  ParsedOptions parsed;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef argument = words[i];
    if (argument == "--") {
      parsed.inputs.insert(parsed.inputs.end(), words.begin() + i + 1,
                           words.end());
      break;
    }
    if (argument == "-" || !argument.starts_with("-")) {
      parsed.inputs.push_back(argument.str());
      continue;
    }
    const char *following = i + 1 < words.size() ? words[i + 1] : nullptr;
    Expected<bool> consumed = parseOption(argument, following, parsed);
    if (!consumed)
      return consumed.takeError();
    i += *consumed;
  }
  return parsed;
}

/// "--emit=KIND", as help shows it.
static std::string synopsis(const OptionSpec &option) {
  std::string text = optionSpelling(option.name);
  bool oneDash = !StringRef(text).starts_with("--");
  switch (option.value) {
  case OptionValue::None:
    return text;
  case OptionValue::Optional:
    return text + "[=" + option.metavar.str() + "]";
  case OptionValue::Required:
    return text + (oneDash ? " " : "=") + option.metavar.str();
  }
  llvm_unreachable("all kinds are handled");
}

void CommandLine::printOptions(raw_ostream &os, bool hidden) const {
  constexpr unsigned column = 28;
  StringRef group;
  for (const OptionSpec &option : options) {
    if (option.hidden && !hidden)
      continue;
    if (group != option.group)
      os << '\n' << option.group << ":\n";
    group = option.group;
    std::string text = "  " + synopsis(option);
    os << text;
    if (text.size() >= column)
      os << '\n' << std::string(column, ' ');
    else
      os.indent(column - text.size());
    os << option.help << '\n';
  }
}

} // namespace sinter
