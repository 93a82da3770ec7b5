"""Makes bert.safetensors, inputs.npz and expected.npz with torch and transformers (4.47)."""
import pathlib
import sys

import torch
from transformers import BertConfig, BertModel

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import fixture

config = BertConfig(vocab_size=61, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                    max_position_embeddings=24, type_vocab_size=2, attn_implementation="eager")
model = fixture.randomize(BertModel(config))

tokens = fixture.tokens(1, 61, 3, 11)
types = (torch.arange(11) >= 6).long().repeat(3, 1)
lengths = torch.tensor([11, 4, 1])
attended = (torch.arange(11) < lengths[:, None]).long()
with torch.no_grad():
    result = model(input_ids=tokens, token_type_ids=types, attention_mask=attended)

fixture.save(__file__, "bert", model.state_dict(),
             inputs={"tokens": tokens.int(), "types": types.int(), "lengths": lengths},
             expected={"states": result.last_hidden_state, "pooled": result.pooler_output})
