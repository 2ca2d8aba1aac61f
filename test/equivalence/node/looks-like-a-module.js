import { sep } from 'node:path';
console.log(sep);
