/* A mock of cuDNN: convolutions by loops, in the order of a stream.

   It knows its descriptors, and computes without tensor cores alone. Of its algorithms some are not deterministic, or not
   there; those that are need their work area. Weights of float64 have their channels first, as in cuDNN. */
#include "library.h"

enum Status { SUCCESS, NOT_INITIALIZED = 1001, BAD_PARAM = 2000, BAD_SIZE = 2006, BAD_SHAPE = 2008, NOT_SUPPORTED = 3000,
              NOT_SUPPORTED_LAYOUT = 3004 };
enum Type { FLOAT32, FLOAT64 };
enum { CHANNELS_FIRST, CHANNELS_LAST };
enum { CORRELATION = 1, WITHOUT_TENSOR_CORES = 3 };

HANDLES(cudnnCreate, cudnnDestroy, cudnnSetStream, NOT_INITIALIZED)

extern "C" __attribute__((visibility("default"))) size_t cudnnGetCudartVersion() { return 12040; }

typedef std::vector<long> Numbers;

struct Array {
    int type = -1, layout = -1;
    Numbers shape, strides;

    size_t reach() const
    {
        size_t last = 0;
        for (size_t axis = 0; axis < shape.size(); axis++) last += (shape[axis] - 1) * strides[axis];
        return last + 1;
    }
};
struct Tensor : Array {};
struct Filter : Array {};
struct Convolution {
    Numbers before, stride, dilation;
    int type = -1, math = 0, groups = 1;
};

static Known<Tensor> &tensors = *new Known<Tensor>;
static Known<Filter> &filters = *new Known<Filter>;
static Known<Convolution> &convolutions = *new Known<Convolution>;

#define DESCRIPTORS(Kind, known)                            \
    API cudnnCreate##Kind##Descriptor(Kind **made)          \
    {                                                       \
        ENTER();                                            \
        *made = known.add(new Kind);                        \
        return SUCCESS;                                     \
    }                                                       \
    API cudnnDestroy##Kind##Descriptor(Kind *made)          \
    {                                                       \
        ENTER();                                            \
        return known.remove(made) ? SUCCESS : BAD_PARAM;    \
    }
DESCRIPTORS(Tensor, tensors)
DESCRIPTORS(Filter, filters)
DESCRIPTORS(Convolution, convolutions)

