import { isOnPath } from '../../shared/find-program.ts';
import type { Problem, Script } from '../script.ts';
import { type Unavailable, unavailable } from './command.ts';

/** Package managers, in the order of detection. */
const managers = {
  'apt-get': 'sudo apt install',
  dnf: 'sudo dnf install',
  pacman: 'sudo pacman -S',
  zypper: 'sudo zypper install',
  apk: 'sudo apk add',
  brew: 'brew install',
  winget: 'winget install',
  scoop: 'scoop install',
} as const;

type Manager = keyof typeof managers;
type Lack = Pick<Problem, 'message' | 'advice'>;

/** Package name of a program: a default, and exceptions by package manager. */
type Packages = { readonly any?: string } & { readonly [manager in Manager]?: string };

const ffmpeg: Packages = { any: 'ffmpeg', dnf: 'ffmpeg-free', winget: 'Gyan.FFmpeg' };
const imageMagick: Packages = {
  any: 'imagemagick',
  dnf: 'ImageMagick',
  zypper: 'ImageMagick',
  winget: 'ImageMagick.ImageMagick',
};
const poppler: Packages = {
  any: 'poppler-utils',
  pacman: 'poppler',
  zypper: 'poppler-tools',
  brew: 'poppler',
  scoop: 'poppler',
};

/** The programs that scripts need most. Other programs get no advice rather than a guess. */
const packages: Readonly<Record<string, Packages>> = {
  '7z': { any: '7zip', 'apt-get': 'p7zip-full', dnf: 'p7zip-plugins', brew: 'sevenzip', winget: '7zip.7zip' },
  adb: { any: 'android-tools', 'apt-get': 'adb', brew: 'android-platform-tools', scoop: 'adb' },
  aria2c: { any: 'aria2', winget: 'aria2.aria2' },
  convert: imageMagick,
  curl: { any: 'curl', winget: 'cURL.cURL' },
  cwebp: {
    any: 'webp',
    dnf: 'libwebp-tools',
    pacman: 'libwebp',
    zypper: 'libwebp-tools',
    apk: 'libwebp-tools',
    scoop: 'libwebp',
  },
  docker: { any: 'docker', 'apt-get': 'docker.io', winget: 'Docker.DockerDesktop' },
  dot: { any: 'graphviz', winget: 'Graphviz.Graphviz' },
  exiftool: {
    any: 'exiftool',
    'apt-get': 'libimage-exiftool-perl',
    dnf: 'perl-Image-ExifTool',
    pacman: 'perl-image-exiftool',
    winget: 'OliverBetz.ExifTool',
  },
  ffmpeg,
  ffprobe: ffmpeg,
  git: { any: 'git', winget: 'Git.Git' },
  gs: { any: 'ghostscript', winget: 'ArtifexSoftware.GhostScript' },
  inkscape: { any: 'inkscape', winget: 'Inkscape.Inkscape' },
  jq: { any: 'jq', winget: 'jqlang.jq' },
  magick: imageMagick,
  mediainfo: { any: 'mediainfo', brew: 'media-info', winget: 'MediaArea.MediaInfo' },
  mpv: { any: 'mpv' },
  npm: { any: 'npm', pacman: 'npm', brew: 'node', winget: 'OpenJS.NodeJS', scoop: 'nodejs' },
  optipng: { any: 'optipng' },
  pandoc: { any: 'pandoc', winget: 'JohnMacFarlane.Pandoc' },
  pdftoppm: poppler,
  pdftotext: poppler,
  pngquant: { any: 'pngquant' },
  qpdf: { any: 'qpdf', winget: 'QPDF.QPDF' },
  rg: { any: 'ripgrep', winget: 'BurntSushi.ripgrep.MSVC' },
  rsync: { any: 'rsync' },
  soffice: { any: 'libreoffice', pacman: 'libreoffice-fresh', winget: 'TheDocumentFoundation.LibreOffice' },
  sox: { any: 'sox', winget: 'ChrisBagwell.SoX' },
  sqlite3: {
    any: 'sqlite3',
    dnf: 'sqlite',
    pacman: 'sqlite',
    apk: 'sqlite',
    brew: 'sqlite',
    winget: 'SQLite.SQLite',
    scoop: 'sqlite',
  },
  tesseract: {
    any: 'tesseract',
    'apt-get': 'tesseract-ocr',
    zypper: 'tesseract-ocr',
    apk: 'tesseract-ocr',
    winget: 'UB-Mannheim.TesseractOCR',
  },
  unzip: { any: 'unzip' },
  uv: { any: 'uv', winget: 'astral-sh.uv' },
  wget: { any: 'wget', winget: 'JernejSimoncic.Wget' },
  'wl-copy': { any: 'wl-clipboard' },
  xclip: { any: 'xclip' },
  'yt-dlp': { any: 'yt-dlp', winget: 'yt-dlp.yt-dlp' },
};

/** Returns why a script cannot start for lack of a declared program; null if all exist. */
export async function findMissingBinaries(
  script: Pick<Script, 'runtime'>,
  env: Readonly<Record<string, string>>,
): Promise<Unavailable | null> {
  const lacks = await lacksOf(script, env);
  if (lacks.length === 0) return null;
  // Report all missing programs at once.
  const en = lacks.map(({ message, advice }) => `${message.en}. ${advice.en}`).join('\n');
  const zh = lacks.map(({ message, advice }) => `${message.zh}。${advice.zh}`).join('\n');
  return unavailable(`${en}\nIf PATH has changed, restart Hob.`, `${zh}\n若修改了 PATH，请重启 Hob。`);
}

/** The same as notes, for a script that is not being started. */
export async function noteMissingBinaries(
  script: Pick<Script, 'runtime' | 'manifestPath'>,
  env: Readonly<Record<string, string>>,
): Promise<Problem[]> {
  const lacks = await lacksOf(script, env);
  return lacks.map((lack) => ({ severity: 'note', file: script.manifestPath, line: null, ...lack }));
}

async function lacksOf(
  { runtime }: Pick<Script, 'runtime'>,
  env: Readonly<Record<string, string>>,
): Promise<Lack[]> {
  const lacks: Lack[] = [];
  for (const binary of runtime.binaries) {
    if (await isOnPath(binary, env)) continue;
    const command = await installCommand(binary, env);
    lacks.push({
      message: {
        en: `The script needs the program "${binary}", which is not on PATH`,
        zh: `脚本需要程序 "${binary}"，但 PATH 中没有找到`,
      },
      advice: {
        en: command === null ? 'Install it' : `Install it with: ${command}`,
        zh: command === null ? '请先安装' : `请运行：${command}`,
      },
    });
  }
  return lacks;
}

/** The command that installs a program on this machine; null if unknown. */
async function installCommand(binary: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  const known = Object.hasOwn(packages, binary) ? packages[binary] : undefined;
  if (known === undefined) return null;
  for (const manager of Object.keys(managers).filter(isManager)) {
    if (!(await isOnPath(manager, env))) continue;
    // winget uses its own package ids, so the default name does not apply.
    const name = known[manager] ?? (manager === 'winget' ? undefined : known.any);
    if (name !== undefined) return `${managers[manager]} ${name}`;
  }
  return null;
}

function isManager(name: string): name is Manager {
  return name in managers;
}
