/** The id of Hob's own script that builds environments. */
export const builderId = '6d2f1f0e-53f4-4c39-9a2b-7d0c8b1e4a55';
