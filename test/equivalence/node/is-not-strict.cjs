undeclared = 1;
console.log(globalThis.undeclared, (function () { return this === globalThis; })(), typeof arguments, new.target);
var own = 1;
console.log(globalThis.own, 010);
return;
console.log('never printed');
