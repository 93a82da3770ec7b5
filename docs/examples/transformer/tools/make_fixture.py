"""Makes inputs.npz, expected.npz and expected.txt from transformer.safetensors with torch.nn.Transformer."""
import pathlib
import sys

import torch
from safetensors.torch import load_file

folder = pathlib.Path(__file__).parents[1]
sys.path.append(str(folder.parent / "tools"))
import fixture
from model import BEGIN, END, SYMBOLS, Transformer, beam, greedy, ids, next_scores, roman

model = Transformer().eval()
stored = load_file(folder / "transformer.safetensors")
model.load_state_dict({name if name.startswith("embedding") else "blocks." + name: value
                       for name, value in stored.items()})

# Three rows of different length, decoded in one call up to a common length, then one token more.
numbers = [1994, 27, 5]
words = [ids(str(number)) for number in numbers]
targets = [[BEGIN] + ids(roman(number)) + [END] for number in numbers]
prefixes, following = [target[:-2] for target in targets], [target[-2] for target in targets]
longest = max(map(len, prefixes))
pad = lambda rows, size: torch.tensor([row + [0] * (size - len(row)) for row in rows]).int()
decoded = [next_scores(model, word, [prefix])[0] for word, prefix in zip(words, prefixes)]
stepped = [next_scores(model, word, [prefix + [token]])[0] for word, prefix, token in zip(words, prefixes, following)]
fixture.save(__file__, "", None, inputs={
    "words": pad(words, 4), "source_lengths": torch.tensor([len(word) for word in words]),
    "decode.tokens": pad(prefixes, longest), "decode.lengths": torch.tensor([len(prefix) for prefix in prefixes]),
    "step.tokens": torch.tensor(following).int()[:, None], "step.lengths": torch.ones(3, dtype=torch.int64),
}, expected={"decode.scores": torch.stack(decoded), "step.scores": torch.stack(stepped)})


def line(what, score, tokens):
    return f"  {what:8}{''.join(SYMBOLS[token] for token in tokens[1:] if token != END)} {score:.2f}\n"


with open(folder / "expected.txt", "w", encoding="utf-8") as file:
    for number in sys.argv[1:]:
        tokens = greedy(model, ids(number))
        score = sum(float(next_scores(model, ids(number), [tokens[:end]])[0, tokens[end]])
                    for end in range(1, len(tokens)))
        file.write(number + "\n" + line("greedy", score, tokens))
        for score, tokens in beam(model, ids(number)):
            file.write(line("beam", score, tokens))
