"""Makes a failing module small: every step keeps the failure."""

import copy


def _steps(module):
    """Edits to try, the largest first: each takes a copy and returns False where it does not apply."""

    def drop_entry(i):
        return lambda m: len(m.entries) > 1 and bool(m.entries.pop(i))

    def keep_outputs(i, first, count):
        def edit(m):
            entry = m.entries[i]
            entry.outputs[first : first + count] = []
            return bool(entry.outputs) or any(op.effect for op in entry.ops)

        return edit

    def drop_effect(i, j):
        def edit(m):
            op = m.entries[i].ops[j]
            op.effect = False
            return True

        return edit

    def bypass(i, j):
        """Users of an operation's results take an earlier value of the same type."""

        def edit(m):
            entry = m.entries[i]
            op = entry.ops[j]
            before = [v for o in entry.ops[:j] for v in o.results] + [a.value for a in entry.arguments]
            before.sort(key=lambda v: v not in op.operands)
            changed = False
            for result in op.results:
                for value in before:
                    if value.type == result.type and value.shape == result.shape:
                        _replace(entry, result, value)
                        changed = True
                        break
            return changed

        return edit

    def cut(i, j):
        """The operation's operands become the outputs in place of its results."""

        def edit(m):
            entry = m.entries[i]
            op = entry.ops[j]
            if not set(op.results) & set(entry.outputs) or not op.operands:
                return False
            entry.outputs = [v for v in entry.outputs if v not in op.results]
            entry.outputs += [v for v in op.operands if v not in entry.outputs and _returnable(v)]
            return bool(entry.outputs)

        return edit

    for i, entry in enumerate(module.entries):
        yield drop_entry(i)
        for j in range(len(entry.outputs)):
            yield keep_outputs(i, j, 1)
        for j in reversed(range(len(entry.ops))):
            yield bypass(i, j)
            yield cut(i, j)
            if entry.ops[j].effect:
                yield drop_effect(i, j)


def _returnable(value):
    return not value.text and value.element == "f32"


def _replace(entry, old, new):
    for op in entry.ops:
        op.operands = [new if v is old else v for v in op.operands]
    entry.outputs = [new if v is old else v for v in entry.outputs]


def shrink(module, fails, budget=200):
    """The smallest module found for which `fails` holds, after at most `budget` tries."""
    tries = 0
    progress = True
    while progress and tries < budget:
        progress = False
        for number in range(sum(1 for _ in _steps(module))):
            smaller = copy.deepcopy(module)
            edit = next(e for n, e in enumerate(_steps(smaller)) if n == number)
            if not edit(smaller):
                continue
            for entry in smaller.entries:
                entry.sweep()
            if smaller.size() >= module.size():
                continue
            tries += 1
            if fails(smaller):
                module, progress = smaller, True
                break
            if tries >= budget:
                break
    return module
