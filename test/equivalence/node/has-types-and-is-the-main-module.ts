console.log(typeof require, typeof module, typeof __filename);
if (typeof require !== 'undefined') console.log(require.main === module, __filename);
const later = async (): Promise<string> => 'later';
later().then((text: string) => console.log(text));
process.exitCode = 3;
