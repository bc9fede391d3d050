/* A dependency engine: operations run when the variables that they read and mutate are free, in the order of pushes.

   Each variable has a queue of requests, first in, first out. Reads that follow each other are granted together, a
   write alone. An operation counts the requests that are not granted and is ready at zero; then a thread of its lane
   runs it. The idea is that of MXNet's engine (apache/mxnet, src/engine/threaded_engine.h).

   One lock guards the engines of the process. Under it happen a few assignments for each request, and nothing that
   calls Python. Requests are part of their operation, which is allocated once or taken from those freed. What an
   operation keeps of Python (`refs`) is given back through lists of garbage, as threads that run native operations do
   not hold the GIL.

   This file holds the queues; engine_run.h has what runs operations and waits for them, engine_fork.h what a fork does
   to them. */
#pragma once

#include "atomic.h"
#include "sync.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct lz_engine lz_engine;
typedef struct lz_variable lz_variable;
typedef struct lz_op lz_op;

/* Runs an operation, without any lock. Returns 1 when it is done; 0 if `lz_complete` will be called for it.
   A failing operation calls `lz_fail`. */
typedef int (*lz_run)(lz_op *op);

typedef enum {
    LZ_OK, LZ_NO_MEMORY, LZ_CLOSED, LZ_FOREIGN, LZ_DELETED, LZ_INTERRUPTED, LZ_DEADLOCK
} lz_status;

enum {
    LZ_REFS = 3,            /* Python objects of an operation */
    LZ_MOST_FREED = 4096,   /* most freed operations kept for reuse */
    LZ_PRIORITY_STEP = 256, /* pushes that one priority step overtakes, so that nothing starves */
    LZ_SPINS = 200,         /* polls of an idle thread for work before it sleeps */
    LZ_PERIOD_MS = 50       /* interval in which a waiting thread polls for signals */
};

/* The error of an operation. It poisons the variables that the operation would have written. */
typedef struct lz_failure {
    struct lz_failure *prev, *next;     /* links of the engine's unreported failures; next in the garbage list */
    bool unreported;
    int refs;
    void *payload;                      /* an exception; NULL if out of memory */
} lz_failure;

typedef struct lz_request {
    lz_op *op;
    lz_variable *variable;
    struct lz_request *next;
    bool write;
} lz_request;

struct lz_variable {
    lz_engine *engine;
    lz_variable *prev, *next;       /* links of the engine's variables */
    lz_request *head, *tail;        /* waiting requests, oldest first */
    lz_failure *failure;            /* failure of an operation that should have written it */
    uint64_t seen;                  /* index of the last push that named it, plus one */
    uint64_t reads_needed, writes_needed;   /* marks of the deadlock search */
    int readers;                    /* granted reads */
    bool writing;                   /* whether a write is granted */
    bool deleted;                   /* deleted: takes no more requests */
    bool owned;                     /* whether a Python handle refers to it */
};

typedef struct {
    lz_run run;
    void *arg;
    void *refs[LZ_REFS];
    int where;                  /* instruction of the push, in the code object among the references */
    int64_t priority;
    int64_t nbytes;             /* bytes that count towards the engine's budget */
    int lane;
    bool ignores_poison;        /* runs even if one of its variables is poisoned */
    bool deletes;               /* deletes the variable that it mutates */
} lz_task;

struct lz_op {
    lz_task task;
    lz_engine *engine;
    lz_op *prev, *next;         /* links of the pending operations in push order; or next in a freelist */
    lz_op *outer;               /* the operation inside which its thread runs this one */
    lz_op *awaits;              /* the waiter that this running operation waits for */
    lz_failure *failure;
    uint64_t number;            /* index of the push */
    uint64_t needed;            /* mark of the deadlock search */
    int waits;                  /* number of ungranted requests */
    int nrequests, room;
    bool granted;               /* of a waiter, which has no `run`: it has ended, so its thread may continue */
    bool blocked;               /* whether its lane counts its thread as blocked */
    bool running, complete;     /* whether a thread is in its `run`; whether `lz_complete` was called meanwhile */
    lz_request requests[1];
};

typedef struct {
    lz_op **heap;               /* heap of ready operations by rank */
    int count, room;
    int wanted;                 /* number of threads that run operations; 0: those that push and wait */
    int threads;                /* existing threads */
    int blocked;                /* of these, blocked inside an operation */
    int sleeping;
    ptrdiff_t ready;            /* copy of `count` that idle threads read without the lock */
    lz_condition work;
} lz_lane;

