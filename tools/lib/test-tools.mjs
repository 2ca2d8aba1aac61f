import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { root, say } from './prepare.mjs';

/** Programs that tests start, with their Debian packages. */
const debianPackages = {
  chromium: 'chromium',
  curl: 'curl',
  'dbus-daemon': 'dbus',
  dunst: 'dunst',
  faketime: 'faketime',
  fish: 'fish',
  gsettings: 'libglib2.0-bin',
  import: 'imagemagick',
  lua: 'lua5.4',
  mypy: 'mypy',
  nemo: 'nemo',
  openssl: 'openssl',
  perl: 'perl',
  php: 'php-cli',
  python3: 'python3',
  ruby: 'ruby',
  'systemd-analyze': 'systemd',
  thunar: 'thunar',
  tmux: 'tmux',
  wget: 'wget',
  xdotool: 'xdotool',
  'xfce4-terminal': 'xfce4-terminal',
  xterm: 'xterm',
  xwininfo: 'x11-utils',
  'xfconf-query': 'xfconf',
  Xvfb: 'xvfb',
  zenity: 'zenity',
  zsh: 'zsh',
};

/** Debian packages without a program on PATH, with a command that succeeds if the package is installed. */
const debianLibraries = {
  'at-spi2-core': ['test', '-x', '/usr/libexec/at-spi-bus-launcher'],
  'fonts-dejavu-core': ['test', '-e', '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'],
  'fonts-noto-color-emoji': ['test', '-e', '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf'],
  'fonts-wqy-microhei': ['test', '-e', '/usr/share/fonts/truetype/wqy/wqy-microhei.ttc'],
  'gir1.2-atspi-2.0': ['sh', '-c', 'test -e /usr/lib/*/girepository-1.0/Atspi-2.0.typelib'],
  'gnome-settings-daemon-common': [
    'test',
    '-e',
    '/usr/share/glib-2.0/schemas/org.gnome.settings-daemon.plugins.media-keys.gschema.xml',
  ],
  'notification-daemon': ['test', '-x', '/usr/lib/notification-daemon/notification-daemon'],
  'python3-gi': ['/usr/bin/python3', '-c', 'import gi'],
  'python3-hypothesis': ['/usr/bin/python3', '-c', 'import hypothesis'],
  'python3-numpy': ['/usr/bin/python3', '-c', 'import numpy'],
  'python3-pandas': ['/usr/bin/python3', '-c', 'import pandas'],
  'python3-pil': ['/usr/bin/python3', '-c', 'import PIL'],
  'python3-pip': ['/usr/bin/python3', '-c', 'import pip'],
  'python3-pytest': ['/usr/bin/python3', '-c', 'import pytest'],
  'python3-requests': ['/usr/bin/python3', '-c', 'import requests'],
  'python3-scipy': ['/usr/bin/python3', '-c', 'import scipy'],
  'python3-setuptools': ['/usr/bin/python3', '-c', 'import setuptools'],
  'python3-wheel': ['/usr/bin/python3', '-c', 'import wheel'],
  // The name of its folder contains the architecture of the machine.
  'xfce4-notifyd': ['sh', '-c', 'test -x /usr/lib/*/xfce4/notifyd/xfce4-notifyd'],
};

/** Interpreters that are available as npm packages, and the path of the program in the package. */
const npmTools = {
  'linux x64': [
    { name: '@oven/bun-linux-x64-baseline', version: '1.4.4', folder: 'bin' },
    { name: '@deno/linux-x64-glibc', version: '2.9.5', folder: '.' },
  ],
  'linux arm64': [
    { name: '@oven/bun-linux-aarch64', version: '1.4.4', folder: 'bin' },
    { name: '@deno/linux-arm64-glibc', version: '2.9.5', folder: '.' },
  ],
};

/** Packages that tests import, or start with a Node of their choice. None of them is on PATH: Node 22 would replace the Node of the scripts. */
const npmPackages = [
  { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' },
  { name: '@modelcontextprotocol/inspector', version: '2.12.0' },
  { name: '@modelcontextprotocol/sdk', version: '1.32.2' },
  { name: `node-${process.platform}-${process.arch}`, version: '22.23.3' },
];

const toolsFolder = join(root, '.cache', 'tools');

/**
 * Installs missing programs that the tests start, if possible. Tests that need a program that is still missing are skipped and say so.
 * Returns the environment in which the tests find them.
 */
export function installTestTools() {
  installDebianPackages();
  for (const tool of [...ownNpmTools(), ...npmPackages]) installNpmTool(tool);
  return findTestTools();
}

/** The same environment, without an installation. */
export function findTestTools() {
  const installed = (tools) => tools.map(placesOf).filter(({ content }) => existsSync(content));
  return {
    TEST_TOOLS_PATH: installed(ownNpmTools())
      .map(({ content }) => content)
      .join(delimiter),
    TEST_PACKAGES_PATH: installed(npmPackages)
      .map(({ modules }) => modules)
      .join(delimiter),
  };
}

function ownNpmTools() {
  return npmTools[`${process.platform} ${process.arch}`] ?? [];
}

function placesOf({ name, version, folder = '.' }) {
  const place = join(toolsFolder, `${name.replaceAll(/[@/]/g, '')}-${version}`);
  const modules = join(place, 'node_modules');
  return { place, modules, content: join(modules, name, folder) };
}

function installDebianPackages() {
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) return;
  const programs = Object.keys(debianPackages).filter((program) => !isOnPath(program));
  installEach(programs.map((program) => debianPackages[program]));
  // After the programs, because the name of one library depends on the version of Python.
  const libraries = { ...debianLibraries, ...pythonTestSuite() };
  installEach(Object.keys(libraries).filter((name) => !succeeds(libraries[name])));
}

/** CPython's own tests. The name of their Debian package contains the version of Python. */
function pythonTestSuite() {
  const python = '/usr/bin/python3';
  const print = 'import sys; print("libpython%d.%d-testsuite" % sys.version_info[:2], end="")';
  const { status, stdout } = spawnSync(python, ['-c', print], { encoding: 'utf8' });
  // Python itself brings `test.support`, and none of the tests.
  return status === 0 ? { [stdout]: [python, '-c', 'import test.test_dict'] } : {};
}

function installEach(packages) {
  if (packages.length === 0) return;
  say(`Installing for the tests: ${packages.join(', ')} ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: ['ignore', 'ignore', 2], env };
  spawnSync('apt-get', ['update', '-qq'], options);
  const install = (...names) =>
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], options).status === 0;
  // If that fails, install one by one: a package that this release does not have must not block the others.
  if (!install(...packages)) for (const name of packages) install(name);
}

/** The folder of the content exists afterwards if the installation succeeded. A failed package does not block the others. */
function installNpmTool(tool) {
  const { name, version } = tool;
  const { place, content } = placesOf(tool);
  if (existsSync(content)) return;
  say(`Installing for the tests: ${name}@${version} ...`);
  mkdirSync(place, { recursive: true });
  const args = [
    'install',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  spawnSync('npm', [...args, '--prefix', place, `${name}@${version}`], { stdio: ['ignore', 'ignore', 2] });
}

function succeeds([program, ...args]) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
