// RUN: sinter-run %s --compare --random-weights --calls=3 --dim=batch=1,2 --threads=1,3 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4

// Silero voice detector, 16 kHz: STFT as a convolution, four convolutions, an LSTM cell. Its state and the last 64
// samples live in the session from chunk to chunk. Convolutions are upstream linalg: plain loop nests, no skeleton.
// The known answer for test.wav: .208342 .817943 .891196 .996361 (weights: models/silero_vad/silero_vad_16k.safetensors).
!row = tensor<?x128xf32>
!g   = tensor<512x128xf32>
!b   = tensor<512xf32>
!f0  = tensor<?x258x4xf32>          // batch, channel, frame
!f   = tensor<?x129x4xf32>
!f1  = tensor<?x128x4xf32>
!f2  = tensor<?x64x2xf32>
!f3  = tensor<?x64x1xf32>
!f4  = tensor<?x128x1xf32>

module @voice attributes {sinter.archive = "voice.safetensors"} {
  sinter.state @tail dims ["batch"] : tensor<?x64xf32>
  sinter.state @h dims ["batch"] : !row
  sinter.state @c dims ["batch"] : !row
  func.func @listen(%samples: tensor<?x512xf32> {sinter.name = "samples", sinter.dims = ["batch"]})
      -> (tensor<?x1xf32> {sinter.name = "probability"}) {
    %c0 = arith.constant 0 : index
    %last = arith.constant 575 : index
    %turn = arith.constant 1150 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %samples, %c0 : tensor<?x512xf32>
    %tail = sinter.read @tail : tensor<?x64xf32>
    %x = tensor.concat dim(1) %tail, %samples : (tensor<?x64xf32>, tensor<?x512xf32>) -> tensor<?x576xf32>
    %next = tensor.extract_slice %samples[0, 448] [%n, 64] [1, 1] : tensor<?x512xf32> to tensor<?x64xf32>
    sinter.write @tail, %next : tensor<?x64xf32>
    %r = tensor.generate %n {                                  // reflect 64 samples at the end
    ^bb0(%i: index, %channel: index, %j: index):
      %inside = arith.cmpi ule, %j, %last : index
      %mirror = arith.subi %turn, %j : index
      %k = arith.select %inside, %j, %mirror : index
      %s = tensor.extract %x[%i, %k] : tensor<?x576xf32>
      tensor.yield %s : f32
    } : tensor<?x1x640xf32>

    %wf = sinter.weight "stft_conv.weight" : tensor<258x1x256xf32>
    %z0 = tensor.splat %zero[%n] : !f0
    %v0 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<128> : tensor<1xi64>}
        ins(%r, %wf : tensor<?x1x640xf32>, tensor<258x1x256xf32>) outs(%z0 : !f0) -> !f0
    %re = tensor.extract_slice %v0[0, 0, 0] [%n, 129, 4] [1, 1, 1] : !f0 to !f
    %im = tensor.extract_slice %v0[0, 129, 0] [%n, 129, 4] [1, 1, 1] : !f0 to !f
    %re2 = arith.mulf %re, %re : !f
    %im2 = arith.mulf %im, %im : !f
    %power = arith.addf %re2, %im2 : !f
    %y0 = math.sqrt %power : !f

    %w1, %b1, %w2, %b2, %w3, %b3, %w4, %b4 = sinter.weight "conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
        "conv3.weight", "conv3.bias", "conv4.weight", "conv4.bias" : tensor<128x129x3xf32>, tensor<128xf32>,
        tensor<64x128x3xf32>, tensor<64xf32>, tensor<64x64x3xf32>, tensor<64xf32>, tensor<128x64x3xf32>, tensor<128xf32>
    %p1 = tensor.pad %y0 low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : !f to tensor<?x129x6xf32>
    %e1 = tensor.empty(%n) : !f1
    %z1 = linalg.broadcast ins(%b1 : tensor<128xf32>) outs(%e1 : !f1) dimensions = [0, 2]
    %v1 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
        ins(%p1, %w1 : tensor<?x129x6xf32>, tensor<128x129x3xf32>) outs(%z1 : !f1) -> !f1
    %y1 = sinter.relu %v1 : !f1
    %p2 = tensor.pad %y1 low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : !f1 to tensor<?x128x6xf32>
    %e2 = tensor.empty(%n) : !f2
    %z2 = linalg.broadcast ins(%b2 : tensor<64xf32>) outs(%e2 : !f2) dimensions = [0, 2]
    %v2 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
        ins(%p2, %w2 : tensor<?x128x6xf32>, tensor<64x128x3xf32>) outs(%z2 : !f2) -> !f2
    %y2 = sinter.relu %v2 : !f2
    %p3 = tensor.pad %y2 low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : !f2 to tensor<?x64x4xf32>
    %e3 = tensor.empty(%n) : !f3
    %z3 = linalg.broadcast ins(%b3 : tensor<64xf32>) outs(%e3 : !f3) dimensions = [0, 2]
    %v3 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
        ins(%p3, %w3 : tensor<?x64x4xf32>, tensor<64x64x3xf32>) outs(%z3 : !f3) -> !f3
    %y3 = sinter.relu %v3 : !f3
    %p4 = tensor.pad %y3 low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : !f3 to tensor<?x64x3xf32>
    %e4 = tensor.empty(%n) : !f4
    %z4 = linalg.broadcast ins(%b4 : tensor<128xf32>) outs(%e4 : !f4) dimensions = [0, 2]
    %v4 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
        ins(%p4, %w4 : tensor<?x64x3xf32>, tensor<128x64x3xf32>) outs(%z4 : !f4) -> !f4
    %y4 = sinter.relu %v4 : !f4
    %in = tensor.collapse_shape %y4 [[0], [1, 2]] : !f4 into !row
    %h = sinter.read @h : !row
    %c = sinter.read @c : !row
    %w, %u, %bi, %bh = sinter.weight "lstm_cell.weight_ih", "lstm_cell.weight_hh", "lstm_cell.bias_ih",
        "lstm_cell.bias_hh" : !g, !g, !b, !b
    %h1, %c1 = sinter.lstm_cell %in, %h, %c, %w, %u, %bi, %bh gates("ifgo") : !row, !row, !row, !g, !g, !b, !b
    sinter.write @h, %h1 : !row
    sinter.write @c, %c1 : !row
    %a = sinter.relu %h1 : !row
    %w5, %b5 = sinter.weight "final_conv.weight", "final_conv.bias" : tensor<1x128x1xf32>, tensor<1xf32>
    %w6 = tensor.collapse_shape %w5 [[0], [1, 2]] : tensor<1x128x1xf32> into tensor<1x128xf32>
    %o = sinter.linear %a, %w6, %b5 : !row, tensor<1x128xf32>, tensor<1xf32>
    %p = sinter.sigmoid %o : tensor<?x1xf32>
    return %p : tensor<?x1xf32>
  }
}
