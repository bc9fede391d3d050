/* A mock of cuFFT: transforms by the sums that define them, in the order of a stream.

   It needs the work area of each plan while a transform runs. Transforms to real numbers overwrite their operand, and
   give NaN for one that no real numbers have. */
#include <cmath>
#include <map>

#include "library.h"

enum Status { SUCCESS, INVALID_PLAN, INVALID_TYPE = 3, INVALID_VALUE, INVALID_SIZE = 8, UNALIGNED_DATA, NO_WORKSPACE = 13 };
enum Kind { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };

struct Plan {
    int kind = 0;
    std::vector<size_t> points;
    size_t count = 0, work_bytes = 0;
    bool allocates = true;
    void *stream = nullptr;
    Address work = 0;
};

static std::mutex &guard = *new std::mutex;
static std::map<int, Plan> &plans = *new std::map<int, Plan>;
static int newest;

#define PLAN(plan, number)                             \
    std::lock_guard<std::mutex> lock(guard);           \
    if (!plans.count(number)) return INVALID_PLAN;     \
    Plan &plan = plans[number]

API cufftCreate(int *number)
{
    ENTER();
    std::lock_guard<std::mutex> lock(guard);
    plans[*number = ++newest] = Plan();
    return SUCCESS;
}

API cufftDestroy(int number)
{
    ENTER();
    std::lock_guard<std::mutex> lock(guard);
    return plans.erase(number) ? SUCCESS : INVALID_PLAN;
}

API cufftSetAutoAllocation(int number, int allocates)
{
    ENTER();
    PLAN(plan, number);
    plan.allocates = allocates;
    return SUCCESS;
}

API cufftMakePlanMany64(int number, int rank, long long *points, long long *in_extents, long long, long long,
                        long long *out_extents, long long, long long, int kind, long long count, size_t *work_bytes)
{
    ENTER();
    PLAN(plan, number);
    if (rank < 1 || rank > 3 || plan.kind || in_extents || out_extents || count < 1) return INVALID_VALUE;
    if (kind != R2C && kind != C2R && kind != C2C && kind != D2Z && kind != Z2D && kind != Z2Z) return INVALID_TYPE;
    for (int axis = 0; axis < rank; axis++) {
        if (points[axis] < 1) return INVALID_SIZE;
        plan.points.push_back(points[axis]);
    }
    plan.kind = kind, plan.count = count;
    plan.work_bytes = *work_bytes = 8 * count;
    return SUCCESS;
}

API cufftSetStream(int number, void *stream)
{
    ENTER();
    PLAN(plan, number);
    plan.stream = stream;
    return SUCCESS;
}

API cufftSetWorkArea(int number, Address work)
{
    ENTER();
    PLAN(plan, number);
    plan.work = work;
    return SUCCESS;
}

typedef std::vector<std::complex<double>> Numbers;

/* Transform along one axis: `inner` numbers lie between two of its points. */
static void transform(Numbers &x, size_t points, size_t inner, int direction)
{
    Numbers line(points);
    for (size_t first = 0; first < x.size(); first += points * inner)
        for (size_t offset = first; offset < first + inner; offset++) {
            for (size_t k = 0; k < points; k++) {
                line[k] = 0;
                for (size_t j = 0; j < points; j++)
                    line[k] += x[offset + j * inner] * std::polar(1.0, direction * 2 * M_PI * (j * k % points) / points);
            }
            for (size_t k = 0; k < points; k++) x[offset + k * inner] = line[k];
        }
}

template <class Real>
static void run(const Plan &plan, Address from, Address to, int direction)
{
    typedef std::complex<Real> Complex;
    const bool is_real_in = plan.kind == R2C || plan.kind == D2Z, is_real_out = plan.kind == C2R || plan.kind == Z2D;
    const size_t last = plan.points.back(), half = last / 2 + 1;
    size_t lines = plan.count;
    for (size_t axis = 0; axis + 1 < plan.points.size(); axis++) lines *= plan.points[axis];
    const size_t in_bytes = is_real_in ? lines * last * sizeof(Real) : lines * (is_real_out ? half : last) * sizeof(Complex);
    const size_t out_bytes = is_real_out ? lines * last * sizeof(Real) : lines * (is_real_in ? half : last) * sizeof(Complex);
    char *const source = mock_memory(from, in_bytes), *const target = mock_memory(to, out_bytes);
    char *const work = mock_memory(plan.work, plan.work_bytes);
    if (!source || !target || !work) return;
    std::fill_n(work, plan.work_bytes, 7);
    Numbers x(lines * last);
    for (size_t i = 0; i < x.size(); i++) {
        const size_t line = i / last, k = i % last, mirrored = k < half ? k : last - k;
        if (is_real_in) {
            x[i] = reinterpret_cast<Real *>(source)[i];
        } else if (is_real_out) {
            x[i] = reinterpret_cast<Complex *>(source)[line * half + mirrored];
            if (2 * k % last == 0 && x[i].imag() != 0) x[i] = NAN;
            if (k >= half) x[i] = std::conj(x[i]);
        } else {
            x[i] = reinterpret_cast<Complex *>(source)[i];
        }
    }
    size_t inner = 1;
    for (size_t axis = plan.points.size(); axis-- > 0; inner *= plan.points[axis])
        transform(x, plan.points[axis], inner, is_real_out ? 1 : direction);
    if (is_real_out) std::fill_n(reinterpret_cast<Complex *>(source), lines * half, Complex(NAN));
    for (size_t i = 0; i < x.size(); i++) {
        if (is_real_out) reinterpret_cast<Real *>(target)[i] = x[i].real();
        else if (!is_real_in) reinterpret_cast<Complex *>(target)[i] = Complex(x[i]);
        else if (i % last < half) reinterpret_cast<Complex *>(target)[i / last * half + i % last] = Complex(x[i]);
    }
}

template <class Real>
static int execute(int number, Address from, Address to, int direction, int kind)
{
    PLAN(plan, number);
    if (plan.kind != kind || (kind == C2R || kind == Z2D) && plan.points.size() > 1) return INVALID_TYPE;
    if (direction != 1 && direction != -1) return INVALID_VALUE;
    if (from % (2 * sizeof(Real)) || to % (2 * sizeof(Real))) return UNALIGNED_DATA;
    if (!plan.allocates && !plan.work) return NO_WORKSPACE;
    return enqueue(plan.stream, [=, plan = plan] { run<Real>(plan, from, to, direction); });
}

#define EXECUTE(kind, Real)                                                    \
    API cufftExec##kind(int number, Address from, Address to)                  \
    {                                                                          \
        ENTER();                                                               \
        return execute<Real>(number, from, to, -1, kind);                      \
    }

EXECUTE(R2C, float)
EXECUTE(C2R, float)
EXECUTE(D2Z, double)
EXECUTE(Z2D, double)

API cufftExecC2C(int number, Address from, Address to, int direction)
{
    ENTER();
    return execute<float>(number, from, to, direction, C2C);
}

API cufftExecZ2Z(int number, Address from, Address to, int direction)
{
    ENTER();
    return execute<double>(number, from, to, direction, Z2Z);
}
