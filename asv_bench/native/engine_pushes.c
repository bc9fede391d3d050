/* Push empty operations on 50 variables, each of which reads one and mutates another, and wait for them.

   Arguments: pushes, threads. Prints the microseconds of a push, those until all have run, and whether memory grew. */
#include "clock.h"
#include "engine_run.h"
#include <stdio.h>

static int run_nothing(lz_op *op)
{
    (void)op;
    return 1;
}

static void *work(void *engine)
{
    lz_work((lz_engine *)engine, 0);
    return NULL;
}

static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return resident;
}

int main(int argc, char **argv)
{
    const long pushes = argc > 1 ? atol(argv[1]) : 1000000;
    const int threads = argc > 2 && atoi(argv[2]) <= 64 ? atoi(argv[2]) : 2;
    lz_engine *e = lz_new_engine();
    lz_add_lane(e, threads);
    pthread_t ids[64];
    e->lanes[0]->threads = threads;
    for (int k = 0; k < threads; k++) pthread_create(&ids[k], NULL, work, e);
    lz_variable *variables[50];
    for (int k = 0; k < 50; k++) variables[k] = lz_new_variable(e);
    lz_task task = {.run = run_nothing, .nbytes = 1};
    lz_failure *failures;
    double pushed = 0, ended = 0;
    long pages[2];
    for (int round = 0; round < 2; round++) {
        const double start = lz_now();
        for (long k = 0; k < pushes; k++)
            lz_push(e, &task, &variables[k % 50], 1, &variables[(k + 7) % 50], 1, NULL);
        pushed = lz_now() - start;
        lz_wait(e, NULL, NULL, NULL, &failures);
        ended = lz_now() - start;
        pages[round] = resident_pages();
    }
    lz_close(e);
    for (int k = 0; k < threads; k++) pthread_join(ids[k], NULL);
    printf("%.3f %.3f %ld\n", pushed / pushes * 1e6, ended / pushes * 1e6, 4 * (pages[1] - pages[0]));
    return 0;
}
