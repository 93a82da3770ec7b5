//===- Options.cpp - sinter-run's command line -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunRequest.h"
#include "sinter/Support/CommandLine.h"
#include "sinter/Support/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace sinter::run {
namespace {

using enum OptionValue;
constexpr StringRef helpAliases[] = {"h"};

// clang-format off
const OptionSpec specs[] = {
    {"entry", Required, "NAME", "Values", "run this entry (repeatable, in order); default: all, in the module's order", {}, {}, true},
    {"input", Required, "NAME=VALUE", "Values", "FILE.npy, 2x8xi32=1,2,... or random; without NAME: FILE.npz,\n"
     "                            or random for all that are left (repeatable). In\n"
     "                            all values NAME may be ENTRY.NAME", {}, {}, true},
    {"output", Required, "NAME=FILE", "Values", "write a result as .npy, or as text to '-' (repeatable)", {}, {}, true},
    {"expect", Required, "NAME=VALUE", "Values", "compare a result; VALUE as for an input (repeatable). With\n"
     "                            --compare, the reference's tolerance holds", {}, {}, true},
    {"rtol", Required, "X", "Values", "tolerance of --expect relative to the value (0)"},
    {"atol", Required, "X", "Values", "absolute tolerance of --expect (0)"},
    {"max-ulp", Required, "N", "Values", "numbers of the type that --expect may be off (0)"},
    {"dim", Required, "NAME=N,...", "Values", "a dimension; with several values all combinations run (repeatable)", {}, {}, true},
    {"seed", Required, "N", "Values", "of random values (0)"},
    {"calls", Required, "N", "Values", "runs the entries N times on one session (1)"},
    {"weights", Required, "FILE", "Values", "the weight file of a shared object that embeds none"},

    {"target-cpu", Required, "CPU,...", "Code", "x86-64-v2, x86-64-v3 (default), x86-64-v4; levels that this\n"
     "                            machine lacks are skipped; cuda: its first GPU"},
    {"target", Required, "cuda", "Code", "the same as --target-cpu=cuda"},
    {"threads", Required, "N,...", "Code", "workers (1); several numbers must give the same bits"},
    {"reference", None, "", "Code", "run the reference instead of compiled code"},

    {"compare", None, "", "Checks", "compare each result with the reference"},
    {"compare-each", None, "", "Checks", "and each kernel's; names the first operation that is wrong"},
    {"random-weights", None, "", "Checks", "replaces the archives by random numbers"},
    {"nasty", None, "", "Checks", "random values have outliers"},
    {"benchmark", Optional, "SECONDS", "Checks", "calls each entry for that long (1) and prints the time of a call"},
    {"corrupt", Required, "N", "Checks", "with --compare-each: spoils what launch N of each call stores", {}, {}, false, /*hidden=*/true},
    {"v", None, "", "Checks", "say what was compared and how close it was"},

    {"help", None, "", "Help", "this text", {}, helpAliases},
    {"version", None, "", "Help", "the version"},
};
// clang-format on

CommandLine commandLine() { return CommandLine(specs); }

class RequestBuilder {
public:
  explicit RequestBuilder(const ParsedOptions &options) : options(options) {}

  Expected<RunRequest> build();

private:
  Error chooseModel();
  Error chooseDims();
  Error chooseCode();
  Error chooseNumbers();
  Error chooseValues();
  template <typename T> Error number(StringRef name, T &value);
  template <typename T>
  Error list(StringRef option, StringRef text, std::vector<T> &values);

