"""Makes language_model.safetensors, inputs.npz and expected.npz with torch.nn.RNN."""
import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import fixture


class LanguageModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(61, 16)
        self.rnn = torch.nn.RNN(16, 24, num_layers=2, batch_first=True)
        self.output = torch.nn.Linear(24, 61)

    def forward(self, tokens):
        return self.output(self.rnn(self.embedding(tokens))[0]).log_softmax(-1)


# Two texts of different length, then one token more.
model = fixture.randomize(LanguageModel())
tokens, lengths = fixture.tokens(1, 61, 2, 9), [9, 4]
following = fixture.tokens(2, 61, 2, 1)
scores, after = torch.zeros(2, 9, 61), torch.zeros(2, 1, 61)
with torch.no_grad():
    for row, length in enumerate(lengths):
        all_scores = model(torch.cat([tokens[row, :length], following[row]])[None])[0]
        scores[row, :length], after[row, 0] = all_scores[:-1], all_scores[-1]
fixture.save(__file__, "language_model", model.state_dict(),
             inputs={"read.tokens": tokens.int(), "read.lengths": torch.tensor(lengths),
                     "step.tokens": following.int(), "step.lengths": torch.ones(2, dtype=torch.int64)},
             expected={"read.scores": scores, "step.scores": after})
