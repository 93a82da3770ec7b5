//===- ScanPhases.cpp - Expressions of a step in phases -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanPhases.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::scan;

/// Reductions that the expression needs one after the other.
static unsigned depthOf(Node *node, DenseMap<Node *, unsigned> &known) {
  if (auto found = known.find(node); found != known.end())
    return found->second;
  unsigned depth = 0;
  for (Node *operand : node->operands)
    depth = std::max(depth, depthOf(operand, known));
  return known[node] = depth + (node->kind == Node::Reduction);
}

/// Reductions that do not need each other become neighbours, which share a pass
/// over the units.
static void orderReductions(NodeSet &reductions) {
  DenseMap<Node *, unsigned> depths;
  std::map<unsigned, SmallVector<Node *>> byDepth;
  for (Node *node : reductions)
    byDepth[depthOf(node, depths)].push_back(node);
  reductions.clear();
  for (auto &[depth, nodes] : byDepth)
    reductions.insert(nodes.begin(), nodes.end());
}

PhasePlan::PhasePlan(const Expressions &expressions) {
  for (Node *node :
       llvm::concat<Node *const>(expressions.outputs, expressions.states))
    if (!node->isArgument())
      addResult(node);
  // A phase asks only earlier ones for results, so the latest goes first; those
  // that this adds are earlier.
  while (std::optional<size_t> number = latestOpen()) {
    open[*number] = false;
    for (Node *node : llvm::to_vector(phases[*number].results.getArrayRef()))
      visit(*number, node);
  }
  std::map<int64_t, std::vector<Phase>> byLevel;
  for (Phase &phase : phases)
    byLevel[phase.level].push_back(std::move(phase));
  phases.clear();
  for (auto &[level, made] : byLevel)
    llvm::move(made, std::back_inserter(phases));
  for (Phase &phase : phases)
    orderReductions(phase.reductions);
}

std::optional<size_t> PhasePlan::latestOpen() const {
  std::optional<size_t> found;
  for (size_t i = 0; i < phases.size(); ++i)
    if (open[i] && (!found || phases[i].level > phases[*found].level))
      found = i;
  return found;
}

Phase &PhasePlan::phaseAt(int64_t level, int64_t units) {
  for (Phase &phase : phases)
    if (phase.level == level && phase.units == units)
      return phase;
  open.push_back(true);
  return phases.emplace_back(Phase{level, units, {}, {}, {}, {}, {}, {}});
}

void PhasePlan::addResult(Node *node) {
  phaseAt(std::max<int64_t>(node->level, 0), node->units).results.insert(node);
}

bool PhasePlan::isResult(Node *node) {
  return llvm::any_of(
      phases, [&](const Phase &phase) { return phase.results.contains(node); });
}

/// Whether a later phase computes the expression from what it is made of
/// instead of reading it: what cannot be kept, and cheap code over no more than
/// one number that would have to be kept in its place.
bool PhasePlan::isMadeAgain(Node *node) {
  if (node->kind != Node::Compute)
    return false;
  if (!node->type.isF32())
    return true;
  NodeSet earlier;
  for (Node *operand : node->operands)
    if (operand->level >= 0)
      earlier.insert(operand);
  return node->isCheap && earlier.size() == 1 &&
         earlier.front()->kind != Node::Reduction && !isResult(node);
}

void PhasePlan::visit(size_t number, Node *node) {
  if (!phases[number].visited.insert(node).second)
    return;
  int64_t level = phases[number].level;
  if (node->level >= 0 && node->level < level && !isMadeAgain(node)) {
    addResult(node);
    phases[number].vectors.insert(node);
    return;
  }
  for (Node *operand : node->operands)
    visit(number, operand);
  Phase &phase = phases[number];
  if (node->isArgument())
    phase.vectors.insert(node);
  else if (node->kind == Node::Capture)
    phase.captures.insert(node);
  else if (node->kind == Node::Reduction)
    phase.reductions.insert(node);
  else if (node->kind == Node::Product)
    phase.products.insert(node);
  if (node->kind == Node::Product && !node->factor->isArgument())
    addResult(node->factor);
}