/* A push that waits for room in the budget. */
typedef struct lz_place {
    lz_engine *engine;
    struct lz_place *next;      /* next in line */
    struct lz_place *outer;     /* a push of the same thread, interrupted by a signal handler */
    int64_t nbytes;
    lz_condition woken;
} lz_place;

struct lz_engine {
    lz_engine *next;            /* links of the process's engines */
    lz_lane **lanes;
    int nlanes;
    lz_op *first, *last;        /* pending operations: pushed and not complete */
    int64_t pending;            /* their number, without waiters */
    lz_variable *variables;
    uint64_t pushed;
    int64_t nbytes, budget;     /* bytes of pending operations; their limit, 0 for none */
    lz_place *line;             /* pushes waiting for room, in order */
    lz_condition done;          /* signalled when operations end */
    int watching;               /* threads sleeping in a wait or a push */
    unsigned wakes;             /* number of wake-ups */
    bool closed;
    uint64_t seed;              /* not 0: ready operations run in an order drawn from it */
    lz_failure *unreported, *last_unreported;   /* failures, oldest first */
    lz_op *freed, *garbage;     /* operations: for reuse; with references to release */
    int nfreed;
    lz_failure *failure_garbage;
    void *owner;                /* opaque to others */
};

static lz_mutex lz_engines_lock = LZ_MUTEX_INIT;
static lz_engine *lz_engines;
static uint64_t lz_search, lz_sweep;            /* epochs of the last deadlock search and its last sweep */
static int lz_forks;                            /* number of forks: operations from before are gone */
static LZ_THREAD_LOCAL lz_op *lz_current;       /* the operation that this thread runs, or waits with */
static LZ_THREAD_LOCAL lz_place *lz_own_places; /* this thread's waiting pushes, innermost first */

/* Failures */

static void lz_drop_failure(lz_engine *e, lz_failure *failure)
{
    if (failure && --failure->refs == 0) {
        failure->next = e->failure_garbage;
        e->failure_garbage = failure;
    }
}

static lz_failure *lz_share_failure(lz_failure *failure)
{
    if (failure) failure->refs++;
    return failure;
}

/* Make a running operation fail, and record the failure as unreported. Takes over the payload; returns false if out of
   memory, taking nothing. */
static bool lz_fail(lz_op *op, void *payload)
{
    lz_failure *failure = (lz_failure *)malloc(sizeof(lz_failure));
    if (!failure) return false;
    lz_lock(&lz_engines_lock);
    lz_drop_failure(op->engine, op->failure);
    lz_engine *e = op->engine;
    *failure = (lz_failure){e->last_unreported, NULL, true, 2, payload};
    op->failure = failure;
    *(e->last_unreported ? &e->last_unreported->next : &e->unreported) = failure;
    e->last_unreported = failure;
    lz_unlock(&lz_engines_lock);
    return true;
}

/* Remove a failure from the unreported ones, if it is among them. */
static void lz_report(lz_engine *e, lz_failure *failure)
{
    if (!failure->unreported) return;
    *(failure->prev ? &failure->prev->next : &e->unreported) = failure->next;
    *(failure->next ? &failure->next->prev : &e->last_unreported) = failure->prev;
    failure->prev = failure->next = NULL;
    failure->unreported = false;
    lz_drop_failure(e, failure);
}

/* Variables. Everything below is called with the lock held, unless stated otherwise. */

static void lz_release_variable(lz_variable *variable)
{
    if (variable->owned || variable->head || variable->readers || variable->writing) return;
    lz_engine *e = variable->engine;
    *(variable->prev ? &variable->prev->next : &e->variables) = variable->next;
    if (variable->next) variable->next->prev = variable->prev;
    lz_drop_failure(e, variable->failure);
    free(variable);
}

/* The budget: waiting pushes get room in order of arrival. */

static inline bool lz_has_room(const lz_engine *e, int64_t nbytes)
{
    return !e->nbytes || nbytes <= e->budget - e->nbytes;
}

/* Wake the thread that is first in line. */
static inline void lz_wake_first(lz_engine *e)
{
    if (e->line) lz_signal(&e->line->woken);
}

/* Enqueue: last, but before a push of this thread that a signal handler interrupted. */
static void lz_join_line(lz_engine *e, lz_place *place, int64_t nbytes)
{
    lz_place *own = lz_own_places, **at = &e->line;
    while (own && own->engine != e) own = own->outer;
    while (*at && *at != own) at = &(*at)->next;
    place->engine = e;
    place->next = *at;
    place->outer = lz_own_places;
    place->nbytes = nbytes;
    lz_condition_init(&place->woken);
    *at = lz_own_places = place;
}

