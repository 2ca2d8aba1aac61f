import { prepare } from './lib/prepare.mjs';

await prepare({ rebuild: process.argv.includes('--force') });
