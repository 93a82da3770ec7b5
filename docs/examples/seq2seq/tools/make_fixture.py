"""make_fixture.py TEXT...: inputs.npz, expected.npz and expected.txt (for the texts) from seq2seq.safetensors."""
import pathlib
import sys

import torch
from safetensors.torch import load_file

folder = pathlib.Path(__file__).parents[1]
sys.path.append(str(folder.parent / "tools"))
import fixture
from model import BEGIN, Seq2Seq, greedy, source_ids

model = Seq2Seq().eval()
model.load_state_dict(load_file(folder / "seq2seq.safetensors"))

# Rows of different length; one step without and one with the attention's weights.
texts = ["12 march 1994", "7.5.2031", "september 28 1900"]
lengths = torch.tensor([len(text) for text in texts])
words = torch.tensor([source_ids(text) + [0] * (max(lengths) - len(text)) for text in texts])
first, second = torch.tensor([BEGIN] * 3), torch.tensor([5, 6, 5])
with torch.no_grad():
    hidden, *memory = model.encode(words, lengths)
    scores, hidden, _ = model.step(first, hidden, *memory)
    scores2, _, weights = model.step(second, hidden, *memory)
    fixture.save(__file__, "", None, inputs={
        "words": words.int(), "lengths": lengths, "step.word": first.int(), "step_with_weights.word": second.int(),
    }, expected={"step.scores": scores, "step_with_weights.scores": scores2, "step_with_weights.weights": weights})
    with open(folder / "expected.txt", "w", encoding="utf-8") as file:
        for text in sys.argv[1:]:
            date, places = greedy(model, text)
            file.write(f"{text}\n  {date}\n  {''.join(text[place] for place in places)}\n")
