//===- RopeTables.cpp - Constants of rotary positions ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RopeTables.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace sinter;

using Table = SmallVector<double>;

/// theta^(-2 i / columns).
static Table plainTable(double theta, int64_t columns) {
  Table table;
  for (int64_t i : llvm::seq(columns / 2))
    table.push_back(std::pow(theta, -2.0 * double(i) / double(columns)));
  return table;
}

static Table divided(Table table, ArrayRef<double> divisors) {
  for (auto [number, divisor] : llvm::zip_equal(table, divisors))
    number /= divisor;
  return table;
}

/// Where theta becomes theta s^(columns / (columns - 2)), frequency i becomes
/// frequency i times s^exponent.
static Table dynamicExponents(int64_t columns) {
  Table table;
  for (int64_t i : llvm::seq(columns / 2))
    table.push_back(-2.0 * double(i) / double(columns - 2));
  return table;
}

/// How much of pair i is divided by the factor: a ramp from the pair that turns
/// beta_fast times in training to the one that turns beta_slow times.
static Table yarnRamp(RopeScalingAttr scaling, double theta, int64_t columns) {
  double length = scaling.getNumber("original_length");
  auto pairOf = [&](double turns) {
    double wave = length / (2 * std::numbers::pi * turns);
    return double(columns) * std::log(wave) / (2 * std::log(theta));
  };
  double low = pairOf(scaling.getNumber("beta_fast", 32));
  double high = pairOf(scaling.getNumber("beta_slow", 1));
  if (scaling.truncates()) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, double(columns - 1));
  // A step, as Hugging Face has it.
  if (low == high)
    high += 0.001;
  Table ramp;
  for (int64_t i : llvm::seq(columns / 2))
    ramp.push_back(std::clamp((double(i) - low) / (high - low), 0.0, 1.0));
  return ramp;
}

/// How much of pair i is divided by the factor: all of a wave that training saw
/// less than low_freq_factor times, nothing of one it saw more than
/// high_freq_factor times.
static Table llama3Ramp(RopeScalingAttr scaling, ArrayRef<double> table) {
  double length = scaling.getNumber("original_length");
  double low = scaling.getNumber("low_freq_factor");
  double high = scaling.getNumber("high_freq_factor");
  Table ramp;
  for (double frequency : table) {
    double seen = length * frequency / (2 * std::numbers::pi);
    ramp.push_back(1 - std::clamp((seen - low) / (high - low), 0.0, 1.0));
  }
  return ramp;
}

/// (1 - ramp) frequency + ramp frequency / factor.
static Table mixed(Table table, ArrayRef<double> ramp, double factor) {
  for (auto [frequency, share] : llvm::zip_equal(table, ramp))
    frequency *= 1 - share + share / factor;
  return table;
}

/// Peng et al. 2023, section 3.4.
static double yarnAttentionFactor(RopeScalingAttr scaling) {
  double factor = scaling.getNumber("factor");
  auto grown = [&](double by) {
    return factor <= 1 ? 1 : 0.1 * by * std::log(factor) + 1;
  };
  double all = scaling.getNumber("mscale_all_dim");
  return grown(scaling.getNumber("mscale", 1)) / (all == 0 ? 1 : grown(all));
}

static double attentionFactor(RopeScalingAttr scaling) {
  if (double given = scaling.getNumber("attention_factor"))
    return given;
  double factor = scaling.getNumber("factor");
  if (scaling.getKind() == RopeScalingKind::Yarn)
    return yarnAttentionFactor(scaling);
  if (scaling.getKind() != RopeScalingKind::LongRope || factor <= 1)
    return 1;
  double length = scaling.getNumber("original_length");
  return std::sqrt(1 + std::log(factor) / std::log(length));
}

RopeTables sinter::ropeTables(RopeOp op) {
  int64_t columns = op.getRotaryColumns();
  double theta = op.getTheta().convertToDouble();
  Table plain = plainTable(theta, columns);
  RopeScalingAttr scaling = op.getScalingAttr();
  if (!scaling)
    return {plain, {}};
  double factor = scaling.getNumber("factor"), all = attentionFactor(scaling);
  switch (scaling.getKind()) {
  case RopeScalingKind::Linear:
    return {mixed(plain, Table(plain.size(), 1.0), factor), {}};
  case RopeScalingKind::Dynamic:
    return {plain, dynamicExponents(columns)};
  case RopeScalingKind::Yarn:
    return {mixed(plain, yarnRamp(scaling, theta, columns), factor), {}, all};
  case RopeScalingKind::LongRope:
    return {divided(plain, scaling.getList("short_factor")),
            divided(plain, scaling.getList("long_factor")), all};
  case RopeScalingKind::Llama3:
    return {mixed(plain, llama3Ramp(scaling, plain), factor), {}};
  }
  llvm_unreachable("all kinds are above");
}
