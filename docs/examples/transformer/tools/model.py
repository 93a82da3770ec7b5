"""The same model and the same search with torch: torch.nn.Transformer, whole prefixes, no cache."""
import math

import torch

SYMBOLS = "_<>0123456789IVXLCDM"  # padding, begin, end, digits, numerals
PADDING, BEGIN, END = 0, 1, 2
WIDTH, STEPS, BEAMS = 32, 20, 4


def roman(number):
    pairs = zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split())
    text = ""
    for value, numeral in pairs:
        text += numeral * (number // value)
        number %= value
    return text


def ids(text):
    return [SYMBOLS.index(symbol) for symbol in text]


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(len(SYMBOLS), WIDTH)
        torch.nn.init.normal_(self.embedding.weight, std=WIDTH**-0.5)
        self.blocks = torch.nn.Transformer(WIDTH, nhead=4, num_encoder_layers=2, num_decoder_layers=2,
                                           dim_feedforward=64, dropout=0.0, batch_first=True)
        self.blocks.encoder.norm = self.blocks.decoder.norm = None  # not in the paper

    def embed(self, tokens):
        places = torch.arange(tokens.shape[1])[:, None]
        angles = places * 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        return self.embedding(tokens) * math.sqrt(WIDTH) + waves.to(self.embedding.weight.dtype)

    def forward(self, words, lengths, target):
        """Log-probabilities behind each target token."""
        padding = torch.arange(words.shape[1]) >= lengths[:, None]
        later = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        states = self.blocks(self.embed(words), self.embed(target), tgt_mask=later, src_key_padding_mask=padding,
                             memory_key_padding_mask=padding)
        return (states @ self.embedding.weight.T).log_softmax(-1)


def next_scores(model, word, prefixes):
    words = torch.tensor([word] * len(prefixes))
    lengths = torch.tensor([len(word)] * len(prefixes))
    with torch.no_grad():
        return model(words, lengths, torch.tensor(prefixes))[:, -1]


def greedy(model, word):
    tokens = [BEGIN]
    while len(tokens) <= STEPS:
        tokens.append(int(next_scores(model, word, [tokens])[0].argmax()))
        if tokens[-1] == END:
            break
    return tokens


def penalty(length):
    """Wu et al. 2016, as the paper has it: alpha is 0.6."""
    return ((5 + length) / 6) ** 0.6


def beam(model, word):
    """The best four: each step keeps the four best continuations; those that end leave the beam."""
    active, done = [(0.0, [BEGIN])], []
    for step in range(1, STEPS + 1):
        scores = next_scores(model, word, [tokens for _, tokens in active])
        candidates = [(score + float(scores[row, token]), row, token) for row, (score, _) in enumerate(active)
                      for token in range(len(SYMBOLS))]
        candidates.sort(key=lambda candidate: -candidate[0])
        best, active = active, []
        for score, row, token in candidates[:BEAMS]:
            tokens = best[row][1] + [token]
            if token == END:
                done.append((score / penalty(step), tokens))
            else:
                active.append((score, tokens))
        if not active or len(done) >= BEAMS:
            break
    return sorted(done, key=lambda result: -result[0])[:BEAMS]
