//===- Check.cpp - Results against double precision -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "sinter/Support/Safetensors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace sinter::bench {

std::vector<float> readWeight(const char *model, const char *name) {
  auto archive = SafetensorsArchive::open(std::string(SINTER_BENCH_MODELS "/") +
                                          model + ".safetensors");
  if (!archive) {
    std::fprintf(stderr, "%s\n", llvm::toString(archive.takeError()).c_str());
    return {};
  }
  const ArchiveTensor *tensor = (*archive)->lookup(name);
  if (!tensor || tensor->type != StoredType::F32)
    return {};
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

std::vector<int64_t> sampleRows(int64_t count) {
  constexpr int64_t kMost = 8;
  int64_t rows = std::min(count, kMost);
  std::vector<int64_t> sample;
  for (int64_t i = 0; i < rows; ++i)
    sample.push_back(rows == 1 ? 0 : i * (count - 1) / (rows - 1));
  return sample;
}

void Comparison::row(int64_t row, const float *values,
                     const std::vector<double> &wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    double off = std::fabs(double(values[i]) - wanted[i]);
    if (off <= worst)
      continue;
    // Nothing is worse than a NaN.
    worst = std::isnan(off) ? HUGE_VAL : off;
    got = values[i];
    expected = wanted[i];
    worstRow = row;
    worstColumn = i;
  }
}

std::string Comparison::difference() const {
  if (worst < 0)
    return "nothing was compared: the weights can't be read";
  if (worst <= tolerance)
    return {};
  char text[160];
  std::snprintf(text, sizeof text,
                "row %lld, column %zu is %.9g, not %.9g: more than %.2g apart",
                static_cast<long long>(worstRow), worstColumn, got, expected,
                tolerance);
  return text;
}

} // namespace sinter::bench