/* The strides of an array without gaps, whose channels are axis 1. */
static Numbers dense(const Numbers &shape, int layout)
{
    Numbers strides(shape.size(), 1);
    long step = layout == CHANNELS_LAST ? shape[1] : 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        if (axis == 1 && layout == CHANNELS_LAST) continue;
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

API cudnnSetTensorNdDescriptor(Tensor *tensor, int type, int axes, const int *shape, const int *strides)
{
    ENTER();
    if (!tensors.has(tensor) || axes < 4 || axes > 5) return BAD_PARAM;
    tensor->type = type;
    tensor->shape.assign(shape, shape + axes), tensor->strides.assign(strides, strides + axes);
    for (const int layout : {CHANNELS_LAST, CHANNELS_FIRST})
        if (tensor->strides == dense(tensor->shape, layout)) tensor->layout = layout;
    return SUCCESS;
}

API cudnnSetFilterNdDescriptor(Filter *filter, int type, int layout, int axes, const int *shape)
{
    ENTER();
    if (!filters.has(filter) || axes < 4 || axes > 5) return BAD_PARAM;
    filter->type = type, filter->layout = layout;
    filter->shape.assign(shape, shape + axes), filter->strides = dense(filter->shape, layout);
    return SUCCESS;
}

API cudnnSetConvolutionNdDescriptor(Convolution *made, int axes, const int *before, const int *stride,
                                    const int *dilation, int mode, int type)
{
    ENTER();
    if (!convolutions.has(made) || axes < 2 || axes > 3 || mode != CORRELATION) return BAD_PARAM;
    made->before.assign(before, before + axes), made->stride.assign(stride, stride + axes);
    made->dilation.assign(dilation, dilation + axes), made->type = type;
    return SUCCESS;
}

API cudnnSetConvolutionMathType(Convolution *made, int math)
{
    ENTER();
    if (!convolutions.has(made)) return BAD_PARAM;
    made->math = math;
    return SUCCESS;
}

API cudnnSetConvolutionGroupCount(Convolution *made, int groups)
{
    ENTER();
    if (!convolutions.has(made) || groups < 1) return BAD_PARAM;
    made->groups = groups;
    return SUCCESS;
}

/* ---- sums ---- */

enum Sums { FORWARD, DATA, FILTER };

/* A copy of what descriptors say: they may be gone when the stream gets there. */
struct Problem {
    Sums sums;
    Array x, w, y;
    Convolution convolution;
};

static int check(const Problem &problem)
{
    const Array &x = problem.x, &w = problem.w, &y = problem.y;
    const Convolution &convolution = problem.convolution;
    const size_t axes = x.shape.size();
    if (w.shape.size() != axes || y.shape.size() != axes || convolution.stride.size() != axes - 2) return BAD_PARAM;
    if (x.type != w.type || x.type != y.type || x.type != convolution.type) return BAD_PARAM;
    if (convolution.math != WITHOUT_TENSOR_CORES) return NOT_SUPPORTED;
    if (x.shape[0] != y.shape[0] || x.shape[1] != w.shape[1] * convolution.groups || y.shape[1] != w.shape[0]
        || y.shape[1] % convolution.groups)
        return BAD_SHAPE;
    for (size_t axis = 2; axis < axes; axis++) {
        const long reach = (w.shape[axis] - 1) * convolution.dilation[axis - 2] + 1;
        const long room = x.shape[axis] + 2 * convolution.before[axis - 2] - reach;
        if (room < 0 || y.shape[axis] != room / convolution.stride[axis - 2] + 1) return BAD_SHAPE;
    }
    for (const Array *array : {&x, &y})
        if (array->strides != dense(array->shape, w.layout)) return NOT_SUPPORTED_LAYOUT;
    if (w.layout == CHANNELS_LAST && w.type == FLOAT64) return NOT_SUPPORTED_LAYOUT;
    return SUCCESS;
}

struct Algorithm {
    int number, status;
    float time;
    size_t memory;
    int is_deterministic, math, reserved[3];
};

/* In the order of speed. */
static std::vector<Algorithm> algorithms(Sums sums)
{
    const int math = WITHOUT_TENSOR_CORES;
    if (sums == FORWARD)
        return {{6, 0, 1, 64, 1, math}, {2, NOT_SUPPORTED, -1}, {1, 0, 2, 4096, 1, math}, {0, 0, 3, 0, 1, math}};
    return {{0, 0, 1, 0, 0, math}, {4, 0, 2, 64, 1, math}, {1, 0, 3, 2048, 1, math}};
}

static int list(Handle *handle, const Problem &problem, int room, int *count, Algorithm *to)
{
    if (!handles.has(handle)) return NOT_INITIALIZED;
    if (const int status = check(problem)) return status;
    const std::vector<Algorithm> found = algorithms(problem.sums);
    *count = std::min<int>(room, found.size());
    std::copy_n(found.begin(), *count, to);
    return SUCCESS;
}

static int measure(Handle *handle, const Problem &problem, int number, size_t *bytes)
{
    if (!handles.has(handle)) return NOT_INITIALIZED;
    if (const int status = check(problem)) return status;
    for (const Algorithm &each : algorithms(problem.sums))
        if (each.number == number) return *bytes = each.memory, each.status;
    return BAD_PARAM;
}

/* Visit all products: places of x, w and y, in elements; -1 for what lies beyond x. */
template <class Visit>
static void visit_products(const Problem &problem, Visit visit)
{
    const Array &x = problem.x, &w = problem.w, &y = problem.y;
    const size_t axes = x.shape.size();
    Numbers over = y.shape;
    over.insert(over.end(), w.shape.begin() + 1, w.shape.end());
    size_t count = 1;
    for (const long extent : over) count *= extent;
    for (size_t number = 0; number < count; number++) {
        Numbers at(over.size());
        size_t rest = number;
        for (size_t axis = over.size(); axis-- > 0; rest /= over[axis]) at[axis] = rest % over[axis];
        const long column = at[1], channel = at[axes];
        const long group = column / (y.shape[1] / problem.convolution.groups);
        long in_x = at[0] * x.strides[0] + (group * w.shape[1] + channel) * x.strides[1];
        long in_w = column * w.strides[0] + channel * w.strides[1];
        long in_y = at[0] * y.strides[0] + column * y.strides[1];
        bool is_inside = true;
        for (size_t axis = 2; axis < axes; axis++) {
            const long tap = at[axes + axis - 1];
            const long place = at[axis] * problem.convolution.stride[axis - 2] - problem.convolution.before[axis - 2]
                             + tap * problem.convolution.dilation[axis - 2];
            is_inside = is_inside && place >= 0 && place < x.shape[axis];
            in_x += place * x.strides[axis], in_w += tap * w.strides[axis], in_y += at[axis] * y.strides[axis];
        }
        visit(is_inside ? in_x : -1, in_w, in_y);
    }
}

template <class Element>
static void convolve(const Problem &problem, Address x_at, Address w_at, Address y_at)
{
    Element *const x = matrix_at<Element>(x_at, problem.x.reach(), 1, 1);
    Element *const w = matrix_at<Element>(w_at, problem.w.reach(), 1, 1);
    Element *const y = matrix_at<Element>(y_at, problem.y.reach(), 1, 1);
    if (!x || !w || !y) return;
    const Array &result = problem.sums == FORWARD ? problem.y : problem.sums == DATA ? problem.x : problem.w;
    std::vector<double> sums(result.reach());
    visit_products(problem, [&](long in_x, long in_w, long in_y) {
        if (problem.sums == FORWARD) sums[in_y] += double(in_x < 0 ? 0 : x[in_x]) * w[in_w];
        if (problem.sums == FILTER) sums[in_w] += double(in_x < 0 ? 0 : x[in_x]) * y[in_y];
        if (problem.sums == DATA && in_x >= 0) sums[in_x] += double(y[in_y]) * w[in_w];
    });
    std::copy(sums.begin(), sums.end(), problem.sums == FORWARD ? y : problem.sums == DATA ? x : w);
}

static int run(Handle *handle, const Problem &problem, const void *alpha, const void *beta, int number, Address area,
               size_t bytes, Address x, Address w, Address y)
{
    size_t wanted;
    if (const int status = measure(handle, problem, number, &wanted)) return status;
    if (bytes < wanted) return BAD_SIZE;
    const bool is_double = problem.x.type == FLOAT64;
    if ((is_double ? *(const double *)alpha : *(const float *)alpha) != 1
        || (is_double ? *(const double *)beta : *(const float *)beta) != 0)
        return NOT_SUPPORTED;
    return enqueue(handle->stream, [=] {
        char *const used = mock_memory(area, wanted);
        if (!used) return;
        std::fill_n(used, wanted, 7);
        if (is_double) convolve<double>(problem, x, w, y);
        else convolve<float>(problem, x, w, y);
    });
}

/* The three functions of a sum; operands and results in the library's order, and the problem that they make. */
#define SUMS(name, sums, First, firsts, Second, seconds, Last, lasts, a, b, c)                                      \
    static bool know_##name(First *a, Second *b, Convolution *with, Last *c)                                        \
    {                                                                                                               \
        return firsts.has(a) && seconds.has(b) && convolutions.has(with) && lasts.has(c);                           \
    }                                                                                                               \
    API cudnnGetConvolution##name##Algorithm_v7(Handle *handle, First *a, Second *b, Convolution *with, Last *c,    \
                                                int room, int *count, Algorithm *to)                                \
    {                                                                                                               \
        ENTER();                                                                                                    \
        return know_##name(a, b, with, c) ? list(handle, {sums, *x, *w, *y, *with}, room, count, to) : BAD_PARAM;   \
    }                                                                                                               \
    API cudnnGetConvolution##name##WorkspaceSize(Handle *handle, First *a, Second *b, Convolution *with, Last *c,   \
                                                 int number, size_t *bytes)                                         \
    {                                                                                                               \
        ENTER();                                                                                                    \
        return know_##name(a, b, with, c) ? measure(handle, {sums, *x, *w, *y, *with}, number, bytes) : BAD_PARAM;  \
    }                                                                                                               \
    API cudnnConvolution##name(Handle *handle, const void *alpha, First *a, Address a##_at, Second *b,              \
                               Address b##_at, Convolution *with, int number, Address area, size_t bytes,           \
                               const void *beta, Last *c, Address c##_at)                                           \
    {                                                                                                               \
        ENTER();                                                                                                    \
        if (!know_##name(a, b, with, c)) return BAD_PARAM;                                                          \
        return run(handle, {sums, *x, *w, *y, *with}, alpha, beta, number, area, bytes, x_at, w_at, y_at);          \
    }
SUMS(Forward, FORWARD, Tensor, tensors, Filter, filters, Tensor, tensors, x, w, y)
SUMS(BackwardData, DATA, Filter, filters, Tensor, tensors, Tensor, tensors, w, y, x)
SUMS(BackwardFilter, FILTER, Tensor, tensors, Tensor, tensors, Filter, filters, x, y, w)
