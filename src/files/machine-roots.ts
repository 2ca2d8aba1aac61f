import { access } from 'node:fs/promises';

const drives = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`);

/** The roots of absolute paths on this machine. */
export async function rootsOfMachine(platform = process.platform): Promise<string[]> {
  if (platform !== 'win32') return ['/'];
  const found = await Promise.all(
    drives.map((drive) =>
      access(drive).then(
        () => true,
        () => false,
      ),
    ),
  );
  return drives.filter((_, index) => found[index] === true);
}
