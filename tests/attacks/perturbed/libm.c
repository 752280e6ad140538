/* The C library of another processor: exp, log, expm1, log1p and pow with other last digits.

   Every result is multiplied by 1 + j·2^-53, with j from -1000 to 1000 after the bits of the
   arguments; for pow from -3 to 3, because mpmath takes 50 bits of its square roots from there.
   What any library gives exactly (exp(0), x^1, powers that a double holds) stays.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits(double x) { uint64_t u; memcpy(&u, &x, sizeof u); return u; }

static double perturbed(double value, uint64_t seed, int most) {
    seed ^= seed >> 33; seed *= 0xff51afd7ed558ccdULL;
    seed ^= seed >> 33; seed *= 0xc4ceb9fe1a85ec53ULL;
    seed ^= seed >> 33;
    return value * (1.0 + ((double)(seed % (2 * most + 1)) - most) * 0x1p-53);
}

#define ONE_ARGUMENT(name, exact) \
    double name(double x) { \
        static double (*real)(double); \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
        double value = real(x); \
        return x == (exact) ? value : perturbed(value, bits(x), 1000); \
    }

ONE_ARGUMENT(exp, 0.0)
ONE_ARGUMENT(expm1, 0.0)
ONE_ARGUMENT(log, 1.0)
ONE_ARGUMENT(log1p, 0.0)

static int power_of_two(double x) {
    uint64_t u = bits(x) & 0x7fffffffffffffffULL;
    return (u & 0x000fffffffffffffULL) == 0;
}

double pow(double x, double y) {
    static double (*real)(double, double);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pow");
    double value = real(x, y);
    int whole = y > -2048 && y < 2048 && y == (double)(int)y;
    int held = value > -0x1p53 && value < 0x1p53 && value == (double)(int64_t)value;
    if (y == 1.0 || x == 1.0 || (whole && (power_of_two(x) || (y >= 0 && held)))) return value;
    return perturbed(value, bits(x) * 31 + bits(y), 3);
}
