"""Makes bart.safetensors, inputs.npz and expected.npz with torch and transformers (4.47)."""
import pathlib
import sys

import torch
from transformers import BartConfig, BartForConditionalGeneration

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tools"))
import fixture

config = BartConfig(vocab_size=61, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                    decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=24,
                    activation_function="gelu", pad_token_id=1, attn_implementation="eager")
model = fixture.randomize(BartForConditionalGeneration(config))
with torch.no_grad():
    model.final_logits_bias.copy_(0.1 * torch.randn(1, 61, generator=torch.Generator().manual_seed(3)))

words, lengths = fixture.tokens(1, 61, 2, 11), torch.tensor([11, 6])
target = fixture.tokens(2, 61, 2, 7)
attended = (torch.arange(11) < lengths[:, None]).long()
with torch.no_grad():
    states = model.model.encoder(input_ids=words, attention_mask=attended).last_hidden_state
    logits = model(input_ids=words, attention_mask=attended, decoder_input_ids=target).logits

tied = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
weights = {name: value for name, value in model.state_dict().items() if name not in tied}
fixture.save(__file__, "bart", weights,
             inputs={"words": words.int(), "lengths": lengths, "decode.tokens": target[:, :6].int(),
                     "step.tokens": target[:, 6:].int()},
             expected={"states": states, "decode.logits": logits[:, 5], "step.logits": logits[:, 6]})
