/* Whether a loop of sincos.h gives the bits and the status flags of NumPy's loop on this machine.
 *
 * Some ten thousand points: every exponent, both sides of every limit, every quadrant, the midpoints of the table, and
 * the values that raise flags. Random points would seldom notice a product and a sum that one build of libm fuses and
 * another does not, so those of `lz_sincos_telling` were searched for: on each, one such difference shows. Where fusing
 * made none in a billion points of each range, there is no such point. */
#pragma once

#include "loop_trial.h"

static const double lz_sincos_telling[] = {
    0x1.4a0978730720dp+26, 0x1.0a6bfaf7d9865p+26, 0x1.ccf674bd2e803p+25, 0x1.a0856da2284c4p+23, 0x1.da2cf968a9f23p-4,
    0x1.9d301417ab11ep-4, 0x1.f4c9115d40e9cp+4, 0x1.61bc875209637p+4, 0x1.f549397c1341fp+25, 0x1.2c5ef8c74055dp+26,
    0x1.7237aeb66ac01p+0, 0x1.a98d6d6ed22dbp+0, 0x1.33baddf97a8a4p+2, 0x1.ef400a6d55b9ep+2, 0x1.b1d8543f3e23cp+25,
    0x1.7d1a0262d926p+25, 0x1.c5d9d0dbd2b06p+4, 0x1.f4ba73c1989cbp+3, 0x1.87f9b2451de1ap+24, 0x1.8c89697c8ec4dp+26,
    0x1.722aebf72a123p+0, 0x1.b0fe9f9a32084p+0, 0x1.45bee0f7c55dfp+4, 0x1.df6253b574d45p+4, 0x1.54b5faa56789fp+25,
    0x1.7d52be62da506p+26, 0x1.f2bba0c47228bp+3, 0x1.95d04194eea19p+3, 0x1.d44ffc699587p+25, 0x1.06d4d88567b34p+25,
    0x1.afb758ecdc1ap+0, 0x1.dbf06d231786p+4, 0x1.09825c3627d7p+25, 0x1.04e42b794a0fap+0, 0x1.4711117b9fc64p+0,
    0x1.3acd0521ad865p+4, 0x1.744c648536dc5p+4, 0x1.38197a3c201bcp+26, 0x1.64b32b5e0ef49p+26, 0x1.cd5f7baac1a7ep+23,
    0x1.43ed9938135c1p-6, 0x1.5bb972bcfa4a1p-5, 0x1.da2ba6926e01ep-2, 0x1.544b94ed3aff2p-2, 0x1.996a6ea73db9p+1,
    0x1.79e8b8bbfb63ap+2, 0x1.55e7a48f31a43p+24, 0x1.a47ea257e574ap+25, 0x1.be66ae86e1d14p+24, 0x1.1e750fea2c933p+23,
    0x1.3f1065da8bc9p+0, 0x1.22e4d9b4e0a6dp+1, 0x1.09b1336b68319p+3, 0x1.dcd442d2a5f73p+3, 0x1.81fb9ccfc94e7p+23,
    0x1.4d082dd7fd071p+22, 0x1.85a62eb84c54p+25, 0x1.e2e0f68fcce87p+25, 0x1.9b4d28171a144p-5, 0x1.b815f281aa7cdp-4,
    0x1.af7d92da091e6p-1, 0x1.7429b7e2fdd9p-1, 0x1.b7de724a4e2bap+4, 0x1.330cbc7d13dbep+4, 0x1.2d4bbc22ef53ap+24,
    0x1.09f4407f77072p+24, 0x1.8b34a68ab7f24p+24, 0x1.fa66e17e25befp+25, 0x1.eab5c971920b1p+4, 0x1.8da9e7559c57cp+4,
    0x1.1d40d0158ac58p+25, 0x1.d638d5bacb76p+25, 0x1.c6373d5a9dcf4p+25, 0x1.1256e2992c04ep+25, 0x1.165d73301a948p+1,
    0x1.b4f20cf6b38c8p+0, 0x1.74c0bba052c1dp+3, 0x1.5c75b894fbbfp+2, 0x1.3771d27b42b78p+26, 0x1.329969ead0b55p+25,
    0x1.7812417349911p+25, 0x1.43c3b243e49d4p+26, 0x1.02b73fcad12e2p-1, 0x1.adeaeda812178p-1, 0x1.76d32d7a9f8a6p+2,
    0x1.99f5c593074acp+4, 0x1.0510a64bbd3b6p+26, 0x1.cf61a64635cb8p+25, 0x1.823591f544fc6p+25, 0x1.0c44592686961p+1,
    0x1.c138c50445abcp+0, 0x1.e6b3cbd64041ap+4, 0x1.47d9af3d37b68p+2, 0x1.6a8aa1d2ead4cp+25, 0x1.43e4cc83d9b45p+25,
    0x1.6000d4b29a059p+26, 0x1.038ed9e68dc55p-3, 0x1.02fd16fd7ecefp-3, 0x1.a333567fbe0a1p-1, 0x1.c61f0d3afac3bp-3,
    0x1.342b63fcb7ce3p+4, 0x1.ec1be0329a583p+4, 0x1.8683451ee7deep+26, 0x1.3e0369161c86bp+25, 0x1.9449c4a40273bp+25,
    0x1.e1f5769d0138p+25, 0x1.6b74c97180826p+0, 0x1.6d837058e4781p+0, 0x1.44674966dc953p+4, 0x1.db7f14424d555p+4,
    0x1.6d2c4389c4a86p+26, 0x1.acdb9d20cb1aap+24, 0x1.dcbdc562bd17ep+25, 0x1.c708326e204d8p+24,
};

