/*===- cuda_device.inc.c - code and weights on a device -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

static int64_t sinter_device_bytes(const struct sinter_model *model) {
  return sinter_align(
      8 * (SINTER_DEVICE_KERNELS_WORD + 2 * (model->kernel_count + 1)));
}

static int sinter_device_valid(const struct sinter_model *model,
                               const void *device) {
  const int64_t *words = device;
  return !sinter_misaligned(device, SINTER_ALIGNMENT) &&
         words[SINTER_DEVICE_MAGIC_WORD] == SINTER_DEVICE_MAGIC &&
         words[SINTER_DEVICE_HASH_WORD] == model->hash;
}

/* How well an image suits compute capability `arch`; 0: not at all. */
static int64_t sinter_suits(const struct sinter_image *image, int64_t arch) {
  if (image->kind == SINTER_IMAGE_SPECIFIC)
    return image->arch == arch ? 3000 : 0;
  if (image->arch > arch)
    return 0;
  if (image->kind == SINTER_IMAGE_PTX)
    return image->arch;
  return image->arch / 10 == arch / 10 ? 1000 + image->arch : 0;
}

static const struct sinter_image *
sinter_best_image(const struct sinter_device_kernel *kernel, int64_t arch) {
  const struct sinter_image *best = 0;
  for (int64_t i = 0; i < kernel->image_count; i++) {
    const struct sinter_image *image = &kernel->images[i];
    if (sinter_suits(image, arch) > (best ? sinter_suits(best, arch) : 0))
      best = image;
  }
  return best;
}

/* Of the current context's device. */
struct sinter_capability {
  int64_t arch;   /* 90: compute capability 9.0 */
  int64_t shared; /* bytes that a block may have */
};

static struct sinter_capability
sinter_current_capability(struct sinter_stream *s) {
  void *context = 0;
  int device = 0, major = 0, minor = 0, shared = 0;
  sinter_note(s, s->driver->cuCtxGetCurrent(&context));
  if (s->status == SINTER_OK && !context)
    s->status = sinter_device_fail(s->model, SINTER_DEVICE_OPEN_CONTEXT);
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuCtxGetDevice(&device));
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuDeviceGetAttribute(
                       &major, SINTER_CUDA_COMPUTE_MAJOR, device));
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuDeviceGetAttribute(
                       &minor, SINTER_CUDA_COMPUTE_MINOR, device));
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuDeviceGetAttribute(
                       &shared, SINTER_CUDA_BLOCK_SHARED, device));
  struct sinter_capability capability = {10 * major + minor, shared};
  return capability;
}

static void sinter_load_kernel(struct sinter_stream *s, int64_t *words,
                               const struct sinter_device_kernel *kernel,
                               struct sinter_capability capability) {
  void *module = 0, *function = 0;
  const struct sinter_image *image = sinter_best_image(kernel, capability.arch);
  if (!image)
    s->status = sinter_device_fail(s->model, SINTER_DEVICE_OPEN_IMAGE);
  else if (kernel->shared_bytes > capability.shared)
    s->status = sinter_device_fail(s->model, SINTER_DEVICE_OPEN_SHARED);
  if (s->status != SINTER_OK)
    return;
  sinter_note(s, s->driver->cuModuleLoadData(&module, image->code));
  if (s->status != SINTER_OK)
    return;
  words[0] = (int64_t)module;
  sinter_note(s,
              s->driver->cuModuleGetFunction(&function, module, kernel->name));
  if (s->status == SINTER_OK && kernel->shared_bytes > 0)
    sinter_note(s,
                s->driver->cuFuncSetAttribute(function, SINTER_CUDA_MAX_SHARED,
                                              (int)kernel->shared_bytes));
  words[1] = (int64_t)function;
}

/* Unloads what is loaded; what the driver refuses to stays. */
static void sinter_unload_kernels(struct sinter_stream *s, int64_t *words) {
  for (int64_t i = 0; i <= s->model->kernel_count; i++) {
    int64_t *module = &words[SINTER_DEVICE_KERNELS_WORD + 2 * i];
    int error = *module ? s->driver->cuModuleUnload((void *)*module) : 0;
    sinter_note(s, error);
    if (error == 0)
      *module = 0;
  }
}

static int32_t sinter_check_open(const struct sinter_model *model, void *memory,
                                 int64_t size, void *buffer,
                                 int64_t buffer_size, const void *weights,
                                 void **device) {
  if (!memory)
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_MEMORY_NULL);
  if (!device)
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_OUT_NULL);
  if (sinter_misaligned(memory, SINTER_ALIGNMENT))
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_MEMORY_ALIGN);
  if ((uint64_t)size < (uint64_t)sinter_device_bytes(model))
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_SIZE);
  if (model->weights_bytes == 0)
    return SINTER_OK;
  if (!buffer)
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_BUFFER_NULL);
  if (sinter_misaligned(buffer, SINTER_ALIGNMENT))
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_BUFFER_ALIGN);
  if ((uint64_t)buffer_size < (uint64_t)sinter_align(model->weights_bytes))
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_BUFFER_SIZE);
  if (model->embedded)
    return SINTER_OK;
  if (!weights)
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_WEIGHTS_NULL);
  if (!sinter_weights_match(model, weights))
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_WEIGHTS_BAD);
  return SINTER_OK;
}

int32_t sinter_device_open(const struct sinter_model *model, void *memory,
                           int64_t size, void *buffer, int64_t buffer_size,
                           const void *weights, void *stream, void **device) {
  int32_t status = sinter_check_open(model, memory, size, buffer, buffer_size,
                                     weights, device);
  if (status != SINTER_OK)
    return status;
  struct sinter_stream s = sinter_use_stream(model, stream);
  if (!s.driver)
    return sinter_device_fail(model, SINTER_DEVICE_OPEN_DRIVER);
  struct sinter_capability capability = sinter_current_capability(&s);
  int64_t *words = memory;
  memset(memory, 0, (size_t)sinter_device_bytes(model));
  for (int64_t i = 0; s.status == SINTER_OK && i <= model->kernel_count; i++)
    sinter_load_kernel(&s, words + SINTER_DEVICE_KERNELS_WORD + 2 * i,
                       sinter_device_kernel(model, i), capability);
  if (model->weights_bytes > 0)
    sinter_upload(&s, buffer,
                  model->embedded
                      ? model->embedded
                      : (const char *)weights + SINTER_WEIGHTS_HEADER,
                  model->weights_bytes);
  status = s.status;
  if (status != SINTER_OK) {
    sinter_unload_kernels(&s, words);
    return status;
  }
  words[SINTER_DEVICE_WEIGHTS_WORD] = (int64_t)buffer;
  words[SINTER_DEVICE_HASH_WORD] = model->hash;
  words[SINTER_DEVICE_MAGIC_WORD] = SINTER_DEVICE_MAGIC;
  *device = memory;
  return SINTER_OK;
}

int32_t sinter_device_close(const struct sinter_model *model, void *device) {
  if (!device)
    return sinter_device_fail(model, SINTER_DEVICE_CLOSE_NULL);
  if (!sinter_device_valid(model, device))
    return sinter_device_fail(model, SINTER_DEVICE_CLOSE_BAD);
  struct sinter_stream s = sinter_use_stream(model, 0);
  if (s.driver)
    sinter_unload_kernels(&s, device);
  /* Else it can be closed once more, in the right context. */
  if (s.status == SINTER_OK)
    ((int64_t *)device)[SINTER_DEVICE_MAGIC_WORD] = 0;
  return s.status;
}
