#!/usr/bin/env python3
"""Converts a llama2.c checkpoint (version 0, float32) to safetensors.

    llama2c_to_safetensors.py stories260K.bin stories.safetensors

A checkpoint is seven int32 (dim, hidden_dim, n_layers, n_heads, n_kv_heads,
vocab_size, seq_len) and then the tensors below, each kind for all layers in one
block, weights as [out, in]. A negative vocab_size says that the classifier is
not the embedding. The tensors get the names of Meta's LLaMA checkpoints. Needs
only Python's standard library; the result depends on nothing but the input.
"""

import json
import struct
import sys


def tensors(config):
    """Yields (file order) a list of names and the shape that they share."""
    dim, hidden, layers, heads, kv_heads, vocab, context = config
    head = dim // heads
    kv = kv_heads * head

    def each(name):
        return [f"layers.{i}.{name}.weight" for i in range(layers)]

    yield ["tok_embeddings.weight"], [abs(vocab), dim]
    yield each("attention_norm"), [dim]
    yield each("attention.wq"), [dim, dim]
    yield each("attention.wk"), [kv, dim]
    yield each("attention.wv"), [kv, dim]
    yield each("attention.wo"), [dim, dim]
    yield each("ffn_norm"), [dim]
    yield each("feed_forward.w1"), [hidden, dim]
    yield each("feed_forward.w2"), [dim, hidden]
    yield each("feed_forward.w3"), [hidden, dim]
    yield ["norm.weight"], [dim]
    # Cosines and sines of the rotary embedding: computed, not stored, today.
    yield [None, None], [context, head // 2]
    if vocab < 0:
        yield ["output.weight"], [-vocab, dim]


def convert(checkpoint):
    config = struct.unpack_from("<7i", checkpoint)
    header, data, at = {}, [], 28
    written = 0
    for names, shape in tensors(config):
        size = 4
        for extent in shape:
            size *= extent
        for name in names:
            if at + size > len(checkpoint):
                sys.exit(f"truncated: {name or 'rotary table'} ends at {at + size} of {len(checkpoint)} bytes")
            if name:
                header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [written, written + size]}
                data.append(checkpoint[at : at + size])
                written += size
            at += size
    if at != len(checkpoint):
        sys.exit(f"{len(checkpoint) - at} bytes are left over: not a version 0 checkpoint")
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        checkpoint = file.read()
    with open(sys.argv[2], "wb") as file:
        file.write(convert(checkpoint))


if __name__ == "__main__":
    main()
