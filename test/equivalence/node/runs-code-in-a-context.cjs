const vm = require('node:vm');
console.log(vm.runInNewContext('typeof require + typeof process + x', { x: 1 }), vm.runInThisContext('typeof process'));
console.log(eval('typeof module'), new Function('return typeof module')());
vm.runInThisContext('made.up()', { filename: 'made-up.js' });
