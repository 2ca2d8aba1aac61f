/**
 * For processes of ours that stay. Node compiles and collects in four threads besides; each keeps for good what it once had to allocate,
 * which is several megabytes, and one is just as fast for what we do.
 */
export const fewThreads = ['--v8-pool-size=1'];
