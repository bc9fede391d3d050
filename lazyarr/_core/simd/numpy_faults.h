/* Workarounds for bugs of NumPy's loops with certain layouts of operands. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>
#include "arith.h"

/* Negate elements of `size` bytes with NumPy's loop, one at a time where that loop errs: NumPy 2.4 takes neighbours in
 * place of elements that lie four of four bytes apart, or eight of eight, if its output is not contiguous. */
static inline void lz_negate(char **args, npy_intp const *n, npy_intp const *steps, const lz_arith *numpy, npy_intp size)
{
    const npy_intp one = 1;
    if ((steps[0] != size * size && steps[0] != -size * size) || steps[1] == size) {
        numpy->own(args, n, steps, numpy->data);
        return;
    }
    for (npy_intp i = 0; i < n[0]; i++) {
        char *at[2] = {args[0] + i * steps[0], args[1] + i * steps[1]};
        numpy->own(at, &one, steps, numpy->data);
    }
}

static void lz_negate_4(char **args, npy_intp const *n, npy_intp const *steps, void *data)
{
    lz_negate(args, n, steps, (const lz_arith *)data, 4);
}

static void lz_negate_8(char **args, npy_intp const *n, npy_intp const *steps, void *data)
{
    lz_negate(args, n, steps, (const lz_arith *)data, 8);
}

/* NumPy's loop that makes a bool of each float32 or float64, into a buffer where the result is not contiguous: NumPy
 * 2.4 mistakes the places of sixteen results at a time there. */
static void lz_classify(char **args, npy_intp const *n, npy_intp const *steps, void *data)
{
    const lz_arith *numpy = (const lz_arith *)data;
    const npy_intp apart[2] = {steps[0], 1};
    char buffer[256];
    npy_intp count;
    if (steps[1] == 1) {
        numpy->own(args, n, steps, numpy->data);
        return;
    }
    for (npy_intp done = 0; done < n[0]; done += count) {
        char *at[2] = {args[0] + done * steps[0], buffer};
        count = n[0] - done < (npy_intp)sizeof(buffer) ? n[0] - done : (npy_intp)sizeof(buffer);
        numpy->own(at, &count, apart, numpy->data);
        for (npy_intp i = 0; i < count; i++) args[1][(done + i) * steps[1]] = buffer[i];
    }
}

/* The fixed loop of an operation for a type, which gets NumPy's loop as its data; NULL where NumPy's is correct. */
static lz_inner lz_mended_loop(const char *name, int typenum, npy_intp size)
{
    static const char *const classes[] = {"isnan", "isinf", "isfinite", "signbit"};
    if (!strcmp(name, "negative")) return size == 4 ? lz_negate_4 : size == 8 ? lz_negate_8 : NULL;
    if (typenum != NPY_FLOAT && typenum != NPY_DOUBLE) return NULL;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (!strcmp(classes[i], name)) return lz_classify;
    return NULL;
}
