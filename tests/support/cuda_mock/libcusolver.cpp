/* A mock of cuSOLVER: linear algebra by plain algorithms, in the order of a stream.

   Matrices lie column by column. What a routine does not use, or has used, holds NaN afterwards. */
#include <limits>

#include "library.h"
#include "linear_algebra.h"

enum Status { SUCCESS, NOT_INITIALIZED, INVALID_VALUE = 3, NOT_SUPPORTED = 9 };
enum Type { FLOAT32, FLOAT64, COMPLEX64 = 4, COMPLEX128 };
enum { LOWER, UPPER };
enum { AS_IT_IS, TRANSPOSED };

constexpr size_t DEVICE_BYTES = 100, HOST_BYTES = 50;

static Known<Handle> &parameters = *new Known<Handle>;

HANDLES(cusolverDnCreate, cusolverDnDestroy, cusolverDnSetStream, NOT_INITIALIZED)

API cusolverDnCreateParams(Handle **made)
{
    ENTER();
    *made = parameters.add(new Handle);
    return SUCCESS;
}

API cusolverDnDestroyParams(Handle *made)
{
    ENTER();
    return parameters.remove(made) ? SUCCESS : INVALID_VALUE;
}

/* ---- memory ---- */

template <class Element>
static Matrix load(const Element *at, size_t rows, size_t columns, size_t distance)
{
    Matrix made(rows, columns);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) made(i, j) = at[i + j * distance];
    return made;
}

static void assign(float &to, Number x) { to = x.real(); }
static void assign(double &to, Number x) { to = x.real(); }
template <class Real>
static void assign(std::complex<Real> &to, Number x) { to = std::complex<Real>(x); }

template <class Element>
static void store(Element *at, Matrix &from, size_t distance)
{
    for (size_t j = 0; j < from.columns; j++)
        for (size_t i = 0; i < from.rows; i++) assign(at[i + j * distance], from(i, j));
}

/* Run a task for a type, in the stream of a handle, with its work area and where its info goes. */
struct Routine {
    Handle *handle, *parameters;
    int type, sums;
    Address area;
    size_t on_device;
    const void *on_host;
    size_t host_bytes;
    Address info;
};

template <class Task>
static int run(const Routine &routine, Task task)
{
    if (!handles.has(routine.handle) || !parameters.has(routine.parameters)) return NOT_INITIALIZED;
    if (routine.sums != routine.type) return NOT_SUPPORTED;
    if (routine.on_device < DEVICE_BYTES || routine.host_bytes < HOST_BYTES || !routine.on_host) return INVALID_VALUE;
    return enqueue(routine.handle->stream, [=] {
        char *const area = mock_memory(routine.area, routine.on_device);
        int *const info = matrix_at<int>(routine.info, 1, 1, 1);
        if (!area || !info) return;
        std::fill_n(area, routine.on_device, 7);
        switch (routine.type) {
        case FLOAT32: *info = task(float()); break;
        case FLOAT64: *info = task(double()); break;
        case COMPLEX64: *info = task(std::complex<float>()); break;
        case COMPLEX128: *info = task(std::complex<double>()); break;
        }
    });
}

static int sizes(Handle *handle, Handle *with, size_t *on_device, size_t *on_host)
{
    if (!handles.has(handle) || !parameters.has(with)) return NOT_INITIALIZED;
    *on_device = DEVICE_BYTES, *on_host = HOST_BYTES;
    return SUCCESS;
}

static const double NOTHING = std::numeric_limits<double>::quiet_NaN();

/* The matrix whose triangle is given, as a lower triangle; its conjugate if that was the upper one. Imaginary parts of
   the diagonal do not count. */
static void turn(Matrix &a, int triangle)
{
    for (size_t j = 0; j < a.rows; j++) {
        a(j, j) = a(j, j).real();
        for (size_t i = j + 1; i < a.rows; i++) {
            if (triangle == UPPER) a(i, j) = a(j, i);
            a(j, i) = NOTHING;
        }
    }
}

#define AREAS int sums, Address area, size_t on_device, void *on_host, size_t host_bytes, Address info
#define ROUTINE(type) {handle, with, type, sums, area, on_device, on_host, host_bytes, info}

API cusolverDnXpotrf_bufferSize(Handle *handle, Handle *with, int, int64_t, int, Address, int64_t, int, size_t *on_device,
                                size_t *on_host)
{
    ENTER();
    return sizes(handle, with, on_device, on_host);
}

