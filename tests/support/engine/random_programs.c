/* Random programs on a dependency engine, each compared with a serial run; under ThreadSanitizer where built so.

   A program has operations on 50 variables, each of which holds a number. An operation reads some and mutates others:
   it mixes all numbers into those it mutates, spends some time, and may fail. What a failure must poison is computed
   serially from the same rules.

   Arguments: programs, seed, threads. Prints the number of programs that differ, and exits with 1 if there are any. */
#include "engine_run.h"
#include <stdio.h>

enum { VARIABLES = 50, OPS = 40, NAMES = 4 };

typedef struct {
    int read[NAMES], mutate[NAMES];
    int nread, nmutate;
    int cost, priority, lane;
    bool fails, later, deletes;
} step;

typedef struct {
    const step *what;
    uint64_t *values;
    lz_op *op;
} call;

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static void mix(const step *s, uint64_t *values)
{
    uint64_t sum = 1;
    for (int k = 0; k < s->nread; k++) sum = sum * 31 + values[s->read[k]];
    for (int k = 0; k < s->nmutate; k++) sum = sum * 31 + values[s->mutate[k]];
    for (int k = 0; k < s->nmutate; k++) values[s->mutate[k]] = sum + k;
}

static void spend(int cost)
{
    for (volatile int k = 0; k < cost; k++) { }
}

/* Operations that end later are ended by this thread. */
static lz_mutex later_lock = LZ_MUTEX_INIT;
static lz_condition later_work;
static call *later_calls[1024];
static int later_count;
static bool later_stop;

static void *end_later(void *unused)
{
    (void)unused;
    lz_lock(&later_lock);
    for (;;) {
        if (!later_count) {
            if (later_stop) break;
            lz_wait_on(&later_work, &later_lock);
            continue;
        }
        call *c = later_calls[--later_count];
        lz_unlock(&later_lock);
        mix(c->what, c->values);
        lz_complete(c->op);
        lz_lock(&later_lock);
    }
    lz_unlock(&later_lock);
    return NULL;
}

static int run_step(lz_op *op)
{
    call *c = (call *)op->task.arg;
    spend(c->what->cost);
    if (c->what->fails) {
        lz_fail(op, NULL);
        return 1;
    }
    if (c->what->later) {
        c->op = op;
        lz_lock(&later_lock);
        later_calls[later_count++] = c;
        lz_signal(&later_work);
        lz_unlock(&later_lock);
        return 0;
    }
    mix(c->what, c->values);
    return 1;
}

static void draw_names(int *names, int *n, int most)
{
    *n = (int)draw(most);
    for (int k = 0; k < *n; k++) names[k] = (int)draw(VARIABLES);
}

/* What the program must leave: values, and which variables are poisoned. */
static void run_serially(const step *steps, uint64_t *values, bool *poisoned)
{
    bool deleted[VARIABLES] = {false};
    for (int i = 0; i < OPS; i++) {
        const step *s = &steps[i];
        bool refused = false, fails = s->fails;
        for (int k = 0; k < s->nread; k++) {
            refused |= deleted[s->read[k]];
            fails |= poisoned[s->read[k]];
        }
        for (int k = 0; k < s->nmutate; k++) {
            refused |= deleted[s->mutate[k]];
            fails |= poisoned[s->mutate[k]];
        }
        if (refused) continue;
        if (s->deletes) {
            deleted[s->mutate[0]] = true;
            if (!s->fails) mix(s, values);      /* runs in spite of poison */
        } else if (!fails) mix(s, values);
        if (fails) for (int k = 0; k < s->nmutate; k++) poisoned[s->mutate[k]] = true;
    }
}

