export const value = new URL(import.meta.url).pathname;
