"""Makes llama.safetensors, inputs.npz and expected.npz with torch and transformers (4.47)."""
import pathlib
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import fixture

config = LlamaConfig(vocab_size=61, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, max_position_embeddings=64, rms_norm_eps=1e-5, rope_theta=500000.0,
                     attn_implementation="eager")
model = fixture.randomize(LlamaForCausalLM(config))

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

fixture.save(__file__, "llama", model.state_dict(),
             inputs={"prefill.tokens": prompt.int(), "lengths": torch.tensor(lengths), "decode.tokens": following.int()},
             expected={"prefill.logits": torch.stack(after_prompt), "decode.logits": torch.stack(after_following)})
