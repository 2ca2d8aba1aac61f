import { readFileSync } from 'node:fs';
const { environment } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const headers = { 'content-type': 'application/json' };
const body = JSON.stringify({ fraction: 0.5, message: 'half' });
console.log((await fetch(`${environment.api_base}/api/progress`, { method: 'POST', headers, body })).status);
