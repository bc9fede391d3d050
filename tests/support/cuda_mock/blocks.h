/* Runs the threads of a kernel's blocks on one thread of the processor.

   A block that waits at barriers has a stack for each of its threads; between two barriers they run one after another,
   forwards or backwards as it comes, so that a missing barrier shows. */
#ifndef CUDA_MOCK_BLOCKS_H
#define CUDA_MOCK_BLOCKS_H

#include <algorithm>
#include <csetjmp>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#include "interface.h"
#include "races.h"

namespace blocks {

constexpr size_t STACK = 128 << 10;

/* A thread of a block. It is kept for later blocks, in whose kernels it goes on. */
struct Fiber {
    ucontext_t beginning;
    jmp_buf place;
    void *stack;
    bool is_started = false, has_ended = false;
};

static std::vector<std::unique_ptr<Fiber>> &fibers = *new std::vector<std::unique_ptr<Fiber>>;
static Fiber *running;
static jmp_buf scheduler;
static const mock_kernel *kernel;
static void **arguments;
static std::minstd_rand random_bits;

/* Go on in the scheduler until it resumes the thread. */
static void wait()
{
    if (!_setjmp(running->place)) _longjmp(scheduler, 1);
}

static void body()
{
    for (;;) {
        kernel->call(arguments);
        running->has_ended = true;
        wait();
    }
}

static void resume(Fiber *fiber)
{
    running = fiber;
    if (_setjmp(scheduler)) return;
    if (fiber->is_started) _longjmp(fiber->place, 1);
    fiber->is_started = true;
    getcontext(&fiber->beginning);
    fiber->beginning.uc_stack.ss_sp = fiber->stack;
    fiber->beginning.uc_stack.ss_size = STACK;
    fiber->beginning.uc_link = nullptr;
    makecontext(&fiber->beginning, body, 0);
    setcontext(&fiber->beginning);
}

static mock_index at(mock_index extents, size_t number)
{
    return {unsigned(number % extents.x), unsigned(number / extents.x % extents.y),
            unsigned(number / extents.x / extents.y)};
}

static size_t volume(mock_index extents) { return size_t(extents.x) * extents.y * extents.z; }

/* Run the threads of a block until all have ended; false if some end where others wait. */
static bool run_together(mock_position *here)
{
    const size_t count = volume(here->block_size);
    while (fibers.size() < count) {
        fibers.push_back(std::make_unique<Fiber>());
        fibers.back()->stack =
            mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) fibers[i]->has_ended = false;
    while (!ended) {
        races::begin_interval();
        const bool is_backward = random_bits() & 1024;
        for (size_t i = 0; i < count; i++) {
            const size_t number = is_backward ? count - 1 - i : i;
            here->thread = at(here->block_size, number);
            resume(fibers[number].get());
            ended += fibers[number]->has_ended;
        }
    }
    if (ended < count)
        for (size_t i = 0; i < count; i++) fibers[i]->is_started = false;
    return ended == count;
}

/* Run a kernel; false if its threads disagree about barriers, or race. Only one runs at a time. */
static bool run(const mock_unit *unit, const mock_kernel *which, mock_index grid, mock_index block, void **with)
{
    mock_position *const here = unit->position;
    const size_t count = volume(grid), threads = volume(block);
    const bool is_backward = random_bits() & 1024;
    kernel = which, arguments = with;
    here->grid = grid, here->block_size = block, here->barrier = wait;
    races::begin_launch(unit, which->name);
    for (size_t i = 0; i < count; i++) {
        here->block = at(grid, is_backward ? count - 1 - i : i);
        if (unit->has_barriers) {
            if (!run_together(here)) return false;
            continue;
        }
        races::begin_interval();
        for (size_t thread = 0; thread < threads; thread++) {
            here->thread = at(block, thread);
            kernel->call(arguments);
        }
    }
    return races::report.empty();
}

} // namespace blocks

#endif
