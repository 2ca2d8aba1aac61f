console.log(require.main === module, module.id, module.filename, module.loaded, module.parent, module.children);
console.log(module.paths, process.mainModule === module, typeof module.isPreloading, module.isPreloading);
console.log(__filename, __dirname, require.main.filename, this === module.exports, exports === module.exports);
console.log(arguments.length, Object.keys(require), require.resolve('./main.cjs'));
console.log(Object.keys(require.cache), Object.keys(module), module.constructor.name);
