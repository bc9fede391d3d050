/* Linear algebra in double precision, by plain algorithms; matrices lie column by column. */
#ifndef CUDA_MOCK_LINEAR_ALGEBRA_H
#define CUDA_MOCK_LINEAR_ALGEBRA_H

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

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

struct Decomposition {
    std::vector<double> values;
    Matrix left, right; /* a = left diag(values) right^H */
};

/* Singular values in descending order, by rotations that make columns orthogonal; with vectors, as many as columns. */
static Decomposition decompose(Matrix a)
{
    Matrix turned(a.columns, a.columns);
    for (size_t i = 0; i < a.columns; i++) turned(i, i) = 1;
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
                for (Matrix *matrix : {&a, &turned})
                    for (size_t i = 0; i < matrix->rows; i++) {
                        const Number x = (*matrix)(i, p), y = (*matrix)(i, q) / phase;
                        (*matrix)(i, p) = cosine * x - sine * y, (*matrix)(i, q) = sine * x + cosine * y;
                    }
            }
    std::vector<double> sizes(a.columns);
    std::vector<size_t> order(a.columns);
    for (size_t j = 0; j < a.columns; j++) {
        order[j] = j;
        for (size_t i = 0; i < a.rows; i++) sizes[j] += std::norm(a(i, j));
        sizes[j] = std::sqrt(sizes[j]);
    }
    std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return sizes[i] > sizes[j]; });
    Decomposition found = {{}, Matrix(a.rows, a.columns), Matrix(a.columns, a.columns)};
    for (size_t j = 0; j < a.columns; j++) {
        const size_t from = order[j];
        found.values.push_back(sizes[from]);
        if (sizes[from] > 1e-13 * sizes[order[0]]) /* others are noise */
            for (size_t i = 0; i < a.rows; i++) found.left(i, j) = a(i, from) / sizes[from];
        for (size_t i = 0; i < a.columns; i++) found.right(i, j) = turned(i, from);
    }
    return found;
}

/* Eigenvalues in ascending order, and vectors in a: singular ones of what is moved so far that all values are positive. */
static std::vector<double> eigenvalues(Matrix &a)
{
    double size = 0;
    for (const Number &x : a.numbers) size += std::abs(x);
    for (size_t i = 0; i < a.rows; i++) a(i, i) += size;
    Decomposition found = decompose(a);
    for (size_t j = 0; j < a.columns; j++)
        for (size_t i = 0; i < a.rows; i++) a(i, j) = found.right(i, a.columns - 1 - j);
    for (double &value : found.values) value -= size;
    std::reverse(found.values.begin(), found.values.end());
    return found.values;
}

/* Make columns that are 0, and those from `count` on, unit vectors that are orthogonal to all before. */
static void complete(Matrix &a, size_t count)
{
    for (size_t j = 0; j < a.columns; j++) {
        double size = 0;
        for (size_t i = 0; i < a.rows && j < count; i++) size += std::norm(a(i, j));
        for (size_t unit = 0; size < 0.5; unit++) {
            for (size_t i = 0; i < a.rows; i++) a(i, j) = i == unit;
            for (int twice = 0; twice < 2; twice++)
                for (size_t k = 0; k < a.columns; k++) {
                    if (k == j || k > j && k >= count) continue;
                    Number along = 0;
                    for (size_t i = 0; i < a.rows; i++) along += std::conj(a(i, k)) * a(i, j);
                    for (size_t i = 0; i < a.rows; i++) a(i, j) -= along * a(i, k);
                }
            size = 0;
            for (size_t i = 0; i < a.rows; i++) size += std::norm(a(i, j));
            for (size_t i = 0; i < a.rows; i++) a(i, j) /= std::sqrt(size);
            size = size > 1e-6 ? 1 : 0;
        }
    }
}

/* Replace a matrix by a triangle, and below it the vectors of reflections 1 - factor v v^H, of which v[k] is 1. */
static void reflect(Matrix &a, std::vector<Number> &factors)
{
    for (size_t k = 0; k < std::min(a.rows, a.columns); k++) {
        double rest = 0;
        for (size_t i = k + 1; i < a.rows; i++) rest += std::norm(a(i, k));
        const Number first = a(k, k);
        factors.push_back(0);
        if (rest == 0 && first.imag() == 0) continue;
        const double size = std::sqrt(std::norm(first) + rest), to = first.real() > 0 ? -size : size;
        factors[k] = (to - first) / to;
        for (size_t i = k + 1; i < a.rows; i++) a(i, k) /= first - to;
        a(k, k) = to;
        for (size_t j = k + 1; j < a.columns; j++) {
            Number along = a(k, j);
            for (size_t i = k + 1; i < a.rows; i++) along += std::conj(a(i, k)) * a(i, j);
            along *= std::conj(factors[k]);
            a(k, j) -= along;
            for (size_t i = k + 1; i < a.rows; i++) a(i, j) -= a(i, k) * along;
        }
    }
}

/* The first columns of a product of reflections, which are below the diagonal of a. */
static Matrix multiply_reflections(Matrix &a, const std::vector<Number> &factors)
{
    Matrix made(a.rows, a.columns);
    for (size_t j = 0; j < a.columns; j++) made(j, j) = 1;
    for (size_t k = factors.size(); k-- > 0;)
        for (size_t j = 0; j < a.columns; j++) {
            Number along = made(k, j);
            for (size_t i = k + 1; i < a.rows; i++) along += std::conj(a(i, k)) * made(i, j);
            along *= factors[k];
            made(k, j) -= along;
            for (size_t i = k + 1; i < a.rows; i++) made(i, j) -= a(i, k) * along;
        }
    return made;
}

#endif
