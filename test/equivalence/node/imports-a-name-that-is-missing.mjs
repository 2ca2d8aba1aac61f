import { noSuchName } from 'node:fs';
