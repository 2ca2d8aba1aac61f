import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
console.log(require('node:path').sep, require.main, Object.keys(require.cache), require.resolve.paths('x')[0]);
