"""The same model and search with torch: torch.nn.GRU and the attention of Bahdanau, Cho and Bengio, written out."""
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

SOURCE = "_ .0123456789abcdefghijklmnopqrstuvwxyz"  # the first is padding
TARGET = "_<>-0123456789"  # padding, begin, end
BEGIN, END, STEPS = 1, 2, 12
MONTHS = "january february march april may june july august september october november december".split()


def spellings(day, month, year):
    name = MONTHS[month - 1]
    return [f"{day} {name} {year}", f"{name} {day} {year}", f"{day}.{month}.{year}", f"{day} {name[:3]} {year}"]


def source_ids(text):
    return [SOURCE.index(letter) for letter in text]


class Seq2Seq(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.source = torch.nn.Embedding(len(SOURCE), 16)
        self.encoder = torch.nn.GRU(16, 32, batch_first=True, bidirectional=True)
        self.initial = torch.nn.Linear(32, 32)
        self.keys = torch.nn.Linear(64, 32, bias=False)
        self.query = torch.nn.Linear(32, 32, bias=False)
        self.energy = torch.nn.Linear(32, 1, bias=False)
        self.target = torch.nn.Embedding(len(TARGET), 16)
        self.decoder = torch.nn.GRUCell(80, 32)
        self.output = torch.nn.Linear(112, len(TARGET))

    def encode(self, words, lengths):
        packed = pack_padded_sequence(self.source(words), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        memory = pad_packed_sequence(states, batch_first=True)[0]
        padding = torch.arange(memory.shape[1]) >= lengths[:, None]
        return torch.tanh(self.initial(last[1])), memory, self.keys(memory), padding

    def step(self, word, hidden, memory, keys, padding):
        """Log-probabilities, the next state, the attention weights."""
        energies = self.energy(torch.tanh(self.query(hidden)[:, None] + keys)).squeeze(2)
        weights = energies.masked_fill(padding, -torch.inf).softmax(1)
        context = (weights[:, :, None] * memory).sum(1)
        x = torch.cat([self.target(word), context], 1)
        hidden = self.decoder(x, hidden)
        return self.output(torch.cat([hidden, x], 1)).log_softmax(1), hidden, weights


def greedy(model, text):
    """The date, and for each of its letters the place in the text that got most attention."""
    words = torch.tensor([source_ids(text)])
    hidden, *memory = model.encode(words, torch.tensor([len(text)]))
    word, date, places = BEGIN, "", []
    for _ in range(STEPS):
        scores, hidden, weights = model.step(torch.tensor([word]), hidden, *memory)
        word = int(scores[0].argmax())
        if word == END:
            break
        date += TARGET[word]
        places.append(int(weights[0].argmax()))
    return date, places
