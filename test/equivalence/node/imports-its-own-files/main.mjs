import data from './data.json' with { type: 'json' };
import installed, { named } from 'installed';
import { part } from './part.mjs';
console.log(data, part, installed, named);
