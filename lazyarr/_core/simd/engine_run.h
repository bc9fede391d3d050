/* What runs the operations of a dependency engine (engine.h) and waits for them: threads, deadlocks, forks.

   A lane with threads of its own (`wanted`) has its operations run by them. Operations of any other lane are run by the
   threads that push and wait: at the push, or, where the engine has a seed, at some later time.

   A thread that waits inside an operation is counted as blocked (`lz_block`), so that another one may take its place;
   the wait is refused where what it waits for needs the operation itself. */
#ifndef LAZYARR_ENGINE_RUN_H
#define LAZYARR_ENGINE_RUN_H

#include "engine.h"

/* Run an operation with the lock let go, and end it if it is done. */
static void lz_run_op(lz_op *op)
{
    op->outer = lz_current;
    if (op->outer) op->outer->awaits = op;
    op->running = true;
    lz_current = op;
    lz_unlock(&lz_engines_lock);
    bool done = (op->failure && !op->task.always) || op->task.run(op);
    lz_lock(&lz_engines_lock);
    op->running = false;
    lz_current = op->outer;
    if (lz_current) lz_current->awaits = NULL;
    if (done || op->complete) lz_end(op);
}

/* The next ready operation of the lanes without threads, or NULL. */
static lz_op *lz_take_threadless(lz_engine *e)
{
    for (int k = 0; k < e->nlanes; k++) {
        lz_op *op = e->lanes[k]->wanted ? NULL : lz_take(e, e->lanes[k]);
        if (op) return op;
    }
    return NULL;
}

/* Without the lock: the operation that the calling thread runs, or NULL. */
static inline lz_op *lz_running(void) { return lz_current; }

/* Without the lock: count the calling thread as blocked, or not any more, if it runs an operation. */
static void lz_block(int count)
{
    if (!lz_current) return;
    lz_lock(&lz_engines_lock);
    lz_current->engine->lanes[lz_current->task.lane]->blocked += count;
    lz_unlock(&lz_engines_lock);
}

/* Without the lock: push an operation, wait for room in the engine's budget before and, where there are no threads,
   run what is ready. `interrupted` is asked now and then whether to give up. */
static lz_status lz_push(lz_engine *e, const lz_task *task, lz_variable *const *read, int nread,
                         lz_variable *const *mutate, int nmutate, int (*interrupted)(void))
{
    lz_status status = LZ_OK;
    lz_lock(&lz_engines_lock);
    while (e->budget && e->nbytes && e->nbytes + task->nbytes > e->budget && !e->closed && !lz_current) {
        lz_op *op = lz_take_threadless(e);
        if (op) {
            lz_run_op(op);
            continue;
        }
        e->watching++;
        lz_wait_for(&e->done, &lz_engines_lock, LZ_PERIOD_MS);
        e->watching--;
        lz_unlock(&lz_engines_lock);
        bool stop = interrupted && interrupted();
        lz_lock(&lz_engines_lock);
        if (stop) {
            status = LZ_INTERRUPTED;
            break;
        }
    }
    if (!status) status = lz_push_locked(e, task, read, nread, mutate, nmutate);
    lz_op *op;
    while (!status && !e->lanes[task->lane]->wanted && (!e->seed || lz_draw(e) % 3 == 0)
           && (op = lz_take_threadless(e))) lz_run_op(op);
    lz_unlock(&lz_engines_lock);
    return status;
}

/* Without the lock: end an operation whose `run` has returned false. */
static void lz_complete(lz_op *op)
{
    lz_lock(&lz_engines_lock);
    lz_engine *e = op->engine;
    if (op->running) op->complete = true;   /* the thread that is in it ends it */
    else lz_end(op);
    while (!e->seed && (op = lz_take_threadless(e))) lz_run_op(op);
    lz_unlock(&lz_engines_lock);
}

/* The body of a thread of a lane: run its operations until the engine is closed and none is left, or until the lane
   has more threads than it wants. */
static void lz_work(lz_engine *e, int number)
{
    lz_lock(&lz_engines_lock);
    lz_lane *lane = e->lanes[number];
    while (lane->threads - lane->blocked <= lane->wanted) {
        lz_op *op = lz_take(e, lane);
        if (op) {
            lz_run_op(op);
            continue;
        }
        if (e->closed && !e->pending) break;
        lz_unlock(&lz_engines_lock);
        for (int k = 0; k < LZ_SPINS && !lz_fetch_add(&lane->ready, 0); k++) lz_pause();
        lz_lock(&lz_engines_lock);
        if (lane->count || (e->closed && !e->pending)) continue;
        lane->sleeping++;
        lz_wait_on(&lane->work, &lz_engines_lock);
        lane->sleeping--;
    }
    lane->threads--;
    if (lane->count) lz_signal(&lane->work);
    lz_unlock(&lz_engines_lock);
}

/* Deadlocks */

