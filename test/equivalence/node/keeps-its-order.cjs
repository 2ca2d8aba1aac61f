setImmediate(() => console.log('immediate'));
setTimeout(() => console.log('later'), 20);
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('microtask'));
Promise.resolve().then(() => console.log('promise'));
(async () => {
  console.log('async');
  await null;
  console.log('after await');
  process.nextTick(() => console.log('tick within'));
})();
console.log('main');
