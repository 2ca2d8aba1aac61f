export const beside = import.meta.url;
