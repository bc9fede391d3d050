/* Results and attributes of CUDA's driver library that the mock knows. */
#ifndef CUDA_MOCK_RESULTS_H
#define CUDA_MOCK_RESULTS_H

#define RESULTS(ROW)                                                                                     \
    ROW(SUCCESS, 0, "no error")                                                                          \
    ROW(INVALID_VALUE, 1, "invalid argument")                                                            \
    ROW(OUT_OF_MEMORY, 2, "out of memory")                                                               \
    ROW(NOT_INITIALIZED, 3, "initialization error")                                                      \
    ROW(NO_DEVICE, 100, "no CUDA-capable device is detected")                                            \
    ROW(INVALID_DEVICE, 101, "invalid device ordinal")                                                   \
    ROW(INVALID_IMAGE, 200, "device kernel image is invalid")                                            \
    ROW(INVALID_CONTEXT, 201, "invalid device context")                                                  \
    ROW(NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")              \
    ROW(ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")                                   \
    ROW(INVALID_HANDLE, 400, "invalid resource handle")                                                  \
    ROW(NOT_FOUND, 500, "named symbol not found")                                                        \
    ROW(NOT_READY, 600, "device not ready")                                                              \
    ROW(ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                                \
    ROW(LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                         \
    ROW(LAUNCH_FAILED, 719, "unspecified launch failure")                                                \
    ROW(UNKNOWN, 999, "unknown error")

enum Result : int {
#define AS_ENUMERATOR(name, number, text) name = number,
    RESULTS(AS_ENUMERATOR)
#undef AS_ENUMERATOR
};

enum { /* CU_DEVICE_ATTRIBUTE_* */
    MAX_THREADS_PER_BLOCK = 1,
    MULTIPROCESSOR_COUNT = 16,
    COMPUTE_CAPABILITY_MAJOR = 75,
    COMPUTE_CAPABILITY_MINOR = 76,
    MEMORY_POOLS_SUPPORTED = 115
};

enum { DEVICE_ORDINAL = 9 }; /* CU_POINTER_ATTRIBUTE_* */

#endif
