/* Dependency engines in a forked child: they begin empty. */
#pragma once

#include "engine_run.h"

/* In a forked child, which has one thread, drop all pending operations but those that this thread runs. */
static void lz_begin_afresh(lz_engine *e)
{
    e->watching = 0;
    lz_condition_init(&e->done);
    lz_place **end = &e->line;       /* those of the thread itself, innermost first */
    for (lz_place *place = lz_own_places; place; place = place->outer) {
        if (place->engine != e) continue;
        *end = place;
        end = &place->next;
    }
    *end = NULL;
    while (e->unreported) lz_report(e, e->unreported);
    for (lz_variable *v = e->variables; v; v = v->next) {
        v->head = v->tail = NULL;
        v->readers = 0;
        v->writing = false;
        lz_drop_failure(e, v->failure);
        v->failure = NULL;
    }
    for (int k = 0; k < e->nlanes; k++) {
        lz_lane *lane = e->lanes[k];
        lane->count = lane->threads = lane->blocked = lane->sleeping = 0;
        lane->ready = 0;
        lz_condition_init(&lane->work);
    }
    lz_search++;
    for (lz_op *op = lz_current; op; op = op->outer) op->needed = lz_search;
    for (lz_op *op = e->first, *next; op; op = next) {
        next = op->next;
        if (op->needed != lz_search) {
            lz_free_op(op);
            continue;
        }
        if (!op->task.run) {
            op->nrequests = 0;
            op->granted = true;
        }
        for (int k = 0; k < op->nrequests; k++) {
            if (op->requests[k].write) op->requests[k].variable->writing = true;
            else op->requests[k].variable->readers++;
        }
    }
    lz_op *base = lz_base();
    if (base && base->engine == e) {
        e->lanes[base->task.lane]->threads = 1;
        e->lanes[base->task.lane]->blocked = base->blocked;
    }
    for (lz_variable *v = e->variables, *next; v; v = next) {
        next = v->next;
        lz_release_variable(v);
    }
}

#if !defined(_WIN32)
static void lz_before_fork(void) { lz_lock(&lz_engines_lock); }
static void lz_after_fork(void) { lz_unlock(&lz_engines_lock); }
static void lz_after_fork_in_child(void)
{
    lz_forks++;
    for (lz_engine *e = lz_engines; e; e = e->next) lz_begin_afresh(e);
    lz_unlock(&lz_engines_lock);
}
static int lz_watch_forks(void) { return pthread_atfork(lz_before_fork, lz_after_fork, lz_after_fork_in_child); }
#else
static int lz_watch_forks(void) { return 0; }
#endif
