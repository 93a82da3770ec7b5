//===- Driver.cpp - One run of sinterc -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Diagnostics.h"
#include "Input.h"
#include "Products.h"
#include "mlir/IR/MLIRContext.h"
#include "sinter/Support/CommandLine.h"
#include "sinter/Support/OutputFiles.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace sinter {
namespace {

/// A part of the package, the file it goes to, and how that is replaced.
struct Part {
  StringRef path;
  StringRef bytes;
  OutputMode mode = OutputMode::Replace;
};

/// A name that another compilation writes again with the same bytes keeps its
/// time, so that nothing that includes it is built again.
SmallVector<Part> partsOf(const CompileRequest &request,
                          const Products &products, StringRef rule) {
  OutputMode productMode =
      request.emit == EmitKind::Shared   ? OutputMode::Executable
      : request.emit == EmitKind::Header ? OutputMode::KeepUnchanged
                                         : OutputMode::Replace;
  return {{request.output, products.product, productMode},
          {request.header, products.header, OutputMode::KeepUnchanged},
          {request.manifest, products.manifest, OutputMode::KeepUnchanged},
          {request.weights,
           StringRef(products.weights.data(), products.weights.size())},
          {request.dependencyFile, rule},
          {request.signatureReport, products.signature},
          {request.memoryPlanReport, products.memoryPlan},
          {request.explainReport, products.explanation},
          {request.pipelineReport, products.pipeline}};
}

class Compilation {
public:
  explicit Compilation(const CompileRequest &request) : request(request) {}

  int run();

private:
  Error openOutputs();
  Error writeOutputs();
  int report(Error error, ExitCode code) {
    printError(toString(std::move(error)));
    return code;
  }
  void describeOutputs() const;

  const CompileRequest &request;
  Products products;
  std::string rule;
  OutputFiles files;
  std::vector<raw_pwrite_stream *> streams;
};

/// Before the work starts, so that a folder that cannot be written to is known
/// at once.
Error Compilation::openOutputs() {
  for (const Part &part : partsOf(request, products, rule)) {
    if (part.path.empty()) {
      streams.push_back(nullptr);
      continue;
    }
    Expected<raw_pwrite_stream &> stream = files.create(part.path, part.mode);
    if (!stream)
      return stream.takeError();
    streams.push_back(&*stream);
  }
  return Error::success();
}

Error Compilation::writeOutputs() {
  for (auto [stream, part] : zip(streams, partsOf(request, products, rule)))
    if (stream)
      *stream << part.bytes;
  return files.commit();
}

/// -v: "vad.o (x86-64-v3; code 24.6 KB, weights 1024.0 KB, stack 4096 bytes),
/// vad.h".
void Compilation::describeOutputs() const {
  StringRef separator = "";
  for (const Part &part : partsOf(request, products, rule)) {
    if (part.path.empty() || part.path == "-")
      continue;
    errs() << separator << part.path;
    if (part.path == request.output)
      errs() << " (" << (request.gpus.empty() ? request.cpu : "any x86-64")
             << "; code "
             << format("%.1f KB, weights %.1f KB, stack ",
                       products.codeBytes / 1024.0,
                       products.weightBytes / 1024.0)
             << products.stackBytes << " bytes)";
    separator = ", ";
  }
  errs() << '\n';
}

int Compilation::run() {
  SourceMgr sources;
  if (Error error = loadSource(request.input, sources))
    return report(std::move(error), ExitDiagnosed);
  mlir::DialectRegistry registry;
  registerModelDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  DiagnosticPrinter printer(sources, &context, request);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseModel(sources, &context);
  if (!module)
    return ExitDiagnosed;
  if (Error error = selectEntries(*module, request))
    return report(std::move(error), ExitCommandLine);
  if (!request.dependencyFile.empty()) {
    std::vector<std::string> read = archivesOf(*module, request.input);
    read.insert(read.begin(), request.input);
    rule = dependencyRule(request, read);
  }
  if (Error error = openOutputs())
    return report(std::move(error), ExitDiagnosed);
  if (failed(makeProducts(*module, request, products)))
    return ExitDiagnosed;
  // -Werror turns warnings into errors that no pass knows of.
  if (printer.errorCount())
    return ExitDiagnosed;
  if (Error error = writeOutputs())
    return report(std::move(error), ExitDiagnosed);
  if (request.verbose) {
    errs() << products.signature << products.deviceKernels;
    describeOutputs();
  }
  return ExitSuccess;
}

} // namespace

int compile(const CompileRequest &request) {
  return Compilation(request).run();
}

} // namespace sinter
