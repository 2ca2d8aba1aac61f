import { prepare } from './lib/prepare.mjs';

prepare({ rebuild: process.argv.includes('--force') });
