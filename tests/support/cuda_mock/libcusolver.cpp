/* A mock of cuSOLVER: linear algebra by plain algorithms, in the order of a stream.

   Matrices lie column by column. What a routine does not use, or has used, holds NaN afterwards. */
#include <cmath>
#include <limits>

#include "library.h"

enum Status { SUCCESS, NOT_INITIALIZED, INVALID_VALUE = 3, NOT_SUPPORTED = 9 };
enum Type { FLOAT32, FLOAT64, COMPLEX64 = 4, COMPLEX128 };
enum { LOWER, UPPER };
enum { AS_IT_IS, TRANSPOSED };

constexpr size_t DEVICE_BYTES = 100, HOST_BYTES = 50;

static Known<Handle> &handles = *new Known<Handle>, &parameters = *new Known<Handle>;

API cusolverDnCreate(Handle **handle)
{
    ENTER();
    *handle = handles.add(new Handle);
    return SUCCESS;
}

API cusolverDnDestroy(Handle *handle)
{
    ENTER();
    return handles.remove(handle) ? SUCCESS : NOT_INITIALIZED;
}

API cusolverDnSetStream(Handle *handle, void *stream)
{
    ENTER();
    if (!handles.has(handle)) return NOT_INITIALIZED;
    handle->stream = stream;
    return SUCCESS;
}

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

/* ---- algorithms, in double precision ---- */

typedef std::complex<double> Number;

struct Matrix {
    size_t rows, columns;
    std::vector<Number> numbers;

    Matrix(size_t rows, size_t columns) : rows(rows), columns(columns), numbers(rows * columns) {}
    Number &operator()(size_t i, size_t j) { return numbers[i + j * rows]; }
};

/* Replace a lower triangle by that of its factor; the row that has no root, counted from 1, or 0. */
static int factor_symmetric(Matrix &a)
{
    for (size_t j = 0; j < a.rows; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < a.rows; i++) a(i, j) -= a(i, k) * std::conj(a(j, k));
        if (!(a(j, j).real() > 0)) return j + 1;
        const double root = std::sqrt(a(j, j).real());
        for (size_t i = j; i < a.rows; i++) a(i, j) /= root;
    }
    return 0;
}

/* Replace a matrix by its triangular factors; the first pivot that is 0, counted from 1, or 0. */
static int factor(Matrix &a, int64_t *exchanged)
{
    int info = 0;
    for (size_t k = 0; k < a.rows; k++) {
        size_t pivot = k;
        for (size_t i = k; i < a.rows; i++)
            if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
        exchanged[k] = pivot + 1;
        if (a(pivot, k) == 0.0) {
            if (!info) info = k + 1;
            continue;
        }
        for (size_t j = 0; j < a.rows; j++) std::swap(a(k, j), a(pivot, j));
        for (size_t i = k + 1; i < a.rows; i++) {
            a(i, k) /= a(k, k);
            for (size_t j = k + 1; j < a.rows; j++) a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return info;
}

static void solve(Matrix &a, const int64_t *exchanged, Matrix &b, bool is_transposed)
{
    const size_t n = a.rows;
    for (size_t side = 0; side < b.columns; side++) {
        if (!is_transposed) {
            for (size_t i = 0; i < n; i++) std::swap(b(i, side), b(exchanged[i] - 1, side));
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < i; j++) b(i, side) -= a(i, j) * b(j, side);
            for (size_t i = n; i-- > 0; b(i, side) /= a(i, i))
                for (size_t j = i + 1; j < n; j++) b(i, side) -= a(i, j) * b(j, side);
        } else {
            for (size_t i = 0; i < n; b(i, side) /= a(i, i), i++)
                for (size_t j = 0; j < i; j++) b(i, side) -= a(j, i) * b(j, side);
            for (size_t i = n; i-- > 0;)
                for (size_t j = i + 1; j < n; j++) b(i, side) -= a(j, i) * b(j, side);
            for (size_t i = n; i-- > 0;) std::swap(b(i, side), b(exchanged[i] - 1, side));
        }
    }
}

/* Singular values in descending order, by rotations that make columns orthogonal. */
static std::vector<double> singular_values(Matrix a)
{
    for (int sweep = 0; sweep < 60; sweep++)
        for (size_t p = 0; p < a.columns; p++)
            for (size_t q = p + 1; q < a.columns; q++) {
                double left = 0, right = 0;
                Number both = 0;
                for (size_t i = 0; i < a.rows; i++) {
                    left += std::norm(a(i, p)), right += std::norm(a(i, q));
                    both += std::conj(a(i, p)) * a(i, q);
                }
                if (std::abs(both) == 0) continue;
                const double ratio = (right - left) / (2 * std::abs(both));
                const double tangent = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::sqrt(1 + ratio * ratio));
                const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
                const Number phase = both / std::abs(both);
                for (size_t i = 0; i < a.rows; i++) {
                    const Number x = a(i, p), y = a(i, q) / phase;
                    a(i, p) = cosine * x - sine * y, a(i, q) = (sine * x + cosine * y);
                }
            }
    std::vector<double> found(a.columns);
    for (size_t j = 0; j < a.columns; j++) {
        for (size_t i = 0; i < a.rows; i++) found[j] += std::norm(a(i, j));
        found[j] = std::sqrt(found[j]);
    }
    std::sort(found.rbegin(), found.rend());
    return found;
}

/* Eigenvalues in ascending order: singular values of what is moved so far that all are positive. */
static std::vector<double> eigenvalues(Matrix a)
{
    double size = 0;
    for (const Number &x : a.numbers) size += std::abs(x);
    for (size_t i = 0; i < a.rows; i++) a(i, i) += size;
    std::vector<double> found = singular_values(a);
    for (double &value : found) value -= size;
    std::reverse(found.begin(), found.end());
    return found;
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

/* Store real values, and NaN where the matrix was. */
template <class Element>
static int store_values(Element *memory, Matrix &a, size_t distance, Address at, const std::vector<double> &values)
{
    typedef decltype(std::abs(Element())) Real;
    Real *const target = matrix_at<Real>(at, values.size(), 1, values.size());
    if (target) std::copy(values.begin(), values.end(), target);
    std::fill(a.numbers.begin(), a.numbers.end(), NOTHING);
    store(memory, a, distance);
    return 0;
}

API cusolverDnXsyevd(Handle *handle, Handle *with, int with_vectors, int triangle, int64_t n, int type, Address at,
                     int64_t distance, int value_type, Address values, AREAS)
{
    ENTER();
    if (with_vectors || value_type != type % 4 || distance < n) return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, n, n, distance);
        if (!memory) return 0;
        Matrix a = load(memory, n, n, distance);
        turn(a, triangle);
        for (size_t j = 0; j < n; j++)
            for (size_t i = j + 1; i < n; i++) a(j, i) = std::conj(a(i, j));
        return store_values(memory, a, distance, values, eigenvalues(a));
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
                     Address at, int64_t distance, int value_type, Address values, int, Address, int64_t left_distance,
                     int, Address, int64_t right_distance, AREAS)
{
    ENTER();
    if (left != 'N' || right != 'N' || value_type != type % 4 || m < n || distance < m || left_distance < 1
        || right_distance < 1)
        return INVALID_VALUE;
    return run(ROUTINE(type), [=](auto element) {
        auto *const memory = matrix_at<decltype(element)>(at, m, n, distance);
        if (!memory) return 0;
        Matrix a = load(memory, m, n, distance);
        return store_values(memory, a, distance, values, singular_values(a));
    });
}
