console.log(Reflect.ownKeys(globalThis).map(String).sort().join('\n'));
console.log(typeof require, typeof module, typeof __filename, typeof exports, this);
