"""Makes the fixtures with torch.nn.LSTM and torch.nn.GRU: inputs.npz and expected.npz for g2pM's weights,
gru.safetensors, gru-inputs.npz and gru-expected.npz for random ones."""
import gzip
import pathlib
import sys

import torch
from safetensors.torch import load_file
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

folder = pathlib.Path(__file__).parents[1]
sys.path.append(str(folder.parent / "tools"))
import fixture


class Labeller(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(5398, 64)
        self.lstm = torch.nn.LSTM(64, 32, batch_first=True, bidirectional=True)
        self.logit_layer = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 876))


class GruLabeller(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(61, 12)
        self.gru = torch.nn.GRU(12, 20, batch_first=True, bidirectional=True)
        self.output = torch.nn.Linear(40, 9)


def run(layer, x, lengths):
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(layer(packed)[0], batch_first=True)[0]


model = Labeller()
model.load_state_dict(load_file(folder / "g2pM.safetensors"))
with open(folder / "characters.txt", encoding="utf-8") as file:
    id_of = {character: number for number, character in enumerate(file.read().split("\n")[:-1])}
with gzip.open(folder / "test.sent.gz", "rt", encoding="utf-8") as file:
    sentences = file.read().split("\n")[2000:2005]
rows = [[2] + [id_of.get(character, 1) for character in line.replace("▁", "")] + [3] for line in sentences]
asked = torch.tensor([1 + line.index("▁") for line in sentences])
lengths = torch.tensor([len(row) for row in rows])
characters = torch.tensor([row + [0] * (max(lengths) - len(row)) for row in rows])
with torch.no_grad():
    y = run(model.lstm, model.embedding(characters), lengths)
    logits = model.logit_layer(y[torch.arange(len(rows)), asked])
fixture.save(__file__, "", None, inputs={"characters": characters.int(), "lengths": lengths, "asked": asked},
             expected={"logits": logits})

model = fixture.randomize(GruLabeller())
tokens, lengths = fixture.tokens(1, 61, 3, 11), torch.tensor([11, 4, 1])
with torch.no_grad():
    logits = model.output(run(model.gru, model.embedding(tokens), lengths))
fixture.save(__file__, "gru", model.state_dict(), **{
    "gru-inputs": {"tokens": tokens.int(), "lengths": lengths}, "gru-expected": {"logits": logits}})
