/*===- cuda_driver.inc.c - errors of the driver, memory, launches -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

/* The error status of a check of the device's. */
static int32_t sinter_device_fail(const struct sinter_model *model,
                                  int64_t check) {
  return sinter_fail(model, model->device_checks + check);
}

/* The driver as the application gives it; NULL: none, or one whose table is
   older than this object and has less. */
static const sinter_cuda *sinter_driver(void) {
  const sinter_cuda *driver = sinter_cuda_driver();
  return driver && driver->size >= sizeof *driver ? driver : 0;
}

/* What is said on one stream: the first error stays. */
struct sinter_stream {
  const struct sinter_model *model;
  const sinter_cuda *driver;
  void *stream;
  int32_t status;
};

static struct sinter_stream sinter_use_stream(const struct sinter_model *model,
                                              void *stream) {
  struct sinter_stream s = {model, sinter_driver(), stream, SINTER_OK};
  if (!s.driver)
    s.status = sinter_device_fail(model, SINTER_DEVICE_DRIVER);
  return s;
}

/* Takes note of what the driver returned. */
static void sinter_note(struct sinter_stream *s, int error) {
  if (error != 0 && s->status == SINTER_OK)
    s->status = -(int32_t)((SINTER_DEVICE_ERROR + error) * 256 + SINTER_DEVICE);
}

static uint64_t sinter_address(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

/* To the host; done when this returns. */
static void sinter_download(struct sinter_stream *s, void *to, const void *from,
                            int64_t bytes) {
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuMemcpyDtoHAsync(to, sinter_address(from),
                                                (size_t)bytes, s->stream));
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuStreamSynchronize(s->stream));
}

/* To the device; done when this returns. */
static void sinter_upload(struct sinter_stream *s, void *to, const void *from,
                          int64_t bytes) {
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuMemcpyHtoDAsync(sinter_address(to), from,
                                                (size_t)bytes, s->stream));
  if (s->status == SINTER_OK)
    sinter_note(s, s->driver->cuStreamSynchronize(s->stream));
}

static void sinter_copy(struct sinter_stream *s, void *to, const void *from,
                        int64_t bytes) {
  if (s->status == SINTER_OK && bytes > 0)
    sinter_note(s, s->driver->cuMemcpyDtoDAsync(sinter_address(to),
                                                sinter_address(from),
                                                (size_t)bytes, s->stream));
}

static void sinter_clear(struct sinter_stream *s, void *to, int64_t bytes) {
  if (s->status == SINTER_OK && bytes > 0)
    sinter_note(s, s->driver->cuMemsetD8Async(sinter_address(to), 0,
                                              (size_t)bytes, s->stream));
}

static const struct sinter_device_kernel *
sinter_device_kernel(const struct sinter_model *model, int64_t index) {
  return (const void *)model->kernels[index];
}

/* Kernel `index` of an open device; `args` holds its launch slots. At most
   INT32_MAX blocks. */
static void sinter_launch_blocks(struct sinter_stream *s, const int64_t *device,
                                 int64_t index, const int64_t *args,
                                 int64_t step, const void *status,
                                 const void *scratch, int64_t blocks) {
  const struct sinter_device_kernel *kernel =
      sinter_device_kernel(s->model, index);
  if (s->status != SINTER_OK || blocks <= 0)
    return;
  void *function = (void *)device[SINTER_DEVICE_KERNELS_WORD + 2 * index + 1];
  void *parameters[] = {(void *)args, &step, &status, &scratch};
  sinter_note(s, s->driver->cuLaunchKernel(function, (unsigned)blocks, 1, 1,
                                           (unsigned)kernel->threads, 1, 1,
                                           (unsigned)kernel->shared_bytes,
                                           s->stream, parameters, 0));
}

/* The kernel that serves sessions. */
static void sinter_launch_session(struct sinter_stream *s,
                                  const int64_t *device, const int64_t *words,
                                  int64_t step, const void *status,
                                  int64_t blocks) {
  sinter_launch_blocks(s, device, s->model->kernel_count, words, step, status,
                       0, blocks);
}
