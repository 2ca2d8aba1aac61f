console.log(import.meta.url, import.meta.dirname, import.meta.filename, Object.keys(import.meta));
console.log(import.meta.resolve('./other.mjs'), import.meta.resolve('node:fs'), this);
try {
  console.log(import.meta.resolve('of-nobody'));
} catch (error) {
  console.log(error.code);
}
const self = await import('./main.mjs');
console.log(Object.keys(self), import.meta.url === (await import(import.meta.url)).url);
export const url = import.meta.url;
