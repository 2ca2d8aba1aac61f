console.log(Reflect.ownKeys(globalThis).map(String).sort().join('\n'));
console.log(Reflect.ownKeys(process).map(String).sort().join('\n'));
console.log(Object.getOwnPropertyNames(Object.prototype), Object.isFrozen(Array.prototype), typeof gc);
