/* The loops over float64 of 256-bit vectors, each if it gives the bits and the status flags of NumPy's on this machine.
 *
 * They are compared on several thousand random points of every size, and on values that raise flags. Random points
 * would seldom notice a product and a sum that one build of libm fuses and another does not, so those of
 * `lz_telling_of_exp` and so on were searched for: on each, one such difference shows. Where fusing made none in 60
 * million points of each range, there is no such point. */
#pragma once

#include "exp_log_pow.h"
#include "loop_trial.h"
#include "sincos.h"
#include "tanh_four.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

static const double lz_telling_of_exp[] = {
    -0x1.d11ad55b7b365p+7, 0x1.3b4258ef6f589p+3};
static const double lz_telling_of_log[] = {
    0x1.e4d4a2f9c3f57p-1, 0x1.e5b3f1f5ea7dep-1, 0x1.e2ff3ce1fe983p-1, 0x1.ead3829c3c115p-1, 0x1.0cab6272103ecp+0,
    0x1.31bb76e878decp+0, 0x1.05d626d4e22c6p-1};
static const double lz_telling_of_power[] = {
    0x1.1a723c36b10fap-5, 0x1.5e48201c3292ep+2, 0x1.2090c1360394p+7, 0x1.b68a9a4385c7p-1,
    0x1.ff67126e708e3p-1, -0x1.88cabbd78144ep+9, 0x1.eb9f0a1bc5a2cp+6, -0x1.bacb335f49d78p+2,
    0x1.5b38322b4bed8p+196, -0x1.ccc72b8e6c7c2p-1, 0x1.000e2d491180dp+0, 0x1.7bc85cc201f92p+13,
    0x1.8dceb534efa54p-4, -0x1.1621b32e5c0cfp+3, 0x1.96f481a257ddap+214, -0x1.2c946747b9438p-1,
    0x1.f8f4ff6df7283p-1, -0x1.702a1c9c43f52p+10, 0x1.ff1025096996ep+5, 0x1.3a6e33b6dcddap+3,
    0x1.c918b8d195f79p+457, -0x1.b35f8b1054938p-1, 0x1.fe63a5c023112p-1, 0x1.23c673766d115p+13,
    0x1.fda271d21e70dp-1, 0x1.ce3f47f21adacp+13, 0x1.a5fae1992097ap-3, -0x1.2bdea5fd503eep+1,
    0x1.b82a682012e74p+421, 0x1.08a5cc9a4f938p-2, 0x1.fe873b5e65846p-1, -0x1.e8e8d23fcf185p+12};

static void lz_try_exp(lz_trial *t)
{
    for (int i = 0; i < 2048; i++) {
        const double x = lz_trial_of_size(t, -56, 66);
        lz_trial_put(t, i & 1 ? x : -x, 0);
        lz_trial_put(t, 20 * lz_trial_random(t) - 10, 0);
    }
}

static void lz_try_log(lz_trial *t)
{
    for (int i = 0; i < 2048; i++) {
        lz_trial_put(t, lz_trial_of_size(t, -1022, 2046), 0);
        lz_trial_put(t, lz_trial_of_size(t, -1, 2), 0);
        lz_trial_put(t, 0.9375 + 0.125 * lz_trial_random(t), 0);
    }
}

static void lz_try_power(lz_trial *t)
{
    /* exponents of whole arrays, some of which NumPy's loop treats in ways of their own */
    static const double usual[] = {-3, -2, -1.5, -1, -0.5, 0, 0.25, 1.0 / 3, 0.5, 1, 1.5, 2, 2.5, 3, 4, 10};
    for (int i = 0; i < 1024; i++) {
        lz_trial_put(t, lz_trial_of_size(t, -10, 20), 40 * lz_trial_random(t) - 20);
        lz_trial_put(t, lz_trial_of_size(t, -1022, 2046), 2 * lz_trial_random(t) - 1);
        lz_trial_put(t, 0.9 + 0.2 * lz_trial_random(t), lz_trial_of_size(t, -60, 73));
    }
    lz_trial_compare(t, sizeof(double));
    for (size_t k = 0; k < sizeof(usual) / sizeof(usual[0]); k++) {
        for (t->n = 0; t->n < LZ_TRIAL; t->n++) t->x[t->n] = lz_trial_of_size(t, -10, 20);
        t->y[0] = usual[k];
        lz_trial_compare(t, 0);
    }
}