static bool lz_is_needed_by_requests(const lz_op *op)
{
    for (int k = 0; k < op->nrequests; k++) {
        const lz_variable *variable = op->requests[k].variable;
        if (variable->writes_needed == lz_search) return true;
        if (op->requests[k].write && variable->reads_needed == lz_search) return true;
    }
    return false;
}

/* Mark an operation as needed; true if that is new. */
static bool lz_mark_needed(lz_op *op)
{
    if (op->needed == lz_search) return false;
    op->needed = lz_search;
    for (int k = 0; k < op->nrequests; k++) {
        lz_variable *variable = op->requests[k].variable;
        if (op->requests[k].write) variable->writes_needed = lz_search;
        else variable->reads_needed = lz_search;
    }
    return true;
}

/* Whether `waiter` can only be granted after `op` has ended.

   An operation needs all earlier ones that conflict with it on a variable, and what it waits for itself. One sweep from
   the latest to the earliest finds the former; a wait may lead to a later one, which takes another sweep. */
static bool lz_needs(lz_op *waiter, const lz_op *op)
{
    lz_search++;
    lz_mark_needed(waiter);
    for (bool changed = true; changed;) {
        changed = false;
        for (lz_engine *e = lz_engines; e; e = e->next) {
            bool all = false;           /* whether a needed one waits for all before it */
            for (lz_op *at = e->last; at; at = at->prev) {
                if ((all || lz_is_needed_by_requests(at)) && lz_mark_needed(at)) changed = true;
                if (at->needed != lz_search) continue;
                if (!at->task.run && !at->nrequests) all = true;
                if (at->awaits && lz_mark_needed(at->awaits)) changed = true;
            }
        }
    }
    return op->needed == lz_search;
}

/* Waiting */

/* Take back the request of a waiter that was not granted. */
static void lz_withdraw(lz_op *waiter)
{
    if (!waiter->nrequests) return;
    lz_request *request = waiter->requests, *before = NULL;
    lz_variable *variable = request->variable;
    for (lz_request *at = variable->head; at != request; at = at->next) before = at;
    *(before ? &before->next : &variable->head) = request->next;
    if (variable->tail == request) variable->tail = before;
    lz_advance(variable);
    lz_release_variable(variable);
}

static bool lz_is_granted(const lz_op *waiter)
{
    return waiter->nrequests ? waiter->granted : waiter->engine->first == waiter;
}

/* Run operations or sleep until a waiter is granted; LZ_INTERRUPTED if it is to give up. */
static lz_status lz_await_grant(lz_op *waiter, int (*interrupted)(void))
{
    lz_engine *e = waiter->engine;
    while (!lz_is_granted(waiter)) {
        lz_op *op = lz_take_threadless(e);
        if (op) {
            lz_run_op(op);
            continue;
        }
        e->watching++;
        lz_wait_for(&e->done, &lz_engines_lock, LZ_PERIOD_MS);
        if (e->watching) e->watching--;     /* a forked child begins with 0 */
        if (lz_is_granted(waiter) || !interrupted) continue;
        waiter->outer = lz_current;         /* a signal handler may fork */
        lz_current = waiter;
        lz_unlock(&lz_engines_lock);
        bool stop = interrupted();
        lz_lock(&lz_engines_lock);
        lz_current = waiter->outer;
        if (stop && !lz_is_granted(waiter)) return LZ_INTERRUPTED;
    }
    return LZ_OK;
}

/* Without the lock: wait for the operations pushed so far that name a variable, or for all if there is none.

   `*failures` becomes what poisons the variable, which is then clean; or the list of unreported failures, and all
   variables are clean. The caller has a reference to each. */
static lz_status lz_wait(lz_engine *e, lz_variable *variable, int (*interrupted)(void), lz_failure **failures)
{
    static const lz_task none;
    lz_status status = LZ_OK;
    *failures = NULL;
    lz_lock(&lz_engines_lock);
    if (variable) status = lz_check_variables(e, &variable, 1);
    lz_op *waiter = status ? NULL : lz_new_op(e, &none, variable ? 1 : 0);
    if (!waiter) {
        lz_unlock(&lz_engines_lock);
        return status ? status : LZ_NO_MEMORY;
    }
    waiter->waits--;
    if (variable) lz_ask(waiter, variable, true);
    if (lz_current) lz_current->awaits = waiter;
    if (lz_current && !lz_is_granted(waiter) && lz_needs(waiter, lz_current)) status = LZ_DEADLOCK;
    if (!status) status = lz_await_grant(waiter, interrupted);
    if (lz_current) lz_current->awaits = NULL;
    if (status) {
        lz_withdraw(waiter);
        lz_free_op(waiter);
    } else {
        if (variable) {
            *failures = variable->failure;
            variable->failure = NULL;
            if (*failures) lz_report(e, *failures);
        } else {
            *failures = e->unreported;
            e->unreported = NULL;
            for (lz_variable *at = e->variables; at; at = at->next) {
                lz_drop_failure(e, at->failure);
                at->failure = NULL;
            }
        }
        lz_drop_failure(e, waiter->failure);
        waiter->failure = NULL;
        lz_end(waiter);
    }
    lz_unlock(&lz_engines_lock);
    return status;
}

