import { readFileSync } from 'node:fs';
import { type Shape, area } from './shape.ts';

interface Run {
  environment: { run_id: string };
}
const run: Run = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'));
const shape: Shape = { kind: 'square', side: 3 };
console.log(area(shape), run.environment.run_id, process.argv, process.execArgv.length);
console.log(import.meta.url, <T>(value: T): T => value);