static void lz_try_tanh(lz_trial *t)
{
    for (int i = 0; i < 2048; i++) {
        const double x = lz_trial_of_size(t, -30, 36), y = lz_trial_of_size(t, -4, 9);
        lz_trial_put(t, i & 1 ? x : -x, 0);
        lz_trial_put(t, i & 1 ? y : -y, 0);
    }
}

static int lz_four_agrees(lz_inner ours, const lz_arith *numpy, int nin, void (*try_ordinary)(lz_trial *),
                           const double *telling, size_t count)
{
    /* 0, subnormals, least normal numbers, next to 1, limits of what is ordinary, infinity, and nan, quiet and
     * signalling */
    static const npy_uint64 unusual[] = {
        0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x3bdfffffffffffff, 0x3be0000000000000,
        0x3c8fffffffffffff, 0x3c90000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
        0x3fe0000000000000, 0x4000000000000000, 0x4008000000000000, 0x407fffffffffffff, 0x4080000000000000,
        0x40862e42fefa39ef, 0x40862e42fefa39f0, 0x40874910d52d3051, 0x40874910d52d3052, 0x43dfffffffffffff,
        0x43e0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000123,
        0x7ff0000000000123};
    const size_t values = sizeof(unusual) / sizeof(unusual[0]);
    lz_trial t = {ours, numpy, nin, 1, 0, {0}, {0}, 0};
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV); /* round to nearest: in other modes our loops call NumPy's */
    for (size_t i = 0; i + nin <= count; i += nin) lz_trial_put(&t, telling[i], telling[i + nin - 1]);
    try_ordinary(&t);
    lz_trial_compare(&t, sizeof(double));
    for (size_t i = 0; i < 2 * values; i++) /* each on its own, for its flags */
        for (int k = 0; k < (nin == 2 ? 6 : 1); k++) {
            static const double usual[] = {1.5, -0.5, 3};
            const double v = lz_double_of_bits(unusual[i / 2] | (npy_uint64)(i & 1) << 63);
            lz_trial_put(&t, 2.25, 1.5);
            lz_trial_put(&t, k < 3 ? v : fabs(usual[k - 3]), k < 3 ? usual[k] : v);
            for (int m = 0; m < 6; m++) lz_trial_put(&t, m + 0.25, 1.5);
            lz_trial_compare(&t, sizeof(double));
        }
    fesetenv(&before);
    return t.agree;
}

#define LZ_IF_AGREES(NAME, NIN, TELLING, COUNT) \
    (lz_four_agrees(lz_##NAME##_by_four, numpy, NIN, lz_try_##NAME, TELLING, COUNT) ? lz_##NAME##_by_four : NULL)
#define LZ_IF_AGREES_AND_TELLS(NAME, NIN) \
    LZ_IF_AGREES(NAME, NIN, lz_telling_of_##NAME, sizeof(lz_telling_of_##NAME) / sizeof(double))

/* The loop of `nin` operands for a function if it agrees with NumPy's loop, `numpy`; else NULL. */
static lz_inner lz_four_loop(const char *name, int nin, const lz_arith *numpy)
{
    if (!lz_four_supported()) return NULL;
    if (nin == 2)
        return !strcmp(name, "power") || !strcmp(name, "float_power") ? LZ_IF_AGREES_AND_TELLS(power, 2) : NULL;
    if (!strcmp(name, "exp")) return LZ_IF_AGREES_AND_TELLS(exp, 1);
    if (!strcmp(name, "log")) return LZ_IF_AGREES_AND_TELLS(log, 1);
    if (!strcmp(name, "tanh") && !lz_wide_supported()) return LZ_IF_AGREES(tanh, 1, NULL, 0);
    return NULL;
}

#else
static lz_inner lz_four_loop(const char *name, int nin, const lz_arith *numpy) { return NULL; }
#endif