static bool differs(lz_engine *e, int threads)
{
    static step steps[OPS];
    static call calls[OPS];
    uint64_t values[VARIABLES], expected[VARIABLES];
    bool poisoned[VARIABLES] = {false};
    lz_variable *variables[VARIABLES];
    for (int k = 0; k < VARIABLES; k++) {
        values[k] = expected[k] = draw(1000);
        variables[k] = lz_new_variable(e);
    }
    for (int i = 0; i < OPS; i++) {
        step *s = &steps[i];
        draw_names(s->read, &s->nread, NAMES);
        draw_names(s->mutate, &s->nmutate, NAMES - 1);
        s->cost = draw(8) ? 0 : (int)draw(2000);
        s->priority = (int)draw(5) - 2;
        s->lane = (int)draw(2);
        s->fails = draw(40) == 0;
        s->later = draw(20) == 0;
        s->deletes = draw(30) == 0;
        if (s->deletes) {
            s->nread = s->later = 0;
            s->nmutate = 1;
            s->mutate[0] = (int)draw(VARIABLES);
        }
        for (int k = 0; k < s->nmutate; k++)    /* each is mixed once */
            for (int j = 0; j < k; j++)
                if (s->mutate[j] == s->mutate[k]) {
                    s->nmutate = k;
                    break;
                }
    }
    run_serially(steps, expected, poisoned);
    bool wrong = false;
    for (int i = 0; i < OPS; i++) {
        step *s = &steps[i];
        lz_variable *read[NAMES], *mutate[NAMES];
        for (int k = 0; k < s->nread; k++) read[k] = variables[s->read[k]];
        for (int k = 0; k < s->nmutate; k++) mutate[k] = variables[s->mutate[k]];
        calls[i] = (call){s, values, NULL};
        lz_task task = {run_step, &calls[i], {NULL}, 0, s->priority, 8, threads ? s->lane : 0, s->deletes, s->deletes};
        lz_status status = lz_push(e, &task, read, s->nread, mutate, s->nmutate, NULL);
        if (status && status != LZ_DELETED) wrong = true;
    }
    lz_failure *failures;
    for (int k = 0; k < VARIABLES; k += 3) {
        lz_status status = lz_wait(e, variables[k], NULL, NULL, &failures);
        if (status == LZ_OK && (failures != NULL) != poisoned[k]) wrong = true;
        lz_lock(&lz_engines_lock);
        lz_drop_failure(e, failures);
        lz_unlock(&lz_engines_lock);
    }
    if (lz_wait(e, NULL, NULL, NULL, &failures)) wrong = true;
    lz_lock(&lz_engines_lock);
    for (lz_failure *at; (at = failures);) {
        failures = at->next;
        lz_drop_failure(e, at);
    }
    for (lz_failure *at; (at = e->failure_garbage);) {
        e->failure_garbage = at->next;
        free(at);
    }
    lz_unlock(&lz_engines_lock);
    for (int k = 0; k < VARIABLES; k++) {
        if (values[k] != expected[k]) wrong = true;
        lz_disown(variables[k]);
    }
    return wrong;
}

typedef struct {
    lz_engine *engine;
    int lane;
} worker;

static void *work(void *arg)
{
    worker *w = (worker *)arg;
    lz_work(w->engine, w->lane);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    long programs = atol(argv[1]), wrong = 0;
    state = strtoull(argv[2], NULL, 10) * 2 + 1;
    int threads = atoi(argv[3]);
    lz_engine *e = lz_new_engine();
    e->budget = 200;
    if (!threads) e->seed = state;
    lz_add_lane(e, threads);
    lz_add_lane(e, threads ? 1 : 0);
    pthread_t ids[64], ender;
    worker workers[64];
    lz_condition_init(&later_work);
    pthread_create(&ender, NULL, end_later, NULL);
    for (int k = 0; k < threads + (threads > 0); k++) {
        workers[k] = (worker){e, k == threads};
        lz_lock(&lz_engines_lock);
        e->lanes[k == threads]->threads++;
        lz_unlock(&lz_engines_lock);
        pthread_create(&ids[k], NULL, work, &workers[k]);
    }
    for (long p = 0; p < programs; p++) wrong += differs(e, threads);
    lz_close(e);
    for (int k = 0; k < threads + (threads > 0); k++) pthread_join(ids[k], NULL);
    lz_lock(&later_lock);
    later_stop = true;
    lz_signal(&later_work);
    lz_unlock(&later_lock);
    pthread_join(ender, NULL);
    if (e->pending || e->variables || e->nbytes) wrong++;
    lz_free_engine(e);
    printf("%ld programs, %ld differ\n", programs, wrong);
    return wrong > 0;
}
