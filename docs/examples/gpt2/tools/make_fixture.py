"""Makes gpt2.safetensors, inputs.npz and expected.npz with torch and transformers (4.47)."""
import pathlib
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import fixture

config = GPT2Config(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, n_inner=48,
                    attn_implementation="eager")
model = fixture.randomize(GPT2LMHeadModel(config))

# Two prompts of different length, then one more token each.
prompt, lengths = fixture.tokens(1, 61, 2, 9), [9, 4]
following = fixture.tokens(2, 61, 2, 1)
after_prompt, after_following = [], []
with torch.no_grad():
    for row, length in enumerate(lengths):
        ids = torch.cat([prompt[row, :length], following[row]])
        logits = model(ids[None]).logits[0]
        after_prompt.append(logits[length - 1])
        after_following.append(logits[length])

weights = {name.removeprefix("transformer."): value for name, value in model.state_dict().items()
           if name != "lm_head.weight"}  # it is wte.weight
fixture.save(__file__, "gpt2", weights,
             inputs={"prefill.tokens": prompt.int(), "lengths": torch.tensor(lengths), "decode.tokens": following.int()},
             expected={"prefill.logits": torch.stack(after_prompt), "decode.logits": torch.stack(after_following)})
