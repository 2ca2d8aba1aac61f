import { beside } from './beside.mjs';
console.log(import.meta.url, process.argv[1], beside);
