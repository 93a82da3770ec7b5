//===- FusedBuilders.cpp - Making skeleton ops ----------------------------===//
#include "sinter/Dialect/Fused/IR/FusedBuilders.h"