/* Engines */

static lz_engine *lz_new_engine(void)
{
    lz_engine *e = (lz_engine *)calloc(1, sizeof(lz_engine));
    if (!e) return NULL;
    lz_condition_init(&e->done);
    lz_lock(&lz_engines_lock);
    e->next = lz_engines;
    lz_engines = e;
    lz_unlock(&lz_engines_lock);
    return e;
}

/* Without the lock: add a lane; returns its number, or -1 without memory. */
static int lz_add_lane(lz_engine *e, int wanted)
{
    lz_lane *lane = (lz_lane *)calloc(1, sizeof(lz_lane));
    if (!lane) return -1;
    lane->wanted = wanted;
    lz_condition_init(&lane->work);
    lz_lock(&lz_engines_lock);
    lz_lane **lanes = (lz_lane **)realloc(e->lanes, (e->nlanes + 1) * sizeof(lz_lane *));
    int number = -1;
    if (lanes) {
        e->lanes = lanes;
        lanes[number = e->nlanes++] = lane;
    } else free(lane);
    lz_unlock(&lz_engines_lock);
    return number;
}

/* Without the lock: a variable of an engine, NULL without memory. */
static lz_variable *lz_new_variable(lz_engine *e)
{
    lz_variable *variable = (lz_variable *)calloc(1, sizeof(lz_variable));
    if (!variable) return NULL;
    variable->engine = e;
    variable->owned = true;
    lz_lock(&lz_engines_lock);
    variable->next = e->variables;
    if (variable->next) variable->next->prev = variable;
    e->variables = variable;
    lz_unlock(&lz_engines_lock);
    return variable;
}

/* Without the lock: the handle of a variable is gone. */
static void lz_disown(lz_variable *variable)
{
    lz_lock(&lz_engines_lock);
    variable->owned = false;
    lz_release_variable(variable);
    lz_unlock(&lz_engines_lock);
}

/* Without the lock: free an engine without threads and variables, whose garbage has been collected. */
static void lz_free_engine(lz_engine *e)
{
    lz_lock(&lz_engines_lock);
    lz_engine **at = &lz_engines;
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    lz_unlock(&lz_engines_lock);
    for (lz_op *op; (op = e->freed);) {
        e->freed = op->next;
        free(op);
    }
    for (int k = 0; k < e->nlanes; k++) {
        lz_condition_destroy(&e->lanes[k]->work);
        free(e->lanes[k]->heap);
        free(e->lanes[k]);
    }
    lz_condition_destroy(&e->done);
    free(e->lanes);
    free(e);
}

/* Without the lock: have the threads of an engine end when nothing is pending; it takes no more pushes. */
static void lz_close(lz_engine *e)
{
    lz_lock(&lz_engines_lock);
    e->closed = true;
    for (int k = 0; k < e->nlanes; k++) lz_broadcast(&e->lanes[k]->work);
    lz_unlock(&lz_engines_lock);
}

/* Where a forked child, which has one thread, drops what is pending but for what that thread is in. */
static void lz_begin_afresh(lz_engine *e)
{
    for (lz_variable *v = e->variables; v; v = v->next) {
        v->head = v->tail = NULL;
        v->readers = 0;
        v->writing = false;
    }
    lz_search++;
    for (lz_op *op = lz_current; op; op = op->outer) op->needed = lz_search;
    for (lz_op *op = e->first, *next; op; op = next) {
        next = op->next;
        if (op->needed != lz_search) {
            lz_free_op(op);
            continue;
        }
        op->granted = true;
        for (int k = 0; k < op->nrequests; k++) {
            if (op->requests[k].write) op->requests[k].variable->writing = true;
            else op->requests[k].variable->readers++;
        }
    }
    for (lz_variable *v = e->variables, *next; v; v = next) {
        next = v->next;
        lz_release_variable(v);
    }
    for (int k = 0; k < e->nlanes; k++) {
        lz_lane *lane = e->lanes[k];
        lane->count = lane->threads = lane->blocked = lane->sleeping = 0;
        lane->ready = 0;
        lz_condition_init(&lane->work);
    }
    e->watching = 0;
    lz_condition_init(&e->done);
}

#if !defined(_WIN32)
static void lz_before_fork(void) { lz_lock(&lz_engines_lock); }
static void lz_after_fork(void) { lz_unlock(&lz_engines_lock); }
static void lz_after_fork_in_child(void)
{
    for (lz_engine *e = lz_engines; e; e = e->next) lz_begin_afresh(e);
    lz_unlock(&lz_engines_lock);
}
static int lz_watch_forks(void) { return pthread_atfork(lz_before_fork, lz_after_fork, lz_after_fork_in_child); }
#else
static int lz_watch_forks(void) { return 0; }
#endif

#endif
