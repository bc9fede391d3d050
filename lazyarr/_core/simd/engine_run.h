/* What runs the operations of a dependency engine (engine.h) and waits for them: threads, deadlocks, forks.

   A lane with threads of its own (`wanted`) has its operations run by them. Operations of any other lane are run by the
   threads that push and wait: at the push, or, where the engine has a seed, at some later time.

   A thread that waits inside an operation is counted as blocked (`lz_block`), so that another one may take its place;
   the wait is refused where what it waits for needs the operation itself. */
#pragma once

#include "engine.h"

/* Callback: whether the calling thread is busy with operations of a lane, so that others leave it a core; returns the
   old value. May be NULL. */
static int (*lz_note_busy)(int busy);

static inline bool lz_tell_busy(bool busy) { return lz_note_busy && lz_note_busy(busy); }

/* Run an operation with the lock released, and end it if it is done. */
static void lz_run_op(lz_op *op)
{
    lz_op *outer = op->outer = lz_current, *awaited = outer ? outer->awaits : NULL;
    if (outer && outer->task.run && !awaited) outer->awaits = op;   /* a waiter needs no thread */
    op->running = true;
    lz_current = op;
    lz_unlock(&lz_engines_lock);
    bool done = (op->failure && !op->task.ignores_poison) || op->task.run(op);
    lz_lock(&lz_engines_lock);
    op->running = false;
    lz_current = outer;
    if (outer) outer->awaits = awaited;
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

/* The operation that the calling thread runs, or NULL. */
static inline lz_op *lz_running(void)
{
    lz_op *op = lz_current;
    while (op && !op->task.run) op = op->outer;     /* waiters */
    return op;
}

/* Whether the calling thread runs an operation of an engine. */
static inline bool lz_runs_in(const lz_engine *e)
{
    for (const lz_op *op = lz_current; op; op = op->outer)
        if (op->engine == e && op->task.run) return true;
    return false;
}

/* Run what is ready in lanes without threads, unless a seed decides when. Inside an operation it waits until that waits
   for it or ends: on top of it, it could not wait for it in turn. */
static void lz_run_threadless(lz_engine *e)
{
    if (lz_runs_in(e)) return;
    for (lz_op *op; (!e->seed || e->closed) && (op = lz_take_threadless(e));) lz_run_op(op);
}

/* The operation in which the calling thread is a thread of a lane, or NULL. */
static lz_op *lz_base(void)
{
    lz_op *op = lz_current;
    while (op && !(op->task.run && op->engine->lanes[op->task.lane]->wanted)) op = op->outer;
    return op;
}

/* Sleep until woken, or for a while; return whether to give up. */
static bool lz_sleep(lz_engine *e, lz_condition *woken, int (*interrupted)(void))
{
    const bool busy = lz_tell_busy(false);
    e->watching++;
    bool late = lz_wait_for(woken, &lz_engines_lock, LZ_PERIOD_MS) || ++e->wakes % 1024 == 0;
    if (e->watching) e->watching--;     /* a forked child begins with 0 */
    lz_tell_busy(busy);
    if (!late || !interrupted) return false;
    lz_unlock(&lz_engines_lock);
    bool stop = interrupted();
    lz_lock(&lz_engines_lock);
    return stop;
}

/* Run operations or sleep until a push is first in line and fits the budget; LZ_INTERRUPTED to give up. */
static lz_status lz_await_room(lz_engine *e, int64_t nbytes, int (*interrupted)(void))
{
    lz_place place;
    lz_status status = LZ_OK;
    lz_join_line(e, &place, nbytes);
    while (!status && !e->closed && !(e->line == &place && lz_has_room(e, nbytes))) {
        lz_op *op = lz_take_threadless(e);
        if (op) lz_run_op(op);
        else if (lz_sleep(e, &place.woken, interrupted)) status = LZ_INTERRUPTED;
    }
    lz_leave_line(e, &place);
    return status;
}

/* Without the lock: wait for room in the engine's budget, push an operation and, without threads, run what is ready.
   `interrupted` is polled for whether to give up. */
static lz_status lz_push(lz_engine *e, const lz_task *task, lz_variable *const *read, int nread,
                         lz_variable *const *mutate, int nmutate, int (*interrupted)(void))
{
    lz_status status = LZ_OK;
    lz_lock(&lz_engines_lock);
    if (e->budget && task->nbytes && !lz_current && (e->line || !lz_has_room(e, task->nbytes)))
        status = lz_await_room(e, task->nbytes, interrupted);
    if (!status) status = lz_push_locked(e, task, read, nread, mutate, nmutate);
    if (!status) lz_run_threadless(e);
    for (lz_op *op; !status && e->seed && !lz_runs_in(e) && lz_draw(e) % 3 == 0 && (op = lz_take_threadless(e));)
        lz_run_op(op);
    lz_unlock(&lz_engines_lock);
    return status;
}

/* Without the lock: end an operation whose `run` has returned false. */
static void lz_complete(lz_op *op)
{
    lz_lock(&lz_engines_lock);
    lz_engine *e = op->engine;
    if (op->running) op->complete = true;   /* the thread that runs it ends it */
    else lz_end(op);
    lz_run_threadless(e);
    lz_unlock(&lz_engines_lock);
}

/* The body of a lane's thread: run operations until the engine is closed and none is left, or the lane has more threads
   than it wants. */
static void lz_work(lz_engine *e, int number)
{
    lz_lock(&lz_engines_lock);
    lz_lane *lane = e->lanes[number];
    while (lane->threads - lane->blocked <= lane->wanted) {
        lz_op *op = lz_take(e, lane);
        lz_tell_busy(op);
        if (op) {
            lz_run_op(op);
            lz_run_threadless(e);       /* operations that it pushed, or made ready */
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
    lz_tell_busy(false);
    lane->threads--;
    if (lane->count) lz_signal(&lane->work);
    if (!lane->wanted) lz_wake_waiters(e);
    lz_unlock(&lz_engines_lock);
}

/* Deadlocks */

static bool lz_is_needed_by_requests(const lz_op *op)
{
    for (int k = 0; k < op->nrequests; k++) {
        const lz_variable *variable = op->requests[k].variable;
        if (variable->writes_needed == lz_sweep) return true;
        if (op->requests[k].write && variable->reads_needed == lz_sweep) return true;
    }
    return false;
}

/* Mark earlier operations in this sweep that conflict with an operation as needed. */
static void lz_mark_variables(lz_op *op)
{
    for (int k = 0; k < op->nrequests; k++) {
        lz_variable *variable = op->requests[k].variable;
        if (op->requests[k].write) variable->writes_needed = lz_sweep;
        else variable->reads_needed = lz_sweep;
    }
}

/* Mark the operations (`needed`) that have to end before `waiter` is granted; whether `op` is among them.

   An operation needs all earlier ones that conflict with it on a variable, and what it waits for itself. One sweep from
   the latest to the earliest finds the former; a wait may lead to a later one, which takes another sweep. */
static bool lz_needs(lz_op *waiter, const lz_op *op)
{
    waiter->needed = ++lz_search;
    for (bool changed = true; changed;) {
        changed = false;
        lz_sweep++;
        for (lz_engine *e = lz_engines; e; e = e->next) {
            bool all = false;           /* whether a needed one waits for all earlier ones */
            for (lz_op *at = e->last; at; at = at->prev) {
                if (at->needed != lz_search) {
                    if (!all && !lz_is_needed_by_requests(at)) continue;
                    at->needed = lz_search;
                }
                lz_mark_variables(at);
                if (!at->task.run && !at->granted && !at->nrequests) all = true;
                if (at->awaits && at->awaits->needed != lz_search) {
                    at->awaits->needed = lz_search;
                    changed = true;
                }
            }
        }
    }
    return op->needed == lz_search;
}

/* Waiting */

/* Withdraw the ungranted request of a waiter. */
static void lz_withdraw(lz_op *waiter)
{
    if (!waiter->nrequests) return;
    lz_request *request = waiter->requests, *before = NULL;
    lz_variable *variable = request->variable;
    for (lz_request *at = variable->head; at != request; at = at->next) before = at;
    *(before ? &before->next : &variable->head) = request->next;
    if (variable->tail == request) variable->tail = before;
    waiter->nrequests = 0;
    lz_advance(variable);
    lz_release_variable(variable);
}

/* Whether a waiter may continue: its variable is free, or no earlier operation is left. */
static bool lz_is_granted(const lz_op *waiter)
{
    if (waiter->granted || waiter->nrequests) return waiter->granted;
    const lz_op *at = waiter->engine->first;
    while (at != waiter && !at->task.run) at = at->next;    /* other waiters do not count */
    return at == waiter;
}

/* Take a ready operation for the thread of a waiter: a needed one if the thread runs an operation itself, which could
   not continue below one that waits in turn. */
static lz_op *lz_take_for(lz_op *waiter)
{
    lz_engine *e = waiter->engine;
    if (!lz_running()) return lz_take_threadless(e);
    bool searched = false;
    for (int k = 0; k < e->nlanes; k++) {
        lz_lane *lane = e->lanes[k];
        for (int i = 0; !lane->wanted && i < lane->count; i++) {
            if (!searched) lz_needs(waiter, waiter);
            searched = true;
            if (lane->heap[i]->needed == lz_search) return lz_take_at(lane, i);
        }
    }
    return NULL;
}

/* Run operations or sleep until a waiter is granted; LZ_INTERRUPTED to give up. */
static lz_status lz_await_grant(lz_op *waiter, int (*interrupted)(void))
{
    lz_status status = LZ_OK;
    waiter->outer = lz_current;
    lz_current = waiter;
    while (!status && !lz_is_granted(waiter)) {
        lz_op *op = lz_take_for(waiter);
        if (op) lz_run_op(op);
        else if (lz_sleep(waiter->engine, &waiter->engine->done, interrupted)) status = LZ_INTERRUPTED;
    }
    lz_current = waiter->outer;
    return status;
}

/* Let another thread of the lane replace this one, which waits inside an operation: without the lock, `replace` starts
   one if there is none. */
static lz_op *lz_block(int (*replace)(lz_engine *e, int lane))
{
    lz_op *base = lz_base();
    if (!base || base->blocked) return NULL;
    base->blocked = true;
    base->engine->lanes[base->task.lane]->blocked++;
    if (replace) {
        lz_unlock(&lz_engines_lock);
        replace(base->engine, base->task.lane);
        lz_lock(&lz_engines_lock);
    }
    return base;
}

/* Without the lock: wait for the operations pushed so far that name a variable, or for all if there is none.

   `*failures` becomes what poisons the variable, which is then clean; or the list of unreported failures, and all
   variables are clean. The caller has a reference to each. */
static lz_status lz_wait(lz_engine *e, lz_variable *variable, int (*interrupted)(void),
                         int (*replace)(lz_engine *e, int lane), lz_failure **failures)
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
    lz_op *inside = lz_running(), *awaited = inside ? inside->awaits : NULL, *blocked = NULL;
    if (inside) inside->awaits = waiter;
    if (inside && !lz_is_granted(waiter)) {
        if (lz_needs(waiter, inside)) status = LZ_DEADLOCK;
        else blocked = lz_block(replace);
    }
    if (!status) status = lz_await_grant(waiter, interrupted);
    if (inside) inside->awaits = awaited;
    if (blocked) {
        blocked->blocked = false;
        blocked->engine->lanes[blocked->task.lane]->blocked--;
    }
    if (status) {
        if (!waiter->granted) lz_withdraw(waiter);
    } else if (variable) {
        *failures = waiter->failure;
        waiter->failure = NULL;
        if (*failures) lz_report(e, *failures);
    } else {
        *failures = e->unreported;
        e->unreported = e->last_unreported = NULL;
        for (lz_failure *at = *failures; at; at = at->next) at->unreported = false;
        for (lz_variable *at = e->variables; at; at = at->next) {
            lz_drop_failure(e, at->failure);
            at->failure = NULL;
        }
    }
    lz_free_op(waiter);
    if (status != LZ_INTERRUPTED) lz_run_threadless(e);     /* not with the exception of a signal handler set */
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

/* Without the lock: return a new variable of an engine, NULL if out of memory. */
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

/* Without the lock: release the handle of a variable. */
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

/* Without the lock: refuse further pushes, and let the threads end when nothing is pending. Without threads, what is
   ready runs here. */
static void lz_close(lz_engine *e)
{
    lz_lock(&lz_engines_lock);
    e->closed = true;
    lz_run_threadless(e);
    for (int k = 0; k < e->nlanes; k++) lz_broadcast(&e->lanes[k]->work);
    lz_wake_first(e);
    lz_unlock(&lz_engines_lock);
}

/* Without the lock: close an engine if nothing is pending. */
static void lz_close_if_idle(lz_engine *e)
{
    lz_lock(&lz_engines_lock);
    e->closed |= !e->pending;
    lz_unlock(&lz_engines_lock);
    if (e->closed) lz_close(e);
}
