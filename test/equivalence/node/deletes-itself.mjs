import { existsSync, unlinkSync } from 'node:fs';
unlinkSync(new URL(import.meta.url));
console.log(existsSync(process.argv[1]));
throw new Error('without a file');
