"""Trains the model on dates from 1900 to 2099; writes seq2seq.safetensors. Some minutes."""
import os
import random

import torch
from safetensors.torch import save_file

from model import BEGIN, END, TARGET, Seq2Seq, source_ids, spellings

random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)


def draw():
    day, month, year = random.randint(1, 28), random.randint(1, 12), random.randint(1900, 2099)
    target = [BEGIN] + [TARGET.index(letter) for letter in f"{year}-{month:02}-{day:02}"] + [END]
    return source_ids(random.choice(spellings(day, month, year))), target


model = Seq2Seq()
steps = 800
optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, steps)
for step in range(steps):
    pairs = [draw() for _ in range(64)]
    lengths = torch.tensor([len(source) for source, _ in pairs])
    words = torch.tensor([source + [0] * (max(lengths) - len(source)) for source, _ in pairs])
    targets = torch.tensor([target for _, target in pairs])
    hidden, *memory = model.encode(words, lengths)
    loss = 0
    for place in range(targets.shape[1] - 1):
        scores, hidden, _ = model.step(targets[:, place], hidden, *memory)
        loss = loss + torch.nn.functional.nll_loss(scores, targets[:, place + 1])
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 100 == 0:
        print(step, float(loss) / (targets.shape[1] - 1), flush=True)
path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "seq2seq.safetensors")
save_file(dict(model.state_dict()), path)
os.chmod(path, 0o644)
