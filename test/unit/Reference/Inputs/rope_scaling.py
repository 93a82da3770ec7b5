#!/usr/bin/env python3
"""Prints frequencies of rotary positions as Hugging Face's transformers has them.

    rope_scaling.py > rope_scaling.txt

needs transformers 5 and PyTorch. Each line holds, separated by tabs: the scaling
as an attribute, theta, rotated columns, a row's length, the factor of cosine and
sine, and the frequency of each pair.
"""

import torch
from transformers import modeling_rope_utils

# Newer releases use PyTorch from 2.6 on only; these functions need less.
modeling_rope_utils.torch = torch


class Config:
    """What the functions read of a model's configuration."""

    def __init__(self, head_dim, longest, parameters):
        self.head_dim = head_dim
        self.hidden_size = head_dim
        self.num_attention_heads = 1
        self.max_position_embeddings = longest
        self.rope_parameters = parameters

    def standardize_rope_params(self):
        pass


def text(kind, parameters, length):
    fields = [kind]
    for name, value in parameters.items():
        if name in ("rope_theta", "partial_rotary_factor"):
            continue
        if name == "original_max_position_embeddings":
            name = "original_length"
        if isinstance(value, bool):
            value = str(value).lower()
        fields.append(f"{name} = {value}")
    if kind == "dynamic":
        fields.append(f"original_length = {length}")
    return f"#sinter.rope_scaling<{', '.join(fields)}>"


def show(kind, head_dim, lengths, longest=4096, **parameters):
    config = Config(head_dim, longest, parameters)
    for length in lengths:
        function = modeling_rope_utils.ROPE_INIT_FUNCTIONS[kind]
        frequencies, factor = function(config, "cpu", seq_len=length)
        numbers = " ".join(f"{f:.9g}" for f in frequencies.tolist())
        columns = int(head_dim * parameters.get("partial_rotary_factor", 1.0))
        print(
            text(kind, parameters, longest),
            parameters["rope_theta"],
            columns,
            length,
            f"{factor:.9g}",
            numbers,
            sep="\t",
        )


def main():
    length = "original_max_position_embeddings"
    show("linear", 8, [7], rope_theta=10000.0, factor=4.0)
    show("linear", 16, [7], rope_theta=1000000.0, factor=2.5, partial_rotary_factor=0.5)
    show("dynamic", 16, [1, 4096, 4097, 20000], rope_theta=10000.0, factor=2.0)
    show("dynamic", 12, [900], 512, rope_theta=500000.0, factor=1.0)
    show("yarn", 16, [7], rope_theta=10000.0, factor=4.0, **{length: 4096})
    show("yarn", 64, [7], rope_theta=1000000.0, factor=8.0, **{length: 32768}, truncate=False)
    show("yarn", 32, [7], rope_theta=10000.0, factor=40.0, **{length: 4096}, mscale=1.0, mscale_all_dim=0.707)
    show("yarn", 32, [7], rope_theta=10000.0, factor=16.0, **{length: 2048}, beta_fast=64.0, beta_slow=2.0, attention_factor=1.25)
    show("yarn", 8, [7], rope_theta=10000.0, factor=0.5, **{length: 16})
    stretches = {"short_factor": [1.0, 1.1, 1.25, 2.0], "long_factor": [1.0, 2.5, 8.0, 40.5]}
    show("longrope", 8, [7, 4096, 4097], rope_theta=10000.0, **{length: 4096}, **stretches, factor=32.0)
    show("longrope", 16, [5000], rope_theta=10000.0, partial_rotary_factor=0.5, **{length: 4096}, **stretches, factor=1.0)
    show("longrope", 8, [5000], rope_theta=10000.0, **{length: 4096}, **stretches, attention_factor=1.19)
    show("llama3", 64, [7], rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, **{length: 8192})
    show("llama3", 32, [7], rope_theta=500000.0, factor=32.0, low_freq_factor=1.0, high_freq_factor=4.0, **{length: 8192})


main()
