/* Stops the clock that a program animates by, so that two runs show the same frame: the first question is
 * answered truly, every later one with the first answer and 1.3 seconds. Only the program named in
 * FROZEN_CLOCK_OF is lied to, and only its own code: libraries and drivers see the time as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static int lie_to(void *caller) {
    const char *name = getenv("FROZEN_CLOCK_OF");
    Dl_info found;
    if (!name || strcmp(name, program_invocation_short_name) != 0) return 0;
    if (!dladdr(caller, &found) || !found.dli_fname) return 0;
    const char *slash = strrchr(found.dli_fname, '/');
    return strcmp(slash ? slash + 1 : found.dli_fname, name) == 0;
}

static struct timespec first[16];
static int asked[16];

static void freeze(unsigned clock, struct timespec *now) {
    if (clock >= 16) return;
    if (!asked[clock]) {
        first[clock] = *now;
        asked[clock] = 1;
        return;
    }
    *now = first[clock];
    now->tv_sec += 1;
    now->tv_nsec += 300000000;
    if (now->tv_nsec >= 1000000000) {
        now->tv_sec += 1;
        now->tv_nsec -= 1000000000;
    }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(clock, now);
    if (done == 0 && lie_to(__builtin_return_address(0))) freeze((unsigned)clock, now);
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static int (*real)(struct timeval *, void *);
    if (!real) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int done = real(now, zone);
    if (done == 0 && lie_to(__builtin_return_address(0))) {
        struct timespec time = {now->tv_sec, now->tv_usec * 1000};
        freeze(15, &time);
        now->tv_sec = time.tv_sec;
        now->tv_usec = time.tv_nsec / 1000;
    }
    return done;
}
