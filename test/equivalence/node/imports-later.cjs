const main = async () => {
  const { join } = await import('node:path');
  console.log(join('a', 'b'));
  await import('./of-nobody.mjs').catch((error) => console.log(error.code));
  const text = 'export default import.meta.url.length';
  console.log((await import(`data:text/javascript,${text}`)).default);
};
main();
