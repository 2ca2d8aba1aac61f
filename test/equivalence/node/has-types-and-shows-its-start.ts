import { readFileSync, statSync } from 'node:fs';

const first: number[] = [performance.now(), process.uptime() * 1000];
const writtenMs: number = statSync(process.argv[2] ?? '').mtimeMs - 5;
const isSince = (ms: number): boolean => ms > 0 && ms < Date.now() - writtenMs;
console.log(performance.timeOrigin > writtenMs, first.map(isSince), performance.mark('mark').startTime > (first[1] ?? 0));

const { nodeStart, v8Start, environment, bootstrapComplete, idleTime } = performance.nodeTiming;
const times: number[] = [0, nodeStart, v8Start, environment, bootstrapComplete, first[0] ?? 0];
console.log(times.every((time, at) => at === 0 || (times[at - 1] ?? 0) <= time), idleTime < performance.now());
const { idle, active } = performance.eventLoopUtilization();
console.log(idle >= 0, active >= 0, idle + active < performance.now());

const commandLine = (): string => readFileSync('/proc/self/cmdline', 'utf8').replace(/\0+$/, '');
console.log(commandLine().split('\0'), process.title, process.execArgv.length);
process.title = '短 title';
console.log([process.title, commandLine()]);