  const ParsedOptions &options;
  RunRequest request;
};

Error badValue(StringRef option, StringRef value, StringRef expected) {
  return createStringError("'" + optionSpelling(option) + "' needs " +
                           expected + ", got '" + value + "'");
}

NamedText splitName(StringRef text) {
  auto [name, value] = text.split('=');
  return {name.str(), value.str()};
}

template <typename T> Error RequestBuilder::number(StringRef name, T &value) {
  StringRef text = options.get(name);
  if (!options.has(name) || text.empty())
    return Error::success();
  bool isBad;
  if constexpr (std::is_floating_point_v<T>)
    isBad = text.getAsDouble(value) || value < 0;
  else
    isBad = text.getAsInteger(10, value);
  return isBad ? badValue(name, text, "a number of 0 or more")
               : Error::success();
}

template <typename T>
Error RequestBuilder::list(StringRef option, StringRef text,
                           std::vector<T> &values) {
  SmallVector<StringRef> words;
  text.split(words, ',');
  for (StringRef word : words) {
    T value;
    if (word.getAsInteger(10, value) || value < 0)
      return badValue(option, text, "numbers of 0 or more");
    values.push_back(value);
  }
  return Error::success();
}

Error RequestBuilder::chooseModel() {
  if (options.inputs.empty())
    return createStringError("no input file; see 'sinter-run --help'");
  if (options.inputs.size() > 1)
    return createStringError("more than one input: '" + options.inputs[0] +
                             "' and '" + options.inputs[1] + "'");
  request.model = options.inputs[0];
  StringRef name = request.model;
  if (!name.ends_with(".mlir") && !name.ends_with(".mlirbc") &&
      !name.ends_with(".so"))
    return createStringError("cannot tell what '" + name +
                             "' is; expected a .mlir or .so file");
  for (StringRef option :
       {"reference", "compare", "compare-each", "random-weights", "target-cpu"})
    if (request.isShared() && options.has(option))
      return createStringError("'" + optionSpelling(option) +
                               "' needs a .mlir file");
  if (!request.isShared() && options.has("weights"))
    return createStringError("'--weights' needs a .so file");
  return Error::success();
}

Error RequestBuilder::chooseDims() {
  for (StringRef text : options.all("dim")) {
    auto [name, values] = text.split('=');
    if (name.empty() || values.empty())
      return badValue("dim", text, "'NAME=N'");
    DimValues &dim = request.dims.emplace_back();
    dim.name = name.str();
    if (Error error = list("dim", values, dim.values))
      return error;
  }
  return Error::success();
}

Error RequestBuilder::chooseCode() {
  SmallVector<StringRef> cpus;
  if (options.has("target") && options.get("target") != deviceLevel)
    return unknownName("value", options.get("target"), {deviceLevel},
                       "for '--target'");
  StringRef standard = options.has("target") ? deviceLevel : "x86-64-v3";
  options.get("target-cpu", standard).split(cpus, ',');
  for (StringRef cpu : cpus) {
    SmallVector<StringRef> known(TargetInfo::names());
    known.push_back(deviceLevel);
    if (!is_contained(known, cpu))
      return unknownName("value", cpu, known, "for '--target-cpu'");
    request.cpus.push_back(cpu.str());
  }
  if (Error error =
          list("threads", options.get("threads", "1"), request.threads))
    return error;
  if (is_contained(request.threads, 0))
    return badValue("threads", "0", "numbers of 1 or more");
  return Error::success();
}

Error RequestBuilder::chooseNumbers() {
  request.hasTolerance =
      options.has("rtol") || options.has("atol") || options.has("max-ulp");
  if (options.has("benchmark"))
    request.benchmarkSeconds = 1;
  if (Error error = number("rtol", request.tolerance.relative))
    return error;
  if (Error error = number("atol", request.tolerance.absolute))
    return error;
  if (Error error = number("max-ulp", request.tolerance.ulps))
    return error;
  if (Error error = number("seed", request.seed))
    return error;
  if (Error error = number("calls", request.calls))
    return error;
  if (options.has("corrupt"))
    request.corruptLaunch = 0;
  if (request.corruptLaunch)
    if (Error error = number("corrupt", *request.corruptLaunch))
      return error;
  return request.benchmarkSeconds
             ? number("benchmark", *request.benchmarkSeconds)
             : Error::success();
}

Error RequestBuilder::chooseValues() {
  for (StringRef text : options.all("input")) {
    bool isAll = text == "random" || text.ends_with(".npz");
    if (!isAll && !text.contains('='))
      return badValue("input", text, "'NAME=VALUE', 'FILE.npz' or 'random'");
    request.inputs.push_back(isAll ? NamedText{"", text.str()}
                                   : splitName(text));
  }
  for (StringRef text : options.all("output")) {
    if (!text.contains('='))
      return badValue("output", text, "'NAME=FILE'");
    request.outputs.push_back(splitName(text));
  }
  for (StringRef text : options.all("expect")) {
    bool isAll = text.ends_with(".npz");
    if (!isAll && !text.contains('='))
      return badValue("expect", text, "'NAME=VALUE' or 'FILE.npz'");
    request.expectations.push_back(isAll ? NamedText{"", text.str()}
                                         : splitName(text));
  }
  return Error::success();
}

Expected<RunRequest> RequestBuilder::build() {
  request.entries = options.all("entry").vec();
  request.weights = options.get("weights").str();
  request.reference = options.has("reference");
  request.compareEach = options.has("compare-each");
  request.compare = options.has("compare") || request.compareEach;
  request.randomWeights = options.has("random-weights");
  request.nasty = options.has("nasty");
  request.verbose = options.has("v");
  using Step = Error (RequestBuilder::*)();
  for (Step step : {&RequestBuilder::chooseModel, &RequestBuilder::chooseDims,
                    &RequestBuilder::chooseCode, &RequestBuilder::chooseNumbers,
                    &RequestBuilder::chooseValues})
    if (Error error = (this->*step)())
      return error;
  if (request.reference && request.compare)
    return createStringError("'--reference' runs no compiled code that "
                             "'--compare' could compare");
  return request;
}

} // namespace

Expected<RunRequest> parseCommandLine(ArrayRef<const char *> arguments,
                                      Action &action) {
  action = Action::Run;
  Expected<ParsedOptions> options = commandLine().parse(arguments);
  if (!options)
    return options.takeError();
  if (options->has("help"))
    action = Action::Help;
  else if (options->has("version"))
    action = Action::Version;
  if (action == Action::Run)
    return RequestBuilder(*options).build();
  return RunRequest();
}

void printHelp(raw_ostream &os) {
  os << "usage: sinter-run [options] MODEL.mlir|MODEL.so\n"
        "Runs a model: compiled in memory, from a shared object, or by the "
        "reference.\nWithout inputs it prints the signature.\n";
  commandLine().printOptions(os, /*hidden=*/false);
  os << "\nExit codes: 0 good, 1 error, 2 bad command line, 3 values differ\n"
        "\nExamples:\n"
        "  sinter-run stories.mlir --entry=decode --dim=batch=1 "
        "--dim=context=64 --input=tokens=1x1xi32=1 --output=logits=-\n"
        "  sinter-run vad.so --input=in.npz --expect=p=p.npy --rtol=1e-5\n"
        "  sinter-run op.mlir --compare --dim=batch=1,3 --dim=sequence=0,1,17 "
        "--threads=1,2\n";
}

} // namespace sinter::run
