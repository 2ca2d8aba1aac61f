setTimeout(() => console.log('never printed'), 60_000).unref();
setInterval(() => console.log('never printed'), 60_000).unref();
console.log('main is done');
