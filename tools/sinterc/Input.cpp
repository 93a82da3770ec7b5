//===- Input.cpp - Models as sinterc reads them -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Support/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <filesystem>
#include <set>

using namespace llvm;

namespace sinter {

Error loadSource(StringRef path, SourceMgr &sources) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  return Error::success();
}

mlir::OwningOpRef<mlir::ModuleOp> parseModel(SourceMgr &sources,
                                             mlir::MLIRContext *context) {
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
}

/// A C identifier from a file's name: "my-model.mlir" gives "my_model".
static std::string nameFromPath(StringRef path) {
  std::string name = path == "-" ? "model" : sys::path::stem(path).str();
  for (char &c : name)
    if (!isAlnum(c))
      c = '_';
  return name.empty() || isDigit(name.front()) ? "_" + name : name;
}

static Error setName(mlir::ModuleOp module, const CompileRequest &request) {
  std::string name = request.name;
  if (name.empty() && module.getSymName())
    return Error::success();
  if (name.empty())
    name = nameFromPath(request.input);
  bool valid = !isDigit(name.front()) &&
               all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
  if (!valid)
    return createStringError("'--name=" + name + "' is not a C identifier");
  module.setSymName(name);
  return Error::success();
}

Error selectEntries(mlir::ModuleOp module, const CompileRequest &request) {
  if (Error error = setName(module, request))
    return error;
  if (request.entries.empty())
    return Error::success();
  SmallVector<mlir::Operation *> entries;
  for (mlir::Operation &op : *module.getBody()) {
    auto function = dyn_cast<mlir::func::FuncOp>(op);
    if (isa<EntryOp>(op) || (function && function.isPublic()))
      entries.push_back(&op);
  }
  SmallVector<StringRef> names;
  for (mlir::Operation *entry : entries)
    names.push_back(mlir::SymbolTable::getSymbolName(entry).getValue());
  for (StringRef wanted : request.entries)
    if (!is_contained(names, wanted))
      return unknownName("entry", wanted, names);
  for (auto [entry, name] : zip(entries, names)) {
    if (is_contained(request.entries, name))
      continue;
    // A function may still be the body of an entry that stays.
    if (auto function = dyn_cast<mlir::func::FuncOp>(entry))
      function.setPrivate();
    else
      entry->erase();
  }
  return Error::success();
}

std::vector<std::string> archivesOf(mlir::ModuleOp module,
                                    StringRef modelPath) {
  std::set<std::string> paths;
  auto add = [&](StringRef name) {
    SmallString<128> path(name);
    if (modelPath != "-" && sys::path::is_relative(name)) {
      path = sys::path::parent_path(modelPath);
      sys::path::append(path, name);
    }
    paths.insert(path.str().str());
  };
  bool usesDefault = false;
  module.walk([&](WeightOp weight) {
    if (auto file = weight.getFile())
      add(*file);
    else
      usesDefault = true;
  });
  module.walk([&](fused::WeightOp weight) { add(weight.getFile()); });
  auto archive = module->getAttrOfType<mlir::StringAttr>(archiveAttrName);
  if (usesDefault && archive)
    add(archive.getValue());
  return {paths.begin(), paths.end()};
}

void relocateArchives(mlir::ModuleOp module, StringRef modelPath,
                      StringRef outputPath) {
  if (modelPath == "-" || outputPath == "-")
    return;
  namespace fs = std::filesystem;
  std::error_code code;
  fs::path from = fs::absolute(modelPath.str(), code).parent_path();
  fs::path to = fs::absolute(outputPath.str(), code).parent_path();
  mlir::Builder builder(module.getContext());
  auto relocated = [&](StringRef name) {
    if (sys::path::is_absolute(name))
      return builder.getStringAttr(name);
    fs::path path = (from / name.str()).lexically_normal();
    return builder.getStringAttr(
        path.lexically_relative(to.lexically_normal()).string());
  };
  if (auto archive = module->getAttrOfType<mlir::StringAttr>(archiveAttrName))
    module->setAttr(archiveAttrName, relocated(archive.getValue()));
  module.walk([&](WeightOp weight) {
    if (auto file = weight.getFile())
      weight.setFileAttr(relocated(*file));
  });
  module.walk([&](fused::WeightOp weight) {
    weight.setFileAttr(relocated(weight.getFile()));
  });
}

/// Escapes what make and ninja treat specially in a file's name.
static std::string escapeForMake(StringRef name) {
  std::string text;
  for (char c : name) {
    if (c == ' ' || c == '#' || c == '\\')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

std::string dependencyRule(const CompileRequest &request,
                           ArrayRef<std::string> files) {
  std::string rule = escapeForMake(request.dependencyTarget) + ":";
  for (StringRef file : files)
    rule += " \\\n  " + escapeForMake(file);
  rule += '\n';
  if (request.phonyDependencies)
    for (StringRef file : files.drop_front())
      rule += "\n" + escapeForMake(file) + ":\n";
  return rule;
}

} // namespace sinter
