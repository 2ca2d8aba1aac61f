setImmediate(() => {
  console.log('immediate');
  setTimeout(() => console.log('later'), 0);
  process.nextTick(() => console.log('tick of the immediate'));
});
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('microtask'));
Promise.resolve().then(() => console.log('promise'));
console.log('main');
await null;
console.log('after await');
