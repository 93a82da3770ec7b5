#!/usr/bin/env python3
"""Writes the fixtures of the recurrent layers, of each source its inputs
(SOURCE.inputs.npz, names as in ENTRY.INPUT or, where all share them, INPUT),
what is expected (SOURCE.expected.npz, ENTRY.RESULT) and SOURCE.safetensors.
SOURCE.txt says where the numbers come from.

    make-fixtures.py onnx FOLDER    the ONNX backend suite's node cases
    make-fixtures.py torch          PyTorch's layers (torch 2.5)
    make-fixtures.py onnxruntime    ONNX Runtime's operators (1.32)
"""
import glob
import json
import os
import struct
import sys

import numpy as np

weights, inputs, expected = {}, {}, {}


def save(source):
    np.savez(source + ".inputs.npz", **inputs)
    np.savez(source + ".expected.npz", **expected)
    header, blob = {}, b""
    for name, value in weights.items():
        data = np.ascontiguousarray(value, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape),
                        "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(source + ".safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + blob)


def add_direction(name, w, r, b=None, p=None):
    """The weights of one direction as the operators of ONNX have them."""
    weights[name + ".w"], weights[name + ".r"] = w, r
    if b is not None:
        weights[name + ".bi"], weights[name + ".bh"] = np.split(b, 2)
    if p is not None:
        weights[name + ".p"] = p


# The ONNX backend suite ------------------------------------------------------

def from_onnx(folder):
    import onnx
    from onnx import numpy_helper

    def read(path):
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        return tensor.name, numpy_helper.to_array(tensor)

    for case in ["simple_rnn_with_initial_bias", "rnn_seq_length",
                 "simple_rnn_batchwise", "gru_defaults",
                 "gru_with_initial_bias", "gru_batchwise",
                 "lstm_with_initial_bias", "lstm_with_peepholes",
                 "lstm_batchwise"]:
        data = os.path.join(folder, "test_" + case, "test_data_set_0")
        values = dict(read(f) for f in glob.glob(data + "/input_*.pb"))
        results = dict(read(f) for f in glob.glob(data + "/output_*.pb"))
        one = {k: v[0] for k, v in values.items() if k in "WRBP"}
        add_direction(case, one["W"], one["R"], one.get("B"), one.get("P"))
        inputs[case + ".x"] = values["X"]
        if "sequence_lens" in values:
            inputs[case + ".n"] = values["sequence_lens"].astype(np.int64)
        for state in ("h", "c"):
            if "initial_" + state in values:
                inputs[f"{case}.{state}0"] = values["initial_" + state][0]
        if "Y" in results:
            # [B, T, 1, H]
            expected[case + ".y"] = results["Y"][:, :, 0]
        h = results["Y_h"]
        expected[case + ".h"] = h[:, 0] if "batchwise" in case else h[0]
    save("onnx")


# PyTorch ---------------------------------------------------------------------

def from_torch():
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    torch.manual_seed(0)
    lengths = torch.tensor([2, 5, 1])
    x = torch.randn(3, 5, 3)
    h0, c0 = torch.randn(4, 3, 4), torch.randn(4, 3, 4)
    for name, kind, more in [("rnn", torch.nn.RNN, {"nonlinearity": "relu"}),
                             ("gru", torch.nn.GRU, {}),
                             ("lstm", torch.nn.LSTM, {})]:
        layer = kind(3, 4, 2, batch_first=True, bidirectional=True, **more)
        for key, value in layer.state_dict().items():
            weights[f"{name}.{key}"] = value.numpy()
        packed = pack_padded_sequence(x, lengths, batch_first=True,
                                      enforce_sorted=False)
        y, last = layer(packed, (h0, c0) if name == "lstm" else h0)
        y, _ = pad_packed_sequence(y, batch_first=True)
        expected[name + ".y"] = y.detach().numpy()
        # [4, B, H] to [B, 4 H]
        for state, value in zip("hc", last if name == "lstm" else (last,)):
            value = value.detach().transpose(0, 1).reshape(3, 16)
            expected[f"{name}.{state}"] = value.numpy()
    inputs.update(x=x.numpy(), n=lengths.numpy())
    for i in range(4):
        inputs[f"h0_{i}"], inputs[f"c0_{i}"] = h0[i].numpy(), c0[i].numpy()
    save("torch")


