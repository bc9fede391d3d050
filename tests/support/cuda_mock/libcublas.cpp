/* A mock of cuBLAS: products of matrices by loops, in the order of a stream. */
#include "library.h"

enum Status { SUCCESS, NOT_INITIALIZED, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum Type { FLOAT32, FLOAT64, COMPLEX64 = 4, COMPLEX128 };
enum Sums { FLOAT32_PEDANTIC = 69, FLOAT64_PEDANTIC = 71 };

HANDLES(cublasCreate_v2, cublasDestroy_v2, cublasSetStream_v2, NOT_INITIALIZED)

struct Matrix {
    Address address;
    int distance;
    long long stride;
};

template <class Element>
static int multiply(Handle *handle, bool left_turned, bool right_turned, int m, int n, int k, const void *alpha_at,
                    Matrix a, Matrix b, const void *beta_at, Matrix c, int count)
{
    const Element alpha = *static_cast<const Element *>(alpha_at), beta = *static_cast<const Element *>(beta_at);
    if (beta != Element(0)) return NOT_SUPPORTED;
    return enqueue(handle->stream, [=] {
        for (int number = 0; number < count; number++) {
            const size_t size = sizeof(Element);
            const Element *const left = matrix_at<Element>(a.address + number * a.stride * size, left_turned ? k : m,
                                                           left_turned ? m : k, a.distance);
            const Element *const right = matrix_at<Element>(b.address + number * b.stride * size, right_turned ? n : k,
                                                            right_turned ? k : n, b.distance);
            Element *const result = matrix_at<Element>(c.address + number * c.stride * size, m, n, c.distance);
            if (!left || !right || !result) return;
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < n; j++) {
                    Element sum = 0;
                    for (size_t l = 0; l < k; l++)
                        sum += left[left_turned ? l + i * a.distance : i + l * a.distance]
                             * right[right_turned ? j + l * b.distance : l + j * b.distance];
                    result[i + j * c.distance] = alpha * sum;
                }
        }
    });
}

API cublasGemmStridedBatchedEx(Handle *handle, int left_turned, int right_turned, int m, int n, int k, const void *alpha,
                               Address a, int a_type, int a_distance, long long a_stride,
                               Address b, int b_type, int b_distance, long long b_stride, const void *beta,
                               Address c, int c_type, int c_distance, long long c_stride,
                               int count, int sums, int algorithm)
{
    ENTER();
    if (!handles.has(handle)) return NOT_INITIALIZED;
    if (left_turned < 0 || left_turned > 1 || right_turned < 0 || right_turned > 1 || m < 0 || n < 0 || k < 0 || count < 0
        || a_distance < std::max(1, left_turned ? k : m) || b_distance < std::max(1, right_turned ? n : k)
        || c_distance < std::max(1, m) || algorithm != -1)
        return INVALID_VALUE;
    if (a_type != b_type || a_type != c_type || sums != (a_type % 4 ? FLOAT64_PEDANTIC : FLOAT32_PEDANTIC))
        return NOT_SUPPORTED;
    const Matrix left = {a, a_distance, a_stride}, right = {b, b_distance, b_stride}, result = {c, c_distance, c_stride};
    switch (c_type) {
#define AS_CASE(type, Element) \
    case type: return multiply<Element>(handle, left_turned, right_turned, m, n, k, alpha, left, right, beta, result, count);
        AS_CASE(FLOAT32, float)
        AS_CASE(FLOAT64, double)
        AS_CASE(COMPLEX64, std::complex<float>)
        AS_CASE(COMPLEX128, std::complex<double>)
#undef AS_CASE
    }
    return NOT_SUPPORTED;
}
