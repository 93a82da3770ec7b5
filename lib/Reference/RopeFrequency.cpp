//===- RopeFrequency.cpp - Frequencies of rotary positions ----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/RopeFrequency.h"
#include <cmath>
#include <numbers>

namespace sinter::reference {

static double plain(double theta, int64_t pair, int64_t columns) {
  return std::pow(theta, -2.0 * static_cast<double>(pair) /
                             static_cast<double>(columns));
}

/// Theta grows with the length, so that the slowest pair turns as far as in
/// training.
static double dynamic(const RopeFrequency &f, int64_t pair, int64_t length) {
  double trained = f.scaling.getNumber("original_length");
  double factor = f.scaling.getNumber("factor");
  double reach = std::max(static_cast<double>(length), trained);
  auto columns = static_cast<double>(f.columns);
  double grown = f.theta * std::pow(factor * reach / trained - (factor - 1),
                                    columns / (columns - 2));
  return plain(grown, pair, f.columns);
}

/// Pairs that turn more than beta_fast times in training keep their frequency,
/// those below beta_slow are interpolated.
static double yarn(const RopeFrequency &f, int64_t pair) {
  double trained = f.scaling.getNumber("original_length");
  auto pairOfTurns = [&](double turns) {
    return static_cast<double>(f.columns) *
           std::log(trained / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(f.theta));
  };
  double low = pairOfTurns(f.scaling.getNumber("beta_fast", 32));
  double high = pairOfTurns(f.scaling.getNumber("beta_slow", 1));
  if (f.scaling.truncates()) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(f.columns - 1));
  if (low == high)
    high += 0.001;
  double ramp = (static_cast<double>(pair) - low) / (high - low);
  ramp = std::min(std::max(ramp, 0.0), 1.0);
  double fast = plain(f.theta, pair, f.columns);
  double slow = fast / f.scaling.getNumber("factor");
  return slow * ramp + fast * (1 - ramp);
}

static double longRope(const RopeFrequency &f, int64_t pair, int64_t length) {
  double trained = f.scaling.getNumber("original_length");
  bool isLong = static_cast<double>(length) > trained;
  double stretch =
      f.scaling.getList(isLong ? "long_factor" : "short_factor")[pair];
  return plain(f.theta, pair, f.columns) / stretch;
}

/// Long waves are stretched, short ones kept, those between are mixed.
static double llama3(const RopeFrequency &f, int64_t pair) {
  double trained = f.scaling.getNumber("original_length");
  double factor = f.scaling.getNumber("factor");
  double low = f.scaling.getNumber("low_freq_factor");
  double high = f.scaling.getNumber("high_freq_factor");
  double frequency = plain(f.theta, pair, f.columns);
  double wave = 2 * std::numbers::pi / frequency;
  if (wave > trained / low)
    return frequency / factor;
  if (wave < trained / high)
    return frequency;
  double smooth = (trained / wave - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

double RopeFrequency::of(int64_t pair, int64_t length) const {
  if (!scaling)
    return plain(theta, pair, columns);
  switch (scaling.getKind()) {
  case RopeScalingKind::Linear:
    return plain(theta, pair, columns) / scaling.getNumber("factor");
  case RopeScalingKind::Dynamic:
    return dynamic(*this, pair, length);
  case RopeScalingKind::Yarn:
    return yarn(*this, pair);
  case RopeScalingKind::LongRope:
    return longRope(*this, pair, length);
  case RopeScalingKind::Llama3:
    return llama3(*this, pair);
  }
  llvm_unreachable("all kinds are listed");
}

double RopeFrequency::attentionFactor() const {
  if (!scaling)
    return 1;
  double given = scaling.getNumber("attention_factor");
  if (given != 0)
    return given;
  double factor = scaling.getNumber("factor");
  auto scale = [&](double by) {
    return factor <= 1 ? 1 : 0.1 * by * std::log(factor) + 1;
  };
  if (scaling.getKind() == RopeScalingKind::Yarn)
    return scale(scaling.getNumber("mscale", 1)) /
           (scaling.getNumber("mscale") != 0
                ? scale(scaling.getNumber("mscale_all_dim"))
                : 1);
  if (scaling.getKind() == RopeScalingKind::LongRope && factor > 1)
    return std::sqrt(1 + std::log(factor) /
                             std::log(scaling.getNumber("original_length")));
  return 1;
}

} // namespace sinter::reference
