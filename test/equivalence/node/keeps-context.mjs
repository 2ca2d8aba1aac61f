import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
const storage = new AsyncLocalStorage();
console.log(storage.getStore(), executionAsyncId() >= 0);
storage.run('kept', () => setTimeout(() => Promise.resolve().then(() => console.log(storage.getStore())), 1));
storage.exit(() => console.log(storage.getStore()));
