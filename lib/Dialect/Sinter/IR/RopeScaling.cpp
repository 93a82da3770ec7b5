//===- RopeScaling.cpp - parameters of rotary positions -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace sinter;

using EmitError = function_ref<InFlightDiagnostic()>;

namespace {
enum class Sort { Number, List, Boolean };

/// What a kind of scaling may be given.
struct Parameter {
  StringRef name;
  Sort sort = Sort::Number;
  bool isRequired = false;
};
} // namespace

static ArrayRef<Parameter> parametersOf(RopeScalingKind kind) {
  static constexpr Sort number = Sort::Number;
  static constexpr Parameter linear[] = {{"factor", number, true}};
  static constexpr Parameter dynamic[] = {{"factor", number, true},
                                          {"original_length", number, true}};
  static constexpr Parameter yarn[] = {{"factor", number, true},
                                       {"original_length", number, true},
                                       {"beta_fast"},
                                       {"beta_slow"},
                                       {"attention_factor"},
                                       {"mscale"},
                                       {"mscale_all_dim"},
                                       {"truncate", Sort::Boolean}};
  static constexpr Parameter longRope[] = {{"original_length", number, true},
                                           {"short_factor", Sort::List, true},
                                           {"long_factor", Sort::List, true},
                                           {"factor"},
                                           {"attention_factor"}};
  static constexpr Parameter llama3[] = {{"factor", number, true},
                                         {"original_length", number, true},
                                         {"low_freq_factor", number, true},
                                         {"high_freq_factor", number, true}};
  switch (kind) {
  case RopeScalingKind::Linear:
    return linear;
  case RopeScalingKind::Dynamic:
    return dynamic;
  case RopeScalingKind::Yarn:
    return yarn;
  case RopeScalingKind::LongRope:
    return longRope;
  case RopeScalingKind::Llama3:
    return llama3;
  }
  llvm_unreachable("all kinds are above");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

double RopeScalingAttr::getNumber(StringRef name, double otherwise) const {
  auto number = getParameters().getAs<FloatAttr>(name);
  return number ? number.getValueAsDouble() : otherwise;
}

ArrayRef<double> RopeScalingAttr::getList(StringRef name) const {
  auto list = getParameters().getAs<DenseF64ArrayAttr>(name);
  return list ? list.asArrayRef() : ArrayRef<double>();
}

bool RopeScalingAttr::truncates() const {
  auto truncate = getParameters().getAs<BoolAttr>("truncate");
  return !truncate || truncate.getValue();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool isPositive(double number) {
  return number > 0.0 && std::isfinite(number);
}

/// rope_scaling_c3 for one parameter.
static LogicalResult checkValue(EmitError emitError, const Parameter &parameter,
                                Attribute value) {
  switch (parameter.sort) {
  case Sort::Number: {
    auto number = dyn_cast<FloatAttr>(value);
    if (number && number.getType().isF64() &&
        isPositive(number.getValueAsDouble()))
      return success();
    return emitError() << "expects '" << parameter.name
                       << "' to be a positive number, got " << value;
  }
  case Sort::List: {
    auto list = dyn_cast<DenseF64ArrayAttr>(value);
    if (list && llvm::all_of(list.asArrayRef(), isPositive))
      return success();
    return emitError() << "expects '" << parameter.name
                       << "' to be a list of positive numbers, got " << value;
  }
  case Sort::Boolean:
    if (isa<BoolAttr>(value))
      return success();
    return emitError() << "expects '" << parameter.name
                       << "' to be true or false, got " << value;
  }
  llvm_unreachable("all sorts are above");
}

static LogicalResult checkNames(EmitError emitError, RopeScalingKind kind,
                                DictionaryAttr given) {
  ArrayRef<Parameter> known = parametersOf(kind);
  for (NamedAttribute entry : given) {
    const auto *parameter = llvm::find_if(known, [&](const Parameter &p) {
      return p.name == entry.getName().getValue();
    });
    // rope_scaling_c1
    if (parameter == known.end()) {
      InFlightDiagnostic diagnostic = emitError();
      diagnostic << "'" << stringifyRopeScalingKind(kind) << "' takes no '"
                 << entry.getName().getValue() << "', expected ";
      llvm::interleaveComma(known, diagnostic, [&](const Parameter &p) {
        diagnostic << "'" << p.name << "'";
      });
      return diagnostic;
    }
    if (failed(checkValue(emitError, *parameter, entry.getValue())))
      return failure();
  }
  // rope_scaling_c2
  for (const Parameter &parameter : known)
    if (parameter.isRequired && !given.contains(parameter.name))
      return emitError() << "'" << stringifyRopeScalingKind(kind)
                         << "' expects '" << parameter.name << "'";
  return success();
}

/// What c2, c3 and c4 say of longrope alone.
static LogicalResult checkLongRope(EmitError emitError, DictionaryAttr given) {
  if (given.getAs<FloatAttr>("original_length").getValueAsDouble() < 2)
    return emitError() << "expects an 'original_length' of at least 2";
  if (!given.contains("factor") && !given.contains("attention_factor"))
    return emitError() << "'longrope' expects 'factor' or 'attention_factor'";
  auto size = [&](StringRef name) {
    return given.getAs<DenseF64ArrayAttr>(name).size();
  };
  if (size("short_factor") != size("long_factor"))
    return emitError() << "expects as many short factors as long ones, got '"
                       << size("short_factor") << "' and '"
                       << size("long_factor") << "'";
  return success();
}

/// What must hold between parameters.
static LogicalResult checkTogether(EmitError emitError, RopeScalingKind kind,
                                   DictionaryAttr given) {
  auto number = [&](StringRef name, double otherwise) {
    auto attr = given.getAs<FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : otherwise;
  };
  // rope_scaling_c4
  if (number("original_length", 1) < 1)
    return emitError() << "expects an 'original_length' of at least 1";
  if (kind == RopeScalingKind::Dynamic && number("factor", 1) < 1)
    return emitError() << "expects a 'factor' of at least 1";
  if (kind == RopeScalingKind::LongRope)
    return checkLongRope(emitError, given);
  // rope_scaling_c5
  if (given.contains("mscale") != given.contains("mscale_all_dim"))
    return emitError() << "expects 'mscale' and 'mscale_all_dim' together";
  if (given.contains("mscale") && given.contains("attention_factor"))
    return emitError() << "expects 'mscale' or 'attention_factor', not both";
  // rope_scaling_c6
  if (kind == RopeScalingKind::Llama3 &&
      number("low_freq_factor", 0) >= number("high_freq_factor", 0))
    return emitError()
           << "expects 'low_freq_factor' to be less than 'high_freq_factor'";
  if (kind == RopeScalingKind::Yarn &&
      number("beta_slow", 1) >= number("beta_fast", 32))
    return emitError() << "expects 'beta_slow' to be less than 'beta_fast'";
  return success();
}

LogicalResult RopeScalingAttr::verify(EmitError emitError, RopeScalingKind kind,
                                      DictionaryAttr parameters) {
  if (failed(checkNames(emitError, kind, parameters)))
    return failure();
  return checkTogether(emitError, kind, parameters);
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Numbers as f64, lists of them as one attribute; others stay as they are.
static Attribute normalize(Attribute value) {
  MLIRContext *context = value.getContext();
  auto numberOf = [](Attribute attr) -> std::optional<double> {
    if (auto number = dyn_cast<FloatAttr>(attr))
      return number.getValueAsDouble();
    if (auto number = dyn_cast<IntegerAttr>(attr);
        number && !isa<BoolAttr>(attr))
      return static_cast<double>(number.getValue().getSExtValue());
    return std::nullopt;
  };
  if (std::optional<double> number = numberOf(value))
    return FloatAttr::get(Float64Type::get(context), *number);
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list)
    return value;
  SmallVector<double> numbers;
  for (Attribute element : list) {
    std::optional<double> number = numberOf(element);
    if (!number)
      return value;
    numbers.push_back(*number);
  }
  return DenseF64ArrayAttr::get(context, numbers);
}

/// rope-scaling ::= `<` kind (`,` name `=` (number | `[` number-list `]` |
///                  `true` | `false`))* `>`
Attribute RopeScalingAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<RopeScalingKind> kind = symbolizeRopeScalingKind(keyword);
  if (!kind) {
    parser.emitError(loc, "unknown scaling '")
        << keyword << "', expected linear, dynamic, yarn, longrope or llama3";
    return {};
  }
  NamedAttrList parameters;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    Attribute value;
    SMLoc nameLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return {};
    if (parameters.get(name)) {
      parser.emitError(nameLoc, "'") << name << "' is given twice";
      return {};
    }
    if (parser.parseAttribute(value))
      return {};
    parameters.set(name, normalize(value));
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RopeScalingAttr>(
      loc, parser.getContext(), *kind,
      parameters.getDictionary(parser.getContext()));
}

void RopeScalingAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRopeScalingKind(getKind());
  // In the order of the documentation, not of the alphabet.
  for (const Parameter &parameter : parametersOf(getKind())) {
    Attribute value = getParameters().get(parameter.name);
    if (!value)
      continue;
    printer << ", " << parameter.name << " = ";
    if (auto list = dyn_cast<DenseF64ArrayAttr>(value)) {
      printer << '[';
      llvm::interleaveComma(list.asArrayRef(), printer, [&](double number) {
        printer.printFloat(APFloat(number));
      });
      printer << ']';
      continue;
    }
    printer.printAttributeWithoutType(value);
  }
  printer << '>';
}
