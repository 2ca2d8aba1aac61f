process.emitWarning('own warning', { code: 'OWN', detail: 'more of it' });
process.emitWarning('old', 'DeprecationWarning', 'OLD1');
new Buffer(1);
console.log('main is done');
