// The real entry of the thread, from its source: Node alone does not read TypeScript.
import { register } from 'tsx/esm/api';

register();
await import('../../../src/models/downloads/hashing/hash-worker.ts');