# ONNX Runtime ----------------------------------------------------------------

def from_onnxruntime():
    import onnxruntime
    from onnx import TensorProto, helper

    random = np.random.default_rng(0)
    time, batch, size, units = 4, 3, 3, 5

    def draw(*shape):
        return random.standard_normal(shape).astype(np.float32)

    shared = {"X": draw(time, batch, size),
              "sequence_lens": np.array([2, 4, 1], np.int32),
              "initial_h": draw(1, batch, units),
              "initial_c": draw(1, batch, units)}
    own = {}
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        own[op] = {"W": draw(1, gates * units, size),
                   "R": draw(1, gates * units, units),
                   "B": draw(1, 2 * gates * units), "P": draw(1, 3 * units)}
        peephole = own[op]["P"][0] if op == "LSTM" else None
        add_direction(op.lower(), own[op]["W"][0], own[op]["R"][0],
                      own[op]["B"][0], peephole)

    def run(case, op, lengths=False, peephole=False, **attributes):
        values = {**shared, **own[op]}
        order = ["X", "W", "R", "B", "sequence_lens" if lengths else "",
                 "initial_h"]
        outputs = ["Y", "Y_h"]
        if op == "LSTM":
            order += ["initial_c"] + (["P"] if peephole else [])
            outputs.append("Y_c")
        node = helper.make_node(op, order, outputs, hidden_size=units,
                                **attributes)
        values = {name: values[name] for name in order if name}
        graph = helper.make_graph(
            [node], case,
            [helper.make_tensor_value_info(
                name, TensorProto.INT32 if value.dtype == np.int32
                else TensorProto.FLOAT, value.shape)
             for name, value in values.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
             for name in outputs])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=9)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"])
        results = session.run(None, values)
        expected[case + ".y"] = results[0][:, 0]
        for state, value in zip("hc", results[1:]):
            expected[f"{case}.{state}"] = value[0]

    for function, parameters in [
            ("Sigmoid", ()), ("Relu", ()), ("Affine", (0.5, 0.1)),
            ("LeakyRelu", (0.3,)), ("ThresholdedRelu", (0.4,)),
            ("ScaledTanh", (1.5, 0.5)), ("HardSigmoid", (0.3, 0.4)),
            ("Elu", (0.7,)), ("Softsign", ()), ("Softplus", ())]:
        names = ("activation_alpha", "activation_beta")
        run("rnn_" + function.lower(), "RNN", activations=[function],
            **{name: [value] for name, value in zip(names, parameters)})
    run("rnn_clip", "RNN", lengths=True, direction="reverse", clip=0.5)
    run("gru_before", "GRU", lengths=True, direction="reverse",
        activations=["HardSigmoid", "ScaledTanh"],
        activation_alpha=[0.3, 1.2], activation_beta=[0.4, 0.8])
    run("gru_after", "GRU", lengths=True, direction="reverse",
        linear_before_reset=1)
    run("gru_clip", "GRU", linear_before_reset=1, clip=0.6)
    run("lstm_peephole", "LSTM", lengths=True, peephole=True,
        direction="reverse")
    run("lstm_coupled", "LSTM", lengths=True, input_forget=1)
    run("lstm_clip", "LSTM", clip=0.4)
    run("lstm_activations", "LSTM",
        activations=["HardSigmoid", "Softsign", "Elu"],
        activation_alpha=[0.3, 0.9], activation_beta=[0.4])
    inputs.update(x=shared["X"], n=shared["sequence_lens"].astype(np.int64),
                  h0=shared["initial_h"][0], c0=shared["initial_c"][0])
    save("onnxruntime")


os.chdir(os.path.dirname(os.path.abspath(__file__)))
if sys.argv[1:2] == ["onnx"] and len(sys.argv) == 3:
    from_onnx(sys.argv[2])
elif sys.argv[1:] == ["torch"]:
    from_torch()
elif sys.argv[1:] == ["onnxruntime"]:
    from_onnxruntime()
else:
    sys.exit(__doc__)
