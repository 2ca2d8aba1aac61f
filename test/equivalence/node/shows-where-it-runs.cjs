const { readFileSync, readlinkSync, fstatSync, readdirSync } = require('node:fs');
const { execSync } = require('node:child_process');
const [, , group, session, tty] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
console.log(+group === process.pid, +session === process.pid, tty, process.umask().toString(8));
console.log(readFileSync('/proc/self/limits', 'utf8'));
console.log(readlinkSync('/proc/self/exe'), readlinkSync('/proc/self/cwd'), readFileSync('/proc/self/comm', 'utf8'));
console.log(readFileSync('/proc/self/oom_score_adj', 'utf8'), require('node:os').getPriority());
const kinds = readdirSync('/proc/self/fd').flatMap((fd) => {
  try {
    const stats = fstatSync(+fd);
    return stats.isFIFO() ? ['pipe'] : stats.isFile() ? ['file'] : stats.isSocket() ? ['socket'] : stats.isDirectory() ? ['folder'] : [];
  } catch {
    return [];
  }
});
console.log([0, 1, 2].map((fd) => fstatSync(fd).isFIFO()), readlinkSync('/proc/self/fd/0'));
console.log(kinds.sort().join(' '));
const look = 'for fd in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; true';
console.log(execSync(look, { stdio: ['ignore', 'pipe', 'inherit'] }).toString());