API cusolverDnXpotrf(Handle *handle, Handle *with, int triangle, int64_t n, int type, Address at, int64_t distance, AREAS)
{
    ENTER();
    if (n < 0 || distance < n) return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, n, n, distance);
        if (!memory) return 0;
        Matrix a = load(memory, n, n, distance);
        turn(a, triangle);
        const int failed = factor_symmetric(a);
        if (triangle == UPPER)
            for (size_t j = 0; j < n; j++)
                for (size_t i = j + 1; i < n; i++) std::swap(a(i, j), a(j, i));
        store(memory, a, distance);
        return failed;
    });
}

API cusolverDnXgetrf_bufferSize(Handle *handle, Handle *with, int64_t, int64_t, int, Address, int64_t, int,
                                size_t *on_device, size_t *on_host)
{
    ENTER();
    return sizes(handle, with, on_device, on_host);
}

API cusolverDnXgetrf(Handle *handle, Handle *with, int64_t m, int64_t n, int type, Address at, int64_t distance,
                     Address exchanged, AREAS)
{
    ENTER();
    if (m != n || distance < m) return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, n, n, distance);
        int64_t *const rows = matrix_at<int64_t>(exchanged, n, 1, n);
        if (!memory || !rows) return 0;
        Matrix a = load(memory, n, n, distance);
        const int failed = factor(a, rows);
        store(memory, a, distance);
        return failed;
    });
}

API cusolverDnXgetrs(Handle *handle, Handle *with, int form, int64_t n, int64_t sides, int type, Address at,
                     int64_t distance, Address exchanged, int right_type, Address right, int64_t right_distance,
                     Address info)
{
    ENTER();
    if (form != AS_IT_IS && form != TRANSPOSED || distance < n || right_distance < n || right_type != type)
        return INVALID_VALUE;
    const char host[HOST_BYTES] = {};
    const Routine routine = {handle, with, type, type, at, DEVICE_BYTES, host, HOST_BYTES, info};
    if (!handles.has(handle) || !parameters.has(with)) return NOT_INITIALIZED;
    return enqueue(handle->stream, [=] {
        int *const found = matrix_at<int>(info, 1, 1, 1);
        int64_t *const rows = matrix_at<int64_t>(exchanged, n, 1, n);
        const auto task = [=](auto element) {
            auto *const memory = matrix_at<decltype(element)>(at, n, n, distance);
            auto *const right_memory = matrix_at<decltype(element)>(right, n, sides, right_distance);
            if (!memory || !right_memory || !found || !rows) return;
            Matrix a = load(memory, n, n, distance), b = load(right_memory, n, sides, right_distance);
            solve(a, rows, b, form == TRANSPOSED);
            store(right_memory, b, right_distance);
            *found = 0;
        };
        switch (type) {
        case FLOAT32: return task(float());
        case FLOAT64: return task(double());
        case COMPLEX64: return task(std::complex<float>());
        case COMPLEX128: return task(std::complex<double>());
        }
    });
}

API cusolverDnXsyevd_bufferSize(Handle *handle, Handle *with, int, int, int64_t, int, Address, int64_t, int, Address, int,
                                size_t *on_device, size_t *on_host)
{
    ENTER();
    return sizes(handle, with, on_device, on_host);
}

/* Store real values. */
template <class Element>
static void store_values(Element, Address at, const std::vector<double> &values)
{
    typedef decltype(std::abs(Element())) Real;
    Real *const target = matrix_at<Real>(at, values.size(), 1, values.size());
    if (target) std::copy(values.begin(), values.end(), target);
}

static void fill(Matrix &a, double value) { std::fill(a.numbers.begin(), a.numbers.end(), value); }

API cusolverDnXsyevd(Handle *handle, Handle *with, int with_vectors, int triangle, int64_t n, int type, Address at,
                     int64_t distance, int value_type, Address values, AREAS)
{
    ENTER();
    if (with_vectors < 0 || with_vectors > 1 || value_type != type % 4 || distance < n) return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, n, n, distance);
        if (!memory) return 0;
        Matrix a = load(memory, n, n, distance);
        turn(a, triangle);
        for (size_t j = 0; j < n; j++)
            for (size_t i = j + 1; i < n; i++)
                if (triangle == UPPER) a(j, i) = a(i, j), a(i, j) = std::conj(a(i, j));
                else a(j, i) = std::conj(a(i, j));
        store_values(element, values, eigenvalues(a));
        if (!with_vectors) fill(a, NOTHING);
        store(memory, a, distance);
        return 0;
    });
}

API cusolverDnXgesvd_bufferSize(Handle *handle, Handle *with, signed char, signed char, int64_t, int64_t, int, Address,
                                int64_t, int, Address, int, Address, int64_t, int, Address, int64_t, int,
                                size_t *on_device, size_t *on_host)
{
    ENTER();
    return sizes(handle, with, on_device, on_host);
}

