"""Trains the model on 3000 of the numbers below 4000; writes transformer.safetensors. About two minutes."""
import os

import torch
from safetensors.torch import save_file

from model import BEGIN, END, PADDING, SYMBOLS, Transformer, ids, roman


def batch_of(numbers):
    words = [ids(str(number)) for number in numbers]
    targets = [[BEGIN] + ids(roman(number)) + [END] for number in numbers]
    pad = lambda rows: torch.tensor([row + [PADDING] * (max(map(len, rows)) - len(row)) for row in rows])
    return pad(words), torch.tensor([len(word) for word in words]), pad(targets)


torch.manual_seed(0)
torch.set_num_threads(1)
model = Transformer()
known = (torch.randperm(3999)[:3000] + 1).tolist()
steps = 2500
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, steps)
loss_of = torch.nn.CrossEntropyLoss(ignore_index=PADDING, label_smoothing=0.1)
for step in range(steps):
    words, lengths, targets = batch_of([known[i] for i in torch.randint(0, len(known), (128,))])
    scores = model(words, lengths, targets[:, :-1])
    loss = loss_of(scores.flatten(0, 1), targets[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 250 == 0:
        print(step, float(loss), flush=True)
path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "transformer.safetensors")
save_file({name.removeprefix("blocks."): value.contiguous() for name, value in model.state_dict().items()}, path)
os.chmod(path, 0o644)
