"""Makes t5.safetensors, inputs.npz and expected.npz with torch and transformers (4.47)."""
import pathlib
import sys

import torch
from transformers import T5Config, T5ForConditionalGeneration

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import fixture

config = T5Config(vocab_size=61, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4,
                  relative_attention_num_buckets=32, relative_attention_max_distance=128,
                  feed_forward_proj="gated-gelu", tie_word_embeddings=False)
model = fixture.randomize(T5ForConditionalGeneration(config))

# So long that every bucket is met.
words, lengths = fixture.tokens(1, 61, 2, 96), torch.tensor([96, 37])
target = fixture.tokens(2, 61, 2, 120)
attended = (torch.arange(96) < lengths[:, None]).long()
with torch.no_grad():
    states = model.encoder(input_ids=words, attention_mask=attended).last_hidden_state
    logits = model(input_ids=words, attention_mask=attended, decoder_input_ids=target).logits

tied = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")  # they are shared.weight
weights = {name: value for name, value in model.state_dict().items() if name not in tied}
fixture.save(__file__, "t5", weights,
             inputs={"words": words.int(), "lengths": lengths, "decode.tokens": target[:, :119].int(),
                     "step.tokens": target[:, 119:].int()},
             expected={"states": states, "decode.logits": logits[:, 118], "step.logits": logits[:, 119]})
