/**
 * Node flags for long-lived processes of Hob.
 *
 * - By default Node has four more threads that compile and collect garbage. Each keeps several megabytes that it once
 *   allocated, and one thread is as fast for this work.
 * - By default the space for young objects grows to 32 MB under load and stays that large. Most objects of a request are
 *   garbage soon, so a small space that is collected often takes no more time.
 */
export const longLivedFlags = ['--v8-pool-size=1', '--max-semi-space-size=1'];
