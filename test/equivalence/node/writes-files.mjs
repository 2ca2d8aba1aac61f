import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
await mkdir('made/deep', { recursive: true });
await writeFile('made/deep/file.txt', '内容');
await symlink('deep/file.txt', 'made/link');
await writeFile('private.txt', 'x', { mode: 0o600 });
console.log(await readFile('made/link', 'utf8'), (await stat('private.txt')).mode.toString(8));
