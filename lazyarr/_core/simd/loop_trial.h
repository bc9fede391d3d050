/* Compare a loop of ours over float64 with NumPy's on trial points: bits and status flags. */
#pragma once

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "arith.h"

enum { LZ_TRIAL = 64 };

typedef struct {
    lz_inner ours;
    const lz_arith *numpy;
    int nin, agree, n; /* operands; whether the loops have agreed so far; points to compare */
    double x[LZ_TRIAL], y[LZ_TRIAL];
    npy_uint64 random;
} lz_trial;

static double lz_double_of_bits(npy_uint64 bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Run a loop on the points, second operands `stride` bytes apart; return the flags that it raises. The loop is
 * volatile: its arithmetic has to stay between clearing and reading the status. */
static int lz_trial_run(lz_trial *t, lz_inner volatile loop, void *data, double *z, npy_intp stride)
{
    char *args[3] = {(char *)t->x, t->nin == 1 ? (char *)z : (char *)t->y, (char *)z};
    const npy_intp n = t->n, size = sizeof(double), strides[3] = {size, t->nin == 1 ? size : stride, size};
    feclearexcept(FE_ALL_EXCEPT);
    loop(args, &n, strides, data);
    return fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
}

/* Compare the loops on the points, and forget these. */
static void lz_trial_compare(lz_trial *t, npy_intp stride)
{
    double ours[LZ_TRIAL], theirs[LZ_TRIAL];
    if (t->agree && t->n)
        t->agree = lz_trial_run(t, t->numpy->own, t->numpy->data, theirs, stride) ==
                       lz_trial_run(t, t->ours, (void *)t->numpy, ours, stride) &&
                   !memcmp(ours, theirs, t->n * sizeof(double));
    t->n = 0;
}

static void lz_trial_put(lz_trial *t, double x, double y)
{
    t->x[t->n] = x;
    t->y[t->n++] = y;
    if (t->n == LZ_TRIAL) lz_trial_compare(t, sizeof(double));
}

/* A random number in [0, 1). */
static double lz_trial_random(lz_trial *t)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u; /* D. Knuth's MMIX */
    return (double)(t->random >> 11) * 0x1p-53;
}

/* A random number in [2^least, 2^(least + range)), every exponent alike. */
static double lz_trial_of_size(lz_trial *t, int least, int range)
{
    const double fraction = lz_trial_random(t);
    return ldexp(1 + fraction, least + (int)(lz_trial_random(t) * range));
}
