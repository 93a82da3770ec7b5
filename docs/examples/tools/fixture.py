"""What the scripts that make the examples' weights and fixtures share.

Weights are random and stored as float32. An expected result is computed from them by an
implementation that knows nothing of Sinter, in double precision, and rounded once."""
import os

import numpy
import torch
from safetensors.numpy import save_file

torch.set_default_dtype(torch.float64)


def randomize(module, seed=0):
    """Random parameters of a size that keeps activations near 1; nothing stays at 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in sorted(module.named_parameters()):
            noise = torch.empty(value.shape, dtype=torch.float32).normal_(generator=generator)
            is_gain = value.dim() == 1 and name.endswith("weight")
            # Numbers of float32, so that the file holds just what is computed with.
            scaled = 1 + 0.2 * noise if is_gain else 0.1 * noise if value.dim() == 1 else noise / value.shape[-1] ** 0.5
            value.copy_(scaled)
    return module.eval()


def tokens(seed, vocabulary, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, vocabulary, shape, generator=generator)


def to_numpy(value):
    if torch.is_tensor(value):
        value = value.detach().numpy()
    return value.astype(numpy.float32) if value.dtype == numpy.float64 else value


def save(script, name, weights, **archives):
    """Writes NAME.safetensors and one .npz for each further argument, next to the script's folder."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(script)))
    if weights is not None:
        arrays = {key: numpy.ascontiguousarray(to_numpy(value)) for key, value in weights.items()}
        path = os.path.join(folder, name + ".safetensors")
        save_file(arrays, path)
        os.chmod(path, 0o644)
    for archive, values in archives.items():
        numpy.savez(os.path.join(folder, archive + ".npz"), **{key: to_numpy(value) for key, value in values.items()})
