// Loads the real entry of the worker thread from its TypeScript source, which Node cannot read by itself.
import { register } from 'tsx/esm/api';

register();
await import('../../src/runs/outcome/outcome-worker.ts');
