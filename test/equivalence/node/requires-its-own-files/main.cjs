const part = require('./part.cjs');
console.log(part, module.children.map(({ id }) => id), Object.keys(require.cache));
console.log(require('./data.json'), require('installed'), require('installed/sub'));
console.log(require('./circle-a.cjs').seen);
console.log(require.resolve('installed'), require.resolve.paths('installed')[0]);
