setImmediate(() => console.log('immediate'));
setTimeout(() => console.log('later'), 20);
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('microtask'));
Promise.resolve().then(() => console.log('promise'));
console.log('main');
await null;
console.log('after await');
