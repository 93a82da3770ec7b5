//===- ActivationOps.cpp - element-wise non-linearities -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerShapes.h"

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

/// Checks that the number `name` is finite.
static LogicalResult checkFinite(FloatAttr number, StringRef name,
                                 const ShapeCheck &check) {
  if (number && number.getValue().isFinite())
    return success();
  return check.error("expects a finite " + name);
}

#define SINTER_ACTIVATION(OP)                                                  \
  LogicalResult OP::resultShapes(Adaptor adaptor, const ShapeCheck &check,     \
                                 Results &results) {                           \
    return likeInput(adaptor.getInput(), check, results);                      \
  }
SINTER_ACTIVATION(GeluOp)
SINTER_ACTIVATION(QuickGeluOp)
SINTER_ACTIVATION(SiluOp)
SINTER_ACTIVATION(MishOp)
SINTER_ACTIVATION(ReluOp)
SINTER_ACTIVATION(ReluSquaredOp)
SINTER_ACTIVATION(SigmoidOp)
SINTER_ACTIVATION(HardSwishOp)
SINTER_ACTIVATION(SoftplusOp)
SINTER_ACTIVATION(SoftsignOp)
#undef SINTER_ACTIVATION

// leaky_relu_c1, thresholded_relu_c1, elu_c1
#define SINTER_ACTIVATION(OP)                                                  \
  LogicalResult OP::resultShapes(Adaptor adaptor, const ShapeCheck &check,     \
                                 Results &results) {                           \
    if (failed(checkFinite(adaptor.getAlphaAttr(), "alpha", check)))           \
      return failure();                                                        \
    return likeInput(adaptor.getInput(), check, results);                      \
  }
SINTER_ACTIVATION(LeakyReluOp)
SINTER_ACTIVATION(ThresholdedReluOp)
SINTER_ACTIVATION(EluOp)
#undef SINTER_ACTIVATION

LogicalResult HardSigmoidOp::resultShapes(Adaptor adaptor,
                                          const ShapeCheck &check,
                                          Results &results) {
  // hard_sigmoid_c1
  if (failed(checkFinite(adaptor.getAlphaAttr(), "alpha", check)) ||
      failed(checkFinite(adaptor.getBetaAttr(), "beta", check)))
    return failure();
  return likeInput(adaptor.getInput(), check, results);
}