static void lz_leave_line(lz_engine *e, lz_place *place)
{
    lz_place **at = &e->line;
    while (*at != place) at = &(*at)->next;
    *at = place->next;
    lz_own_places = place->outer;
    lz_condition_destroy(&place->woken);
    lz_wake_first(e);
}

/* Ready operations: a heap by rank. The smallest rank is taken first. */

static inline int64_t lz_rank(const lz_op *op)
{
    return (int64_t)op->number - op->task.priority * LZ_PRIORITY_STEP;
}

/* Reserve heap space for all pending operations, so that granting never fails. */
static bool lz_reserve(lz_engine *e, lz_lane *lane)
{
    if (e->pending < lane->room) return true;
    int room = lane->room ? 2 * lane->room : 64;
    while (room <= e->pending) room *= 2;
    lz_op **heap = (lz_op **)realloc(lane->heap, room * sizeof(lz_op *));
    if (!heap) return false;
    lane->heap = heap;
    lane->room = room;
    return true;
}

static inline void lz_rise(lz_lane *lane, int i, lz_op *op)
{
    while (i > 0 && lz_rank(op) < lz_rank(lane->heap[(i - 1) / 2])) {
        lane->heap[i] = lane->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    lane->heap[i] = op;
}

/* Wake waiting threads: they may run what is ready. */
static void lz_wake_waiters(lz_engine *e)
{
    if (e->watching) lz_broadcast(&e->done);
    lz_wake_first(e);
}

static void lz_advance(lz_variable *variable);

/* All requests of an operation are granted. A waiter ends at once: it holds nothing while its thread is busy. */
static void lz_put_ready(lz_op *op)
{
    lz_engine *e = op->engine;
    if (!op->task.run) {
        lz_variable *variable = op->requests->variable;
        lz_drop_failure(e, op->failure);
        op->failure = variable->failure;
        variable->failure = NULL;
        variable->writing = false;
        op->nrequests = 0;
        op->granted = true;
        if (e->watching) lz_broadcast(&e->done);
        lz_advance(variable);       /* a thread waiting for a variable has a handle, so it is alive */
        return;
    }
    lz_lane *lane = e->lanes[op->task.lane];
    lz_rise(lane, lane->count++, op);
    lz_fetch_add(&lane->ready, 1);
    if (lane->sleeping) lz_signal(&lane->work);
    else if (!lane->wanted) lz_wake_waiters(e);
}

static uint64_t lz_draw(lz_engine *e)       /* xorshift64 (Marsaglia, 2003) */
{
    e->seed ^= e->seed << 13;
    e->seed ^= e->seed >> 7;
    return e->seed ^= e->seed << 17;
}

/* Remove a ready operation at an index of a lane's heap. */
static lz_op *lz_take_at(lz_lane *lane, int i)
{
    lz_op *op = lane->heap[i], *last = lane->heap[--lane->count];
    lz_fetch_add(&lane->ready, -1);
    if (i < lane->count) {          /* replace it by the last one: first down, then up */
        for (;;) {
            int child = 2 * i + 1;
            if (child >= lane->count) break;
            if (child + 1 < lane->count && lz_rank(lane->heap[child + 1]) < lz_rank(lane->heap[child])) child++;
            if (lz_rank(lane->heap[child]) >= lz_rank(last)) break;
            lane->heap[i] = lane->heap[child];
            i = child;
        }
        lz_rise(lane, i, last);
    }
    return op;
}

/* Take the next ready operation of a lane, or NULL. */
static lz_op *lz_take(lz_engine *e, lz_lane *lane)
{
    if (!lane->count) return NULL;
    return lz_take_at(lane, e->seed ? (int)(lz_draw(e) % (uint64_t)lane->count) : 0);
}

/* Requests */

static void lz_grant(lz_request *request)
{
    lz_variable *variable = request->variable;
    if (request->write) variable->writing = true;
    else variable->readers++;
    if (!request->op->failure) request->op->failure = lz_share_failure(variable->failure);
    if (--request->op->waits == 0) lz_put_ready(request->op);
}

/* Grant all requests that a variable can grant now. */
static void lz_advance(lz_variable *variable)
{
    lz_request *first;
    while ((first = variable->head) && !variable->writing && !(first->write && variable->readers)) {
        variable->head = first->next;
        if (!variable->head) variable->tail = NULL;
        lz_grant(first);
    }
}

static void lz_ask(lz_op *op, lz_variable *variable, bool write)
{
    lz_request *request = &op->requests[op->nrequests++];
    *request = (lz_request){op, variable, NULL, write};
    if (!variable->head && !variable->writing && !(write && variable->readers)) {
        lz_grant(request);
        return;
    }
    *(variable->tail ? &variable->tail->next : &variable->head) = request;
    variable->tail = request;
}

/* Operations */

/* A new pending operation with room for requests, which does not run before `waits` is lowered; NULL if out of memory.
 * */
static lz_op *lz_new_op(lz_engine *e, const lz_task *task, int nrequests)
{
    lz_op *op = e->freed;
    if (op && op->room >= nrequests) {
        e->freed = op->next;
        e->nfreed--;
    } else {
        int room = nrequests < 4 ? 4 : nrequests;
        op = (lz_op *)malloc(sizeof(lz_op) + room * sizeof(lz_request));
        if (!op) return NULL;
        op->room = room;
    }
    op->task = *task;
    op->engine = e;
    op->outer = op->awaits = NULL;
    op->failure = NULL;
    op->needed = 0;
    op->number = e->pushed++;
    op->waits = nrequests + 1;
    op->nrequests = 0;
    op->granted = op->blocked = op->running = op->complete = false;
    op->prev = e->last;
    op->next = NULL;
    *(e->last ? &e->last->next : &e->first) = op;
    e->last = op;
    e->pending += task->run != NULL;
    e->nbytes += task->nbytes;
    return op;
}

/* Free an operation that has released its requests. */
static void lz_free_op(lz_op *op)
{
    lz_engine *e = op->engine;
    *(op->prev ? &op->prev->next : &e->first) = op->next;
    *(op->next ? &op->next->prev : &e->last) = op->prev;
    e->pending -= op->task.run != NULL;
    e->nbytes -= op->task.nbytes;
    lz_drop_failure(e, op->failure);
    if (op->task.refs[0] || op->task.refs[1] || op->task.refs[2]) {
        op->next = e->garbage;
        e->garbage = op;
    } else if (e->nfreed < LZ_MOST_FREED) {
        op->next = e->freed;
        e->freed = op;
        e->nfreed++;
    } else free(op);
    if (e->watching && e->first && !e->first->task.run) lz_broadcast(&e->done);
    if (e->line && lz_has_room(e, e->line->nbytes)) lz_wake_first(e);
    if (e->closed && !e->pending)
        for (int k = 0; k < e->nlanes; k++) lz_broadcast(&e->lanes[k]->work);
}

/* End an operation: release its requests, and pass its failure to the variables that it should have written. */
static void lz_end(lz_op *op)
{
    for (int k = 0; k < op->nrequests; k++) {
        lz_variable *variable = op->requests[k].variable;
        if (op->requests[k].write) {
            variable->writing = false;
            if (!variable->failure) variable->failure = lz_share_failure(op->failure);
        } else variable->readers--;
        lz_advance(variable);
        lz_release_variable(variable);
    }
    lz_free_op(op);
}

static lz_status lz_check_variables(lz_engine *e, lz_variable *const *variables, int n)
{
    for (int k = 0; k < n; k++) {
        if (variables[k]->engine != e) return LZ_FOREIGN;
        if (variables[k]->deleted) return LZ_DELETED;
    }
    return LZ_OK;
}

/* Request each variable once; one that is both read and mutated is mutated. */
static void lz_ask_once(lz_op *op, lz_variable *const *variables, int n, bool write)
{
    for (int k = 0; k < n; k++) {
        if (variables[k]->seen == op->number + 1) {
            op->waits--;
            continue;
        }
        variables[k]->seen = op->number + 1;
        lz_ask(op, variables[k], write);
    }
}

/* Push an operation that reads and mutates variables. With a status other than LZ_OK nothing has changed. */
static lz_status lz_push_locked(lz_engine *e, const lz_task *task, lz_variable *const *read, int nread,
                                lz_variable *const *mutate, int nmutate)
{
    if (e->closed) return LZ_CLOSED;
    lz_status status = lz_check_variables(e, read, nread);
    if (!status) status = lz_check_variables(e, mutate, nmutate);
    if (status) return status;
    lz_op *op = lz_reserve(e, e->lanes[task->lane]) ? lz_new_op(e, task, nread + nmutate) : NULL;
    if (!op) return LZ_NO_MEMORY;
    lz_ask_once(op, mutate, nmutate, true);
    lz_ask_once(op, read, nread, false);
    if (task->deletes) mutate[0]->deleted = true;
    if (--op->waits == 0) lz_put_ready(op);
    return LZ_OK;
}
