#include <stdio.h>
#include <stdlib.h>

static FILE *left_open;

static void at_exit(void) { fputs("called by atexit\n", left_open); }

/* Called by the script. */
int begin(const char *path) {
    left_open = fopen(path, "w");
    fputs("left in a buffer\n", left_open);
    return atexit(at_exit);
}

__attribute__((destructor)) static void destroy(void) {
    if (left_open != NULL) fputs("called by the destructor\n", left_open);
}
