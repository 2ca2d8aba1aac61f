#define _GNU_SOURCE
/*
 * Measures the system without a service: repeatedly starts a command with its output in a pipe, reads the pipe to its end and waits for the
 * process. Arguments: duration in milliseconds, the file, its arguments. Prints the microseconds of each run, one per line.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int run_once(char **command) {
  int ends[2], status;
  char buffer[65536];
  pid_t pid;
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  int failed = posix_spawn(&pid, command[0], &actions, NULL, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return -1;
  }
  while (read(ends[0], buffer, sizeof buffer) > 0) {
  }
  close(ends[0]);
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  double until = now_us() + atof(arguments[1]) * 1000;
  for (;;) {
    double began = now_us();
    if (began >= until) return 0;
    if (run_once(arguments + 2) != 0) {
      fprintf(stderr, "%s could not be run\n", arguments[2]);
      return 1;
    }
    printf("%.1f\n", now_us() - began);
  }
}
