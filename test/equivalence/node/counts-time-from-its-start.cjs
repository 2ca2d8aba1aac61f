const { statSync } = require('node:fs');
const { performance, PerformanceObserver } = require('node:perf_hooks');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const first = [performance.now(), process.uptime() * 1000];
// Hob writes the parameter file just before the start. Both clocks may be off by a few milliseconds.
const writtenMs = statSync(process.argv[2]).mtimeMs - 5;
const isSince = (ms) => ms > 0 && ms < Date.now() - writtenMs;
const isOrdered = (...numbers) => numbers.every((number, at) => at === 0 || numbers[at - 1] <= number);
console.log(performance.timeOrigin > writtenMs, first.map(isSince));

const timing = performance.nodeTiming;
console.log(isOrdered(0, timing.nodeStart, timing.v8Start, timing.environment, timing.bootstrapComplete, first[0]));
console.log(timing.loopStart, timing.loopExit, timing.idleTime, isSince(timing.duration));
console.log(performance.eventLoopUtilization(), Object.keys(timing.toJSON()));

const mark = performance.mark('mark');
const measures = [performance.measure('all'), performance.measure('to', undefined, 'mark'), performance.measure('from', 'mark')];
console.log(isOrdered(first[1], mark.startTime, new Event('now').timeStamp, performance.now()));
console.log(measures.map(({ startTime }) => startTime === mark.startTime || startTime), measures[1].duration === mark.startTime);
console.log(measures.slice(0, 2).map(({ duration }) => isSince(duration)), isSince(performance.toJSON().timeOrigin - writtenMs));
console.log(performance.measure('start', 'nodeStart', 'bootstrapComplete').duration >= 0);

const before = performance.now();
const observer = new PerformanceObserver((list) => {
  observer.disconnect();
  console.log(list.getEntries().every(({ startTime }) => isOrdered(before, startTime, performance.now())));
  setTimeout(() => {
    const { idle, active, utilization } = performance.eventLoopUtilization();
    console.log(isOrdered(before, timing.loopStart, performance.now()), isOrdered(0, timing.idleTime, timing.duration));
    console.log(isSince(active), isOrdered(0, idle, performance.now() - timing.loopStart), isOrdered(0, utilization, 1));
  }, 2);
});
observer.observe({ entryTypes: ['gc'] });
setFlagsFromString('--expose-gc');
runInNewContext('gc')();