static void lz_sincos_put(lz_trial *t, double x)
{
    lz_trial_put(t, x, 0);
    lz_trial_put(t, -x, 0);
}

/* x and its two neighbours on either side. */
static void lz_sincos_put_near(lz_trial *t, double x)
{
    npy_uint64 bits;
    memcpy(&bits, &x, sizeof(bits));
    for (int i = -2; i <= 2; i++) lz_sincos_put(t, lz_double_of_bits(bits + i));
}

static void lz_sincos_put_ordinary(lz_trial *t)
{
    for (int exponent = -30; exponent <= 26; exponent++)
        for (int i = 0; i < 48; i++) lz_sincos_put(t, lz_trial_of_size(t, exponent, 1));
    for (int i = 0; i < 1024; i++) lz_sincos_put(t, (i + 0.3) / 128);
    for (int i = 1; i <= 256; i++) lz_sincos_put_near(t, i * 0x1.921fb54442d18p-1);
    for (int i = 9; i <= 26; i++) {
        lz_sincos_put_near(t, ((1 << i) - 1) * 0x1.921fb54442d18p-1);
        lz_sincos_put_near(t, (1 << i) * 0x1.921fb54442d18p-1);
    }
    for (int k = 0; k < 110; k++) lz_sincos_put_near(t, (k + 0.5) / 128);
    for (size_t i = 0; i < sizeof(lz_sincos_telling) / sizeof(double); i++) lz_sincos_put(t, lz_sincos_telling[i]);
}

static int lz_sincos_agree(lz_inner ours, const lz_arith *numpy)
{
    static const double limits[] = {LZ_TINY_COS, LZ_TINY_SIN, 0.126, LZ_SMALL, LZ_MIDDLE, LZ_HUGE, 1e22, 1e300};
    /* 0, subnormals, least normal numbers; infinity and nan, quiet and signalling */
    static const npy_uint64 unusual[] = {0, 1, 2, 0x000123456789abcd, 0x000fffffffffffff, 0x0010000000000000,
                                         0x0010000000000001, 0x7fefffffffffffff, 0x7ff0000000000000,
                                         0x7ff8000000000000, 0x7ff8000000000123, 0x7ff0000000000123};
    lz_trial t = {ours, numpy, 1, 1, 0, {0}, {0}, 0};
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV); /* round to nearest: in other modes our loop calls NumPy's */
    lz_sincos_put_ordinary(&t);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) lz_sincos_put_near(&t, limits[i]);
    lz_trial_compare(&t, sizeof(double));
    for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++) { /* each on its own, for its flags */
        lz_sincos_put(&t, lz_double_of_bits(unusual[i]));
        lz_sincos_put(&t, 1e-3);
        for (int k = 0; k < 3; k++) lz_sincos_put(&t, k + 0.25);
        lz_trial_compare(&t, sizeof(double));
    }
    fesetenv(&before);
    return t.agree;
}
