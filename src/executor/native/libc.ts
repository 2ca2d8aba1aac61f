import { createRequire } from 'node:module';
import { getSystemErrorName } from 'node:util';

/** Room for each of the system's own structures; the largest takes 336 bytes. */
const structureBytes = 1024;

/** The calls of the C library that Node does not offer. */
export interface Libc {
  readonly pipe: (ends: number[]) => number;
  /** Missing on macOS. */
  readonly pipe2: ((ends: number[], flags: number) => number) | null;
  readonly socketpair: (domain: number, type: number, protocol: number, ends: number[]) => number;
  readonly fcntl: (fd: number, command: number, type: 'int', value: number) => number;
  readonly waitpid: (pid: number, status: number[], options: number) => number;
  /** Missing on macOS. */
  readonly prctl: ((option: number, a: number, b: number, c: number, d: number) => number) | null;
  readonly spawn: (
    pid: number[],
    path: string,
    actions: Buffer,
    attributes: Buffer,
    argv: readonly (string | null)[],
    envp: readonly (string | null)[],
  ) => number;
  readonly actions: {
    readonly init: (actions: Buffer) => number;
    readonly destroy: (actions: Buffer) => number;
    readonly open: (actions: Buffer, fd: number, path: string, flags: number, mode: number) => number;
    readonly dup2: (actions: Buffer, from: number, to: number) => number;
    readonly chdir: (actions: Buffer, path: string) => number;
  };
  readonly attributes: {
    readonly init: (attributes: Buffer) => number;
    readonly setFlags: (attributes: Buffer, flags: number) => number;
    readonly setDefaultSignals: (attributes: Buffer, signals: Buffer) => number;
  };
  readonly sigfillset: (signals: Buffer) => number;
  /** The error of the last call. */
  readonly errno: () => number;
}

/** Null where the library that makes these calls has no build for this machine. */
export function loadLibc(): Libc | null {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return null;
  try {
    return declare(createRequire(import.meta.url)('koffi') as typeof import('koffi'));
  } catch {
    return null;
  }
}

function declare(koffi: typeof import('koffi')): Libc {
  const library = koffi.load(null);
  const c = (declaration: string) => library.func(declaration);
  const onLinux = (declaration: string) => (process.platform === 'linux' ? c(declaration) : null);
  return {
    pipe: c('int pipe(_Out_ int *ends)'),
    pipe2: onLinux('int pipe2(_Out_ int *ends, int flags)'),
    socketpair: c('int socketpair(int domain, int type, int protocol, _Out_ int *ends)'),
    fcntl: c('int fcntl(int fd, int command, ...)'),
    waitpid: c('int waitpid(int pid, _Out_ int *status, int options)'),
    prctl: onLinux(
      'int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)',
    ),
    spawn: c(
      'int posix_spawn(_Out_ int *pid, const char *path, void *actions, void *attributes, const char **argv, const char **envp)',
    ),
    actions: {
      init: c('int posix_spawn_file_actions_init(void *actions)'),
      destroy: c('int posix_spawn_file_actions_destroy(void *actions)'),
      open: c(
        'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, int mode)',
      ),
      dup2: c('int posix_spawn_file_actions_adddup2(void *actions, int from, int to)'),
      chdir: c('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)'),
    },
    attributes: {
      init: c('int posix_spawnattr_init(void *attributes)'),
      setFlags: c('int posix_spawnattr_setflags(void *attributes, short flags)'),
      setDefaultSignals: c('int posix_spawnattr_setsigdefault(void *attributes, void *signals)'),
    },
    sigfillset: c('int sigfillset(void *signals)'),
    errno: () => koffi.errno(),
  };
}

export function newStructure(): Buffer {
  return Buffer.alloc(structureBytes);
}

/** An error like those of Node's own functions. */
export function systemError(call: string, errno: number): Error {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${code}: ${call}`), { code, errno: -errno, syscall: call });
}
