import { readFileSync } from 'node:fs';
import { value } from './inner.js';
import { value as again } from '#inner';
import * as self from 'own-package';
import legacy from './legacy.cjs';

console.log(value, again, typeof self, legacy, import.meta.url, typeof module, readFileSync.name);
export const exported = 1;
