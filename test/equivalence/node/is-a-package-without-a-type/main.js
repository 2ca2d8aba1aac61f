console.log(require('./package.json').name, require('.') === module.exports, __filename);
import('./inner.mjs').then((inner) => console.log(inner.default));
