/*===- launch.inc.c - tasks of a kernel over the caller's workers -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

struct sinter_job {
  const struct sinter_call *call;
  const struct sinter_kernel *kernel;
  const int64_t *args;
  int64_t step, tasks;
  int32_t count;
};

/* Worker i of count takes the i-th of `count` contiguous parts: which tasks run
   together never changes what a task computes, only where it runs. */
static void sinter_work(void *argument, int32_t i) {
  const struct sinter_job *job = argument;
  if (i < 0 || i >= job->count)
    return;
  int64_t share = job->tasks / job->count, rest = job->tasks % job->count;
  int64_t begin = share * i + (i < rest ? i : rest);
  int64_t end = begin + share + (i < rest);
  char *scratch = job->call->scratch + i * job->call->scratch_bytes;
  uint32_t mode = sinter_get_mode();
  sinter_set_mode((uint32_t)job->call->mxcsr);
  for (int64_t task = begin; task < end; task++)
    job->kernel->body(job->args, job->step, task, scratch);
  sinter_set_mode(mode);
}

static void sinter_run_step(const struct sinter_call *call,
                            const struct sinter_kernel *kernel,
                            const int64_t *args, int64_t step) {
  const sinter_exec *exec = call->exec;
  int64_t tasks = kernel->tasks ? kernel->tasks(args, step) : 1;
  if (!exec || exec->workers == 1 || tasks <= 1) {
    for (int64_t task = 0; task < tasks; task++)
      kernel->body(args, step, task, call->scratch);
    return;
  }
  struct sinter_job job = {call, kernel, args, step, tasks, exec->workers};
  if (tasks < job.count)
    job.count = (int32_t)tasks;
  exec->run(exec->context, job.count, sinter_work, &job);
}

void sinter_launch(struct sinter_call *call, const struct sinter_kernel *kernel,
                   const int64_t *args) {
  const sinter_exec *exec = call->exec;
  if (exec && exec->trace)
    exec->trace(exec->context, (int32_t)kernel->index, 0);
  int64_t steps = kernel->steps ? kernel->steps(args) : 1;
  for (int64_t step = 0; step < steps; step++)
    sinter_run_step(call, kernel, args, step);
  if (exec && exec->trace)
    exec->trace(exec->context, (int32_t)kernel->index, 1);
}