API cusolverDnXgesvd(Handle *handle, Handle *with, signed char left, signed char right, int64_t m, int64_t n, int type,
                     Address at, int64_t distance, int value_type, Address values, int left_type, Address left_at,
                     int64_t left_distance, int right_type, Address right_at, int64_t right_distance, AREAS)
{
    ENTER();
    const bool has_vectors = left != 'N';
    if (left != right || has_vectors && left != 'S' && left != 'A' || value_type != type % 4 || left_type != type
        || right_type != type || m < n || distance < m || left_distance < (has_vectors ? m : 1)
        || right_distance < (has_vectors ? n : 1))
        return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, m, n, distance);
        if (!memory) return 0;
        Matrix a = load(memory, m, n, distance);
        const Decomposition found = decompose(a);
        store_values(element, values, found.values);
        fill(a, NOTHING);
        store(memory, a, distance);
        if (!has_vectors) return 0;
        Matrix u(m, left == 'A' ? m : n), v(n, n);
        std::copy(found.left.numbers.begin(), found.left.numbers.end(), u.numbers.begin());
        complete(u, n);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) v(i, j) = std::conj(found.right.numbers[j + i * n]);
        auto *const to_left = matrix_at<decltype(element)>(left_at, m, u.columns, left_distance);
        auto *const to_right = matrix_at<decltype(element)>(right_at, n, n, right_distance);
        if (!to_left || !to_right) return 0;
        store(to_left, u, left_distance);
        store(to_right, v, right_distance);
        return 0;
    });
}

API cusolverDnXgeqrf_bufferSize(Handle *handle, Handle *with, int64_t, int64_t, int, Address, int64_t, int, Address, int,
                                size_t *on_device, size_t *on_host)
{
    ENTER();
    return sizes(handle, with, on_device, on_host);
}

API cusolverDnXgeqrf(Handle *handle, Handle *with, int64_t m, int64_t n, int type, Address at, int64_t distance,
                     int factor_type, Address factors_at, AREAS)
{
    ENTER();
    if (factor_type != type || distance < m) return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, m, n, distance);
        const size_t count = std::min(m, n);
        auto *const to_factors = matrix_at<decltype(element)>(factors_at, count, 1, count);
        if (!memory || !to_factors) return 0;
        Matrix a = load(memory, m, n, distance), factors(count, 1);
        factors.numbers.clear();
        reflect(a, factors.numbers);
        store(memory, a, distance);
        store(to_factors, factors, count);
        return 0;
    });
}

template <class Element>
static int multiply_reflections(Handle *handle, int m, int n, int k, Address at, int distance, Address factors_at,
                                Address area, int length, Address info)
{
    if (!handles.has(handle)) return NOT_INITIALIZED;
    if (n > m || k > n || k < 0 || distance < m || length < DEVICE_BYTES) return INVALID_VALUE;
    return enqueue(handle->stream, [=] {
        Element *const memory = matrix_at<Element>(at, m, n, distance), *const used = matrix_at<Element>(area, length, 1, length);
        const Element *const factors = matrix_at<Element>(factors_at, k, 1, k);
        int *const found = matrix_at<int>(info, 1, 1, 1);
        if (!memory || !used || !factors || !found) return;
        std::fill_n(used, length, 7);
        Matrix a = load(memory, m, n, distance);
        Matrix made = multiply_reflections(a, std::vector<Number>(factors, factors + k));
        store(memory, made, distance);
        *found = 0;
    });
}

#define REFLECTIONS(name, Element)                                                                                  \
    API name##_bufferSize(Handle *handle, int m, int n, int k, Address, int, Address, int *length)                  \
    {                                                                                                               \
        ENTER();                                                                                                    \
        *length = DEVICE_BYTES;                                                                                     \
        return handles.has(handle) ? SUCCESS : NOT_INITIALIZED;                                                     \
    }                                                                                                               \
    API name(Handle *handle, int m, int n, int k, Address at, int distance, Address factors, Address area,          \
             int length, Address info)                                                                              \
    {                                                                                                               \
        ENTER();                                                                                                    \
        return multiply_reflections<Element>(handle, m, n, k, at, distance, factors, area, length, info);           \
    }
REFLECTIONS(cusolverDnSorgqr, float)
REFLECTIONS(cusolverDnDorgqr, double)
REFLECTIONS(cusolverDnCungqr, std::complex<float>)
REFLECTIONS(cusolverDnZungqr, std::complex<double>)
