//===- Options.cpp - How adversarial the emulator is ----------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

using namespace sinter::emulation;

/// Sets `option` to the place of `value` among `names`.
template <class Option>
static std::string choose(Option &option, const std::string &value,
                          const std::vector<std::string> &names) {
  std::string valid;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == value) {
      option = static_cast<Option>(i);
      return "";
    }
    valid += " " + names[i];
  }
  return "unknown value '" + value + "'; valid:" + valid;
}

std::string Options::parse(const std::string &text) {
  std::stringstream parts(text);
  std::string part;
  while (std::getline(parts, part, ',')) {
    size_t equals = part.find('=');
    std::string key = part.substr(0, equals), problem;
    std::string value =
        equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "schedule")
      problem = choose(schedule, value, {"lowest", "highest", "random"});
    else if (key == "async")
      problem = choose(async, value, {"lazy", "eager", "random"});
    else if (key == "order")
      problem = choose(order, value, {"issue", "reverse", "random"});
    else if (key == "sanitize")
      problem = choose(sanitizer, value, {"none", "address", "thread"});
    else if (key == "modes")
      problem = choose(modes, value, {"one", "first", "all"});
    else if (key == "seed")
      seed = strtoull(value.c_str(), nullptr, 10);
    else if (key == "launches")
      launches = value;
    else if (key == "capability")
      capability = atoi(value.c_str());
    else if (key == "shared")
      shared = atoi(value.c_str());
    else
      return "unknown option '" + key +
             "'; valid: schedule async order sanitize modes seed launches "
             "capability shared";
    if (!problem.empty())
      return "option '" + key + "': " + problem;
  }
  return "";
}

Options Options::fromEnvironment() {
  Options options;
  const char *text = getenv("SINTER_EMULATOR");
  std::string problem = options.parse(text ? text : "");
  if (problem.empty())
    return options;
  fprintf(stderr, "SINTER_EMULATOR: %s\n", problem.c_str());
  exit(2);
}
