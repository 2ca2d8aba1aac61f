console.log(import.meta.url, import.meta.dirname, import.meta.filename, Object.keys(import.meta));
console.log(import.meta.resolve('./other.mjs'), import.meta.resolve('node:fs'), this);
try {
  console.log(import.meta.resolve('of-nobody'));
} catch (error) {
  console.log(error.code);
}
import('./main.mjs').then((self) => console.log(Object.keys(self), self.url === import.meta.url));
export const url = import.meta.url;
