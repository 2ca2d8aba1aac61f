export const part = import.meta.url;
