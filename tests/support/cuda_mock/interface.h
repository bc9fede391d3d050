/* What compiled kernels and the mock of libcuda know of each other. */
#ifndef CUDA_MOCK_INTERFACE_H
#define CUDA_MOCK_INTERFACE_H

#include <cstddef>

struct mock_index {
    unsigned x, y, z;
};

/* Where a thread is in the launch. Kernels run one at a time, so that there is one for each shared object. */
struct mock_position {
    mock_index thread, block, block_size, grid;
    void (*barrier)();
    void (*access)(const void *at, size_t size, int kind, const void *instruction); /* 0 reads, 1 writes, 2 is atomic */
};

struct mock_parameter {
    size_t size;
    bool is_pointer;
};

struct mock_kernel {
    const char *name;
    void (*call)(void **arguments); /* pointers to them, as cuLaunchKernel gets them */
    const mock_parameter *parameters;
    size_t nparameters;
};

/* What the symbol `mock_kernels` of a shared object is. */
struct mock_unit {
    mock_position *position;
    const mock_kernel *kernels;
    size_t nkernels;
    bool has_barriers;
    bool is_ptx;
    int architecture; /* 10 * major + minor */
    /* For units that report accesses, else null: where shared memory lies, the text, and the object's file. */
    const char *shared, *shared_end, *text, *file;
};

#endif
