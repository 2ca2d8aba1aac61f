const { statSync } = require('node:fs');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');

if (isMainThread) {
  const writtenMs = statSync(process.argv[2]).mtimeMs - 5;
  const beforeMs = performance.now();
  new Worker(__filename, { workerData: writtenMs }).on('message', ({ origin, nowMs, milestones, isTrue }) => {
    console.log(...isTrue);
    const { timeOrigin, nodeTiming } = performance;
    console.log(origin === timeOrigin, beforeMs < nowMs, nowMs < performance.now());
    console.log(milestones.nodeStart === nodeTiming.nodeStart, milestones.v8Start === nodeTiming.v8Start);
    console.log(milestones.environment > beforeMs, milestones.bootstrapComplete < nowMs);
  });
} else {
  const nowMs = performance.now();
  const isSince = (ms) => ms > 0 && ms < Date.now() - workerData;
  const isTrue = [isSince(nowMs), isSince(process.uptime() * 1000), performance.timeOrigin > workerData];
  const milestones = performance.nodeTiming.toJSON();
  parentPort.postMessage({ origin: performance.timeOrigin, nowMs, milestones, isTrue });
}
