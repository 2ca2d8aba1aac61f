console.log(Object.keys(console).sort().join(' '));
console.group('group');
console.table([{ a: 1 }]);
console.groupEnd();
console.assert(false, 'asserted');
console.count();
console.warn({ deep: { deeper: { deepest: {} } } }, [undefined, null], new Map([[1, 2]]));
console.dir(process.versions.node.split('.').length);
