setImmediate(() => {
  console.log('immediate');
  setTimeout(() => console.log('later'), 0);
  process.nextTick(() => console.log('tick of the immediate'));
});
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
