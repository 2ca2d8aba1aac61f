/**
 * Node flags for long-lived processes of Hob. By default Node has four more threads that compile and collect garbage.
 * Each keeps several megabytes that it once allocated, and one thread is as fast for this work.
 */
export const fewThreads = ['--v8-pool-size=1'];
