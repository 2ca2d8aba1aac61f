import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { type LoadedFolder, loadFolder, mayBeManifest } from './load-folder.ts';
import { builderId, type Problem, type Script } from './script.ts';

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
const otherId = '7d0f3c52-6a40-4f0e-8a55-1c2b9e6f4a10';

const minimal = `[service.info]
id = "${id}"
name = "Resize"

[service.runtime]
entry = "main.py"
`;

/** Creates a script folder with these files. */
async function folderWith(files: Record<string, string | Buffer>): Promise<string> {
  const folder = join(await tempFolder(), 'script');
  await mkdir(folder);
  for (const [name, content] of Object.entries({ 'main.py': '', ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

async function load(manifest: string | Buffer, name = 'script.toml'): Promise<LoadedFolder | null> {
  return loadFolder(await folderWith({ [name]: manifest }));
}

function scriptOf(loaded: LoadedFolder | null): Script {
  if (loaded?.kind === 'script') return loaded.script;
  throw new Error(`no script: ${JSON.stringify(loaded?.problems.map(({ message }) => message.en))}`);
}

function problemsOf(loaded: LoadedFolder | null): Problem[] {
  if (loaded === null) throw new Error('no manifest was found');
  return loaded.kind === 'script' ? loaded.notes : loaded.problems;
}

/** Each problem as `severity line: message`, in the order of lines. */
function summary(loaded: LoadedFolder | null): string[] {
  return problemsOf(loaded)
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ severity, line, message }) => `${severity} ${line}: ${message.en}`);
}

const manifestWith = (runtime: string, rest = '') => `${minimal}${runtime}\n${rest}`;

it('a script cannot use the id of the environment builder', async () => {
  const loaded = await load(minimal.replace(id, builderId.toUpperCase()));
  expect(loaded?.kind).toBe('broken');
  expect(summary(loaded)).toEqual(['error 2: This id is reserved for a program of Hob']);
});

describe('a complete manifest', () => {
  const complete = `# A comment
[service.info]
id = "${id.toUpperCase()}"
name = "缩放图片"
slug = "resize-images"
version = "1.0.0"
desc = "Makes them smaller"
icon = "icon.png"
tags = ["media", "daily"]

[service.runtime]
language = "python"
language_version = ">=3.8"
entry = "src\\\\main.py"
terminal = "never"
timeout = 1.5
concurrency = 1
lock = "gpu"
retries = { attempts = 3, backoff = "1.5s", factor = 3, on = ["exit", "signal"] }
survivors = "stop"
notify_on = "failure"
env = { OMP_NUM_THREADS = "2" }
binaries = [{ name = "ffmpeg" }]
require_models = true
preload = ["numpy", "xml.etree"]
warm = false

[[service.inputs]]
name = "images"
label = "Images"
type = "list"
pick = "files"
exts = [".png", ".jpg"]
description = "Pictures"

[[service.params]]
name = "quality"
label = "Quality"
type = "int"
default = 85
required = false
when = { field = "mode", eq = "lossy" }
description = "1 to 100"

[[service.params]]
name = "mode"
type = "str"
choices = ["lossy", "lossless"]
choice_labels = { lossy = "Small" }
secret = true
required = true

[[service.outputs]]
name = "output_paths"
type = "list"

[service.node]
enabled = true

[[service.models]]
source = "huggingface"
repo_id = "owner/name"
files = ["*.onnx"]

[[service.dependencies]]
id = "2F0C5C5E-8f43-4b0e-9d0e-3f2d6a1f7c22"
name = "另一个"
version = ">=1.2"

[service.mcp]
enabled = true
name = "resize"
idempotent = true
`;

  it('becomes a script with all its values', async () => {
    const folder = await folderWith({ 'script.toml': complete, 'src/main.py': '' });
    const loaded = await loadFolder(folder);
    expect(problemsOf(loaded)).toEqual([]);
    const { params, ...script } = scriptOf(loaded);
    expect(script).toEqual({
      id,
      name: '缩放图片',
      wantedSlug: 'resize-images',
      version: '1.0.0',
      description: 'Makes them smaller',
      icon: 'icon.png',
      tags: ['media', 'daily'],
      folder,
      manifestPath: join(folder, 'script.toml'),
      rootTable: 'service',
      runtime: {
        language: 'python',
        languageVersion: '>=3.8',
        entry: 'src/main.py',
        terminal: 'never',
        timeoutMs: 1500,
        concurrency: 1,
        lock: 'gpu',
        retries: { attempts: 3, backoffMs: 1500, factor: 3, on: ['exit', 'signal'] },
        survivors: 'stop',
        notifyOn: 'failure',
        env: { OMP_NUM_THREADS: '2' },
        binaries: ['ffmpeg'],
        requireModels: true,
        preload: ['numpy', 'xml.etree'],
        mayStartWarm: false,
      },
      input: {
        name: 'images',
        label: 'Images',
        type: 'list',
        pick: 'files',
        exts: ['.png', '.jpg'],
        description: 'Pictures',
      },
      outputs: [{ name: 'output_paths', type: 'list', description: null }],
      isNode: true,
      models: [{ source: 'huggingface', repoId: 'owner/name', files: ['*.onnx'] }],
      dependencies: [{ id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c22', name: '另一个', version: '>=1.2' }],
      triggers: { contextMenu: null, shortcut: null, suggestions: [] },
      mcp: {
        enabled: true,
        name: 'resize',
        readOnly: false,
        destructive: true,
        idempotent: true,
        openWorld: true,
      },
    });
    expect(params).toMatchObject([
      {
        name: 'quality',
        label: 'Quality',
        type: 'int',
        default: 85,
        required: false,
        choices: [],
        secret: false,
        when: { field: 'mode', eq: 'lossy' },
        description: '1 to 100',
      },
      {
        name: 'mode',
        label: 'mode',
        type: 'str',
        default: undefined,
        required: true,
        choices: ['lossy', 'lossless'],
        choiceLabels: { lossy: 'Small' },
        secret: true,
        when: null,
        description: null,
      },
    ]);
  });

  it.each([
    ['a byte order mark', `\uFEFF${complete}`],
    ['Windows line endings', complete.replaceAll('\n', '\r\n')],
    ['both', `\uFEFF${complete}`.replaceAll('\n', '\r\n')],
    ['UTF-16', Buffer.from(`\uFEFF${complete}`, 'utf16le')],
  ])('may be written with %s', async (_name, content) => {
    const loaded = await load(content);
    expect(problemsOf(loaded)).toEqual([]);
    expect(scriptOf(loaded)).toMatchObject({ id, name: '缩放图片', rootTable: 'service' });
  });
});

describe('the slug of a manifest', () => {
  const withSlug = (slug: string) =>
    load(minimal.replace(/^name = .*$/m, (line) => `${line}\nslug = ${slug}`));

  it.each(['"Resize_Images"', '"-a"', '""', '"图片"', '"2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11"'])(
    'is noted and ignored if it is %s',
    async (slug) => {
      const loaded = await withSlug(slug);
      expect(scriptOf(loaded).wantedSlug).toBeNull();
      expect(loaded?.kind === 'script' && loaded.notes).toMatchObject([
        {
          severity: 'note',
          line: 4,
          message: { en: expect.stringContaining(`slug ${slug} cannot be used`) },
        },
      ]);
    },
  );

  it('is proposed in a form that can be used', async () => {
    const loaded = await withSlug('"Resize_Images"');
    expect(loaded?.kind === 'script' && loaded.notes[0]?.advice.en).toContain('such as "resize-images"');
  });

  it('is an error if it is not a text', async () => {
    expect(await withSlug('7')).toMatchObject({
      kind: 'broken',
      problems: [{ severity: 'error', line: 4, message: { en: 'slug must be a string in quotes, not 7' } }],
    });
  });
});

describe('the tags of a manifest', () => {
  it('are read once each, without empty ones', async () => {
    const tagged = minimal.replace(
      /^name = .*$/m,
      (line) => `${line}\ntags = ["media", " 每日 ", "media", ""]`,
    );
    expect(scriptOf(await load(tagged)).tags).toEqual(['media', '每日']);
    const text = minimal.replace(/^name = .*$/m, (line) => `${line}\ntags = "media, 每日，media"`);
    expect(scriptOf(await load(text)).tags).toEqual(['media', '每日']);
  });

  it('must be texts', async () => {
    const loaded = await load(minimal.replace(/^name = .*$/m, (line) => `${line}\ntags = ["a", 7]`));
    expect(problemsOf(loaded)[0]).toMatchObject({ severity: 'error', line: 4 });
  });
});

describe('a short manifest', () => {
  it('is complete with an id, a name and an entry', async () => {
    expect(scriptOf(await load(minimal))).toMatchObject({
      version: null,
      description: null,
      icon: null,
      tags: [],
      runtime: {
        language: 'python',
        languageVersion: null,
        terminal: 'always',
        timeoutMs: null,
        concurrency: null,
        lock: null,
        retries: null,
        survivors: 'keep',
        notifyOn: 'never',
        env: {},
        binaries: [],
        requireModels: false,
        preload: [],
        mayStartWarm: true,
      },
      input: null,
      params: [],
      outputs: [],
      isNode: false,
      models: [],
      dependencies: [],
    });
  });

  it('may be written as one inline table, or with dotted keys', async () => {
    const inline = `service = { info = { id = "${id}", name = "x" }, runtime = { entry = "main.py" } }`;
    expect(scriptOf(await load(inline)).id).toBe(id);
    const dotted = `[service]\ninfo.id = "${id}"\ninfo.name = "x"\nruntime.entry = "main.py"\n`;
    expect(scriptOf(await load(dotted)).id).toBe(id);
  });
});

describe('the dependencies in a manifest', () => {
  const other = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c22';

  it('may be a list of bare ids', async () => {
    const { dependencies } = scriptOf(await load(`${minimal}\n[service]\ndependencies = ["${other}"]\n`));
    expect(dependencies).toEqual([{ id: other, name: null, version: null }]);
  });

  it.each([
    ['names of packages', '[service]\ndependencies = ["requests>=2", "numpy"]'],
    ['a table of another tool', '[service.dependencies]\npython = "^3.9"'],
    ['a number', '[service]\ndependencies = 3'],
    ['an invalid id', '[[service.dependencies]]\nid = "none"'],
  ])('are noted and ignored if they are %s', async (_what, text) => {
    const loaded = await load(`${minimal}\n${text}\n`);
    expect(scriptOf(loaded).dependencies).toEqual([]);
    expect(problemsOf(loaded).length).toBeGreaterThan(0);
    expect(problemsOf(loaded).every(({ severity }) => severity === 'note')).toBe(true);
  });

  it('ignore a version that is not valid', async () => {
    const loaded = await load(`${minimal}\n[[service.dependencies]]\nid = "${other}"\nversion = "soon"\n`);
    expect(scriptOf(loaded).dependencies).toEqual([{ id: other, name: null, version: null }]);
    expect(problemsOf(loaded)).toMatchObject([{ severity: 'note' }]);
  });
});

describe('the retries in a manifest', () => {
  it('are none with a single attempt', async () => {
    const loaded = await load(manifestWith('retries = { backoff = "1m" }'));
    expect(problemsOf(loaded)).toEqual([]);
    expect(scriptOf(loaded).runtime.retries).toBeNull();
  });

  it('never follow a lost run of a script with a lock', async () => {
    const loaded = await load(
      manifestWith('lock = "gpu"\nretries = { attempts = 2, on = ["lost", "exit"] }'),
    );
    expect(scriptOf(loaded).runtime.retries).toMatchObject({ attempts: 2, on: ['exit'] });
    expect(problemsOf(loaded)).toMatchObject([{ severity: 'note', line: expect.any(Number) }]);
  });

  it.each([
    '3',
    '{ attempts = 21 }',
    '{ attempts = 2, backoff = "soon" }',
    '{ attempts = 2, on = ["cancelled"] }',
  ])('are refused with the line if they are %s', async (text) => {
    const loaded = await load(manifestWith(`retries = ${text}`));
    expect(problemsOf(loaded)).toMatchObject([{ severity: 'error', line: expect.any(Number) }]);
  });
});

describe('the settings for warm interpreters in a manifest', () => {
  it.each(['numpy', 'xml.etree.ElementTree', '_private', 'módulo', '模块.子', 'a1._2'])(
    'may name the module %s',
    async (name) => {
      const loaded = await load(manifestWith(`preload = ["os", "${name}"]`));
      expect(problemsOf(loaded)).toEqual([]);
      expect(scriptOf(loaded).runtime.preload).toEqual(['os', name]);
    },
  );

  it.each(['', '.', '.numpy', 'numpy.', 'a..b', '1a', 'a-b', 'a b', 'numpy ', 'os;x', 'a\\nb', 'a/b', '-c'])(
    'are refused with the line if "%s" is named as a module',
    async (name) => {
      const loaded = await load(manifestWith(`preload = [\n  "os",\n  "${name}",\n]`));
      expect(loaded?.kind).toBe('broken');
      expect(summary(loaded)).toEqual([
        `error 9: preload "${JSON.parse(`"${name}"`)}" is not the name of a Python module`,
      ]);
    },
  );

  it.each(['preload = "numpy"', 'preload = [1]', 'warm = "no"', 'warm = 0'])(
    'are refused when they are %s',
    async (text) => {
      const loaded = await load(manifestWith(text));
      expect(loaded?.kind).toBe('broken');
      expect(problemsOf(loaded)).toMatchObject([{ severity: 'error', line: 7 }]);
    },
  );

  it('are noted and ignored if the language has no such modules', async () => {
    const loaded = await load(manifestWith('language = "node.js"\npreload = ["left-pad"]\nwarm = false'));
    expect(summary(loaded)).toEqual(['note 8: preload has no effect, because the language is node.js']);
    expect(scriptOf(loaded).runtime).toMatchObject({ preload: [], mayStartWarm: false });
  });
});

describe('the names of file and root table', () => {
  it.each(['quicker', 'scriptbox', '产品', 'my-tool', 'Service'])(
    'may be those of any product: [%s]',
    async (root) => {
      const quoted = /^[\w-]+$/.test(root) && !/[^\x20-\x7e]/.test(root) ? root : `"${root}"`;
      const script = scriptOf(await load(minimal.replaceAll('service', quoted), 'scriptbox.toml'));
      expect(script).toMatchObject({ id, rootTable: root });
    },
  );

  it.each(['manifest.toml', '脚本.toml', 'UPPER.TOML', 'a b.toml'])('may be %s', async (name) => {
    const loaded = await load(minimal, name);
    expect(scriptOf(loaded).manifestPath.endsWith(name)).toBe(true);
  });

  it.each(['pyproject.toml', 'Cargo.toml', 'ruff.toml', 'uv.toml', '.hidden.toml', 'script.json', 'toml'])(
    'do not include %s',
    async (name) => {
      expect(mayBeManifest(name)).toBe(false);
      expect(await load(minimal, name)).toBeNull();
    },
  );

  it('may be accompanied by tables that describe no script', async () => {
    const loaded = await load(
      `title = "x"\n[tool.black]\nline-length = 100\n[other.info]\nauthor = "me"\n${minimal}`,
    );
    expect(scriptOf(loaded).rootTable).toBe('service');
  });

  it('may be accompanied by an incomplete root table', async () => {
    const half = `[other.info]\nid = "${otherId}"\n[other.runtime]\nkind = "x"\n`;
    expect(scriptOf(await load(`${half}${minimal}`)).id).toBe(id);
    expect(scriptOf(await load(`${minimal}${half}`)).id).toBe(id);
  });

  it('exclude TOML files of other programs', async () => {
    expect(await load('[package]\nname = "x"\n', 'other.toml')).toBeNull();
    expect(await load('[a.info]\nname = "x"\n[a.build]\nentry = "x"\n', 'other.toml')).toBeNull();
  });

  it('require script.toml to be a manifest', async () => {
    const loaded = await load('[package]\nname = "x"\n');
    expect(loaded?.kind).toBe('broken');
    expect(problemsOf(loaded)).toHaveLength(1);
  });

  it('prefer script.toml to others', async () => {
    const folder = await folderWith({
      'script.toml': minimal,
      'a.toml': minimal.replace(id, otherId),
      'z.toml': 'broken = ',
    });
    expect(scriptOf(await loadFolder(folder)).id).toBe(id);
  });

  it('prefer a manifest to a file that cannot be parsed', async () => {
    const folder = await folderWith({ 'a.toml': 'broken = ', 'b.toml': minimal });
    expect(scriptOf(await loadFolder(folder)).id).toBe(id);
  });

  it('must not belong to two manifests, neither of which is script.toml', async () => {
    const folder = await folderWith({ 'a.toml': minimal, 'b.toml': minimal.replace(id, otherId) });
    const loaded = await loadFolder(folder);
    expect(loaded?.kind).toBe('broken');
    const [problem] = problemsOf(loaded);
    expect(problem?.message.en).toContain('a.toml');
    expect(problem?.message.en).toContain('b.toml');
    expect(problem?.advice.en).toContain('script.toml');
  });

  it('must not belong to two root tables', async () => {
    const loaded = await load(`${minimal}\n${minimal.replaceAll('service', 'other').replace(id, otherId)}`);
    expect(loaded).toMatchObject({ kind: 'broken', name: 'Resize' });
    expect(summary(loaded)).toEqual(['error 8: Both [service] and [other] describe a script']);
  });
});

describe('a folder', () => {
  it('without a manifest is not a script', async () => {
    expect(await loadFolder(await folderWith({ 'readme.md': '' }))).toBeNull();
    expect(await loadFolder(join(await tempFolder(), 'none'))).toBeNull();
  });

  it('whose manifest is a folder or a FIFO is broken, without blocking', async () => {
    const folder = await folderWith({ 'script.toml/x': '' });
    expect(await loadFolder(folder)).toMatchObject({ kind: 'broken' });
    const other = await folderWith({});
    execFileSync('mkfifo', [join(other, 'script.toml')]);
    expect(await loadFolder(other)).toMatchObject({ kind: 'broken' });
  });

  it('whose manifest is a link to a manifest is a script', async () => {
    const folder = await folderWith({ 'elsewhere/real': minimal });
    await symlink(join('elsewhere', 'real'), join(folder, 'script.toml'));
    expect(scriptOf(await loadFolder(folder)).id).toBe(id);
  });
});

describe('unknown keys', () => {
  it('are notes with their lines, and the script runs', async () => {
    const manifest = `[service.info]
id = "${id}"
name = "x"
author = "me"

[service.runtime]
entry = "main.py"
shell = true

[[service.inputs]]
name = "a"
widget = "picker"

[[service.params]]
name = "p"

[[service.params]]
name = "q"
slider = [1, 2]

[service.node]
enabled = true
color = "red"

[service.window]
width = 100
`;
    const loaded = await load(manifest);
    expect(loaded?.kind).toBe('script');
    expect(summary(loaded)).toEqual([
      'note 4: Unknown field service.info.author is ignored',
      'note 8: Unknown field service.runtime.shell is ignored',
      'note 12: Unknown field service.inputs.widget is ignored',
      'note 19: Unknown field service.params.slider is ignored',
      'note 23: Unknown field service.node.color is ignored',
      'note 25: Unknown table [service.window] is ignored',
    ]);
    for (const problem of problemsOf(loaded)) {
      expect(problem.file.endsWith('script.toml')).toBe(true);
      expect(problem.advice.en).not.toBe('');
      expect(problem.message.zh).not.toBe('');
    }
  });

  it('are noted inside inline tables too, but not where any key is allowed', async () => {
    const manifest = `${minimal}env = { ANY = "1" }
binaries = [{ name = "ffmpeg" }, { name = "sox", version = "14" }]

[[service.params]]
name = "p"
choice_labels = { a = "A" }
when = { field = "q", eq = { deep = 1 }, ne = 2 }
default = { free = 1 }
`;
    expect(summary(await load(manifest))).toEqual([
      'note 8: Unknown field service.runtime.binaries.version is ignored',
      'note 13: Unknown field service.params.when.ne is ignored',
    ]);
  });

  it('have the same lines in a file with Windows line endings and a byte order mark', async () => {
    const manifest = `\uFEFF${minimal}color = "red"\n`.replaceAll('\n', '\r\n');
    expect(summary(await load(manifest))).toEqual(['note 7: Unknown field service.runtime.color is ignored']);
  });

  it('may have the names of properties of every object', async () => {
    const loaded = await load(
      manifestWith('toString = "x"\nhasOwnProperty = 1', '[service.valueOf]\nx = 1\n'),
    );
    expect(loaded?.kind).toBe('script');
    expect(problemsOf(loaded)).toHaveLength(3);
  });
});

describe('the problems of a manifest', () => {
  it('are reported all at once, each with its line', async () => {
    const manifest = `[service.info]
id = "not-a-uuid"
name = ""
version = 2

[service.runtime]
language = "cobol"
language_version = "new enough"
entry = "../outside.py"
timeout = -1
concurrency = 0
lock = ""
survivors = "maybe"
env = { A = 1 }
binaries = [{}]

[[service.inputs]]
label = "no name"

[[service.params]]
type = "int"

[[service.params]]
name = "p"
type = "int"
default = "85"

[[service.params]]
name = "p"
required = "yes"

[[service.models]]
source = "elsewhere"
repo_id = "a/b"

[service.node]
enabled = "yes"
`;
    const loaded = await load(manifest);
    expect(loaded).toMatchObject({ kind: 'broken', name: '' });
    const lines = problemsOf(loaded).map(({ line }) => line);
    expect(lines.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([
      2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 26, 30, 33, 37,
    ]);
    for (const { severity, advice, message } of problemsOf(loaded)) {
      expect(severity).toBe('error');
      expect(advice.en).not.toBe('');
      expect(advice.zh).not.toBe('');
      expect(message.zh).not.toBe('');
    }
  });

  it('have the right lines even after an invalid param', async () => {
    const params = `[[service.params]]
label = "no name"

[[service.params]]
name = "q"
type = "int"
default = "x"

[[service.params]]
name = "twice"

[[service.params]]
name = "twice"
`;
    expect(summary(await load(`${minimal}${params}`))).toEqual([
      expect.stringMatching(/^error 7: .*name/),
      expect.stringMatching(/^error 13: .*default of q/),
      expect.stringMatching(/^error 18: .*"twice"/),
    ]);
  });

  it('include missing fields, at the line of their table', async () => {
    expect(summary(await load('[service.info]\nid = 5\n\n[service.runtime]\n'))).toEqual([
      expect.stringMatching(/^error 1: name is missing/),
      expect.stringMatching(/^error 2: .*id/),
      expect.stringMatching(/^error 4: entry is missing/),
    ]);
  });

  it('do not hide the id and the name, so that callers get the problem', async () => {
    const loaded = await load(manifestWith('timeout = "long"'));
    expect(loaded).toMatchObject({ kind: 'broken', ids: [id], name: 'Resize' });
  });

  it('include a line of invalid TOML', async () => {
    for (const [broken, line] of [
      ['x = ', 7],
      ['[service.info]', 7],
      ['name = "a"\nname = "b"', 8],
      ['= 5', 7],
      ['text = "open', 7],
    ] as const) {
      const loaded = await load(`${minimal}${broken}\n`);
      expect(loaded?.kind).toBe('broken');
      expect(problemsOf(loaded)).toMatchObject([{ severity: 'error', line }]);
    }
  });

  it('do not hide the id if the TOML is invalid elsewhere', async () => {
    expect(await load(`${minimal}timeout = \n`)).toMatchObject({ kind: 'broken', ids: [id] });
    expect(await load(`${minimal}x = inf\n`)).toMatchObject({ kind: 'broken', ids: [id] });
  });
});

describe('params in the short form', () => {
  it('are names with their defaults', async () => {
    const loaded = await load(
      `${minimal}[service.params]\nquality = 85\nratio = 0.5\nmode = "lossy"\nfast = true\ntags = ["a"]\nmore = { a = 1 }\n`,
    );
    expect(problemsOf(loaded)).toEqual([]);
    expect(scriptOf(loaded).params.map((param) => [param.name, param.default])).toEqual([
      ['quality', 85],
      ['ratio', 0.5],
      ['mode', 'lossy'],
      ['fast', true],
      ['tags', ['a']],
      ['more', { a: 1 }],
    ]);
  });
});

describe('words of older manifests', () => {
  it.each([
    ['string', 'str'],
    ['text', 'str'],
    ['file', 'str'],
    ['choice', 'str'],
    ['integer', 'int'],
    ['number', 'float'],
    ['boolean', 'bool'],
    ['array', 'list'],
    ['object', 'dict'],
    ['INT', 'int'],
  ])('for a param of type %s mean %s', async (type, meaning) => {
    const loaded = await load(`${minimal}[[service.params]]\nname = "p"\ntype = "${type}"\n`);
    expect(problemsOf(loaded)).toEqual([]);
    expect(scriptOf(loaded).params).toMatchObject([{ type: meaning }]);
  });

  it('for a param of unknown type are a note, and its values are not checked', async () => {
    const loaded = await load(`${minimal}[[service.params]]\nname = "p"\ntype = "colour"\ndefault = 5\n`);
    expect(scriptOf(loaded).params).toMatchObject([{ type: 'any', default: 5 }]);
    expect(summary(loaded)).toEqual([expect.stringMatching(/^note 9: .*"colour"/)]);
  });

  it.each([
    ['list', 'list'],
    ['paths', 'list'],
    ['files', 'list'],
    ['whatever', 'list'],
    ['str', 'str'],
    ['file', 'str'],
    ['text', 'str'],
    ['folder', 'str'],
    ['Text', 'str'],
  ])('for an input of type %s mean %s', async (type, meaning) => {
    const loaded = await load(`${minimal}[[service.inputs]]\nname = "i"\ntype = "${type}"\n`);
    expect(problemsOf(loaded)).toEqual([]);
    expect(scriptOf(loaded).input).toMatchObject({ name: 'i', label: 'i', type: meaning });
  });

  it('may declare one input as a table instead of a list', async () => {
    expect(scriptOf(await load(`${minimal}[service.inputs]\nname = "i"\n`)).input).toMatchObject({
      name: 'i',
    });
  });

  it('may declare several inputs, of which only the first is used', async () => {
    const loaded = await load(`${minimal}[[service.inputs]]\nname = "a"\n[[service.inputs]]\nname = "b"\n`);
    expect(scriptOf(loaded).input).toMatchObject({ name: 'a' });
    expect(summary(loaded)).toEqual(['note 9: Only the first input is used']);
  });

  it('for an unknown terminal are a note', async () => {
    const loaded = await load(manifestWith('terminal = "sometimes"'));
    expect(scriptOf(loaded).runtime.terminal).toBe('always');
    expect(summary(loaded)).toEqual([expect.stringMatching(/^note 7: .*"sometimes"/)]);
  });
});

describe('the language', () => {
  it.each([
    ['python3', 'python'],
    ['Python', 'python'],
    ['node', 'node.js'],
    ['nodejs', 'node.js'],
    ['javascript', 'node.js'],
    ['ts', 'typescript'],
    ['shell', 'sh'],
    ['pwsh', 'powershell'],
    ['batch', 'bat'],
    ['cmd', 'bat'],
    ['ahk', 'autohotkey'],
    ['php', 'php'],
    [' bash ', 'bash'],
  ])('%j is %s', async (name, language) => {
    expect(scriptOf(await load(manifestWith(`language = "${name}"`))).runtime.language).toBe(language);
  });

  it.each([
    ['main.py', 'python'],
    ['main.mjs', 'node.js'],
    ['main.mts', 'typescript'],
    ['main.sh', 'bash'],
    ['main.PS1', 'powershell'],
    ['main.cmd', 'bat'],
    ['index.html', 'html'],
    ['main.rb', 'ruby'],
    ['main.pl', 'perl'],
  ])('of %s is %s if it is not declared', async (entry, language) => {
    const loaded = await load(minimal.replace('main.py', entry));
    expect(scriptOf(loaded).runtime.language).toBe(language);
  });

  it.each(['', 'constructor', 'toString', '__proto__', 'cobol'])('%j is unknown', async (name) => {
    const loaded = await load(manifestWith(`language = "${name}"`));
    expect(summary(loaded)).toEqual([expect.stringMatching(/^error 7: Unknown language/)]);
  });

  it('is unknown if the extension is unknown', async () => {
    const loaded = await load(minimal.replace('main.py', 'main'));
    expect(summary(loaded)).toEqual([expect.stringMatching(/^error 6: language is missing/)]);
  });
});

describe('entry and icon', () => {
  const outside = [
    '../main.py',
    '/etc/passwd',
    'sub/../../main.py',
    '..',
    'C:/main.py',
    'C:\\\\main.py',
    'a\\u0000.py',
    '..\\\\main.py',
  ];

  it.each(outside)('may not leave the folder: %s', async (path) => {
    const entry = await load(`${minimal.replace('main.py', path)}language = "python"\n`);
    expect(summary(entry)).toEqual([
      expect.stringMatching(/^error 6: entry .* is outside the script folder/),
    ]);
    const icon = await load(minimal.replace('name =', `icon = "${path}"\nname =`));
    expect(summary(icon)).toEqual([expect.stringMatching(/^error 3: icon .* is outside the script folder/)]);
  });

  it('may not leave the folder through a symbolic link', async () => {
    const folder = await folderWith({
      'script.toml': `${minimal.replace('main.py', 'link.py').replace('name =', 'icon = "deep/icon.png"\nname =')}`,
    });
    await writeFile(join(folder, '..', 'outside.py'), '');
    await mkdir(join(folder, '..', 'pictures'));
    await writeFile(join(folder, '..', 'pictures', 'icon.png'), '');
    await symlink('../outside.py', join(folder, 'link.py'));
    await symlink('../pictures', join(folder, 'deep'));
    expect(summary(await loadFolder(folder))).toEqual([
      expect.stringMatching(/^error 3: icon/),
      expect.stringMatching(/^error 7: entry/),
    ]);
  });

  it('may be links that stay inside, and names that only look dangerous', async () => {
    const folder = await folderWith({
      'script.toml': minimal.replace('main.py', 'link.py'),
      'sub/real.py': '',
    });
    await symlink(join('sub', 'real.py'), join(folder, 'link.py'));
    expect(scriptOf(await loadFolder(folder)).runtime.entry).toBe('link.py');
    for (const entry of ['..main.py', 'sub/../main.py', './main.py', 'a..b/main.py'])
      expect(scriptOf(await load(minimal.replace('main.py', entry))).runtime.entry).toBe(entry);
  });

  it('may be in a folder that is itself a link', async () => {
    const folder = await folderWith({ 'script.toml': minimal });
    const linked = `${folder}-linked`;
    await symlink(folder, linked);
    expect(scriptOf(await loadFolder(linked)).folder).toBe(linked);
  });

  it('need not exist for the manifest to be valid', async () => {
    const loaded = await load(
      minimal.replace('main.py', 'later.py').replace('name =', 'icon = "none.png"\nname ='),
    );
    expect(loaded?.kind).toBe('script');
  });
});

describe('hostile manifests', () => {
  it('may be 256 KiB large and no larger', async () => {
    const limit = 256 * 1024;
    const fill = (size: number) => `${minimal}#${'x'.repeat(size - minimal.length - 1)}`;
    expect((await load(fill(limit)))?.kind).toBe('script');
    const loaded = await load(fill(limit + 1));
    expect(loaded?.kind).toBe('broken');
    expect(problemsOf(loaded)[0]?.message.en).toContain(String(limit));
  });

  it.each([
    ['lists', `x = ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['inline tables', `x = ${'{ a = '.repeat(5000)}1${' }'.repeat(5000)}`],
    ['dotted keys', `${Array(120_000).fill('a').join('.')} = 1`],
    ['headers', `[service.${Array(120_000).fill('a').join('.')}]\nx = 1`],
  ])('may not be nested without limit: %s', async (_name, text) => {
    const loaded = await load(`${minimal}${text}\n`);
    expect(loaded?.kind).toBe('broken');
    expect(problemsOf(loaded)).toHaveLength(1);
  });

  it.each([
    '__proto__ = { polluted = 1 }',
    '[service.__proto__]\npolluted = 1',
    '[__proto__.info]\npolluted = 1',
    '[service.runtime.env.__proto__]\npolluted = "1"',
    'constructor = { prototype = { polluted = 1 } }',
    '[service.params]\n"__proto__" = { polluted = 1 }',
  ])('cannot change prototypes: %s', async (text) => {
    const loaded = await load(`${minimal}${text}\n`);
    expect(loaded?.kind).toBe('broken');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each(['inf', '-inf', 'nan', '9007199254740993', '-99999999999999999'])(
    'may not contain the number %s, which would reach the script changed',
    async (number) => {
      const loaded = await load(`${minimal}[service.params]\nx = 1\ny = ${number}\n`);
      expect(loaded?.kind).toBe('broken');
      expect(problemsOf(loaded)).toMatchObject([{ severity: 'error', line: 9 }]);
    },
  );

  it('may contain dates, which the script gets as strings', async () => {
    const loaded = await load(
      `${minimal}[service.params]\nday = 2024-02-29\nmoment = 2024-02-29T12:00:00Z\n`,
    );
    expect(scriptOf(loaded).params).toMatchObject([
      { name: 'day', default: '2024-02-29' },
      { name: 'moment', default: '2024-02-29T12:00:00.000Z' },
    ]);
  });

  it('may have a default outside its choices only if it is empty', async () => {
    const param = (value: string) =>
      `${minimal}[[service.params]]\nname = "p"\nchoices = ["a"]\ndefault = "${value}"\n`;
    expect((await load(param('')))?.kind).toBe('script');
    expect((await load(param('a')))?.kind).toBe('script');
    expect(summary(await load(param('b')))).toEqual([expect.stringMatching(/^error 10: .*one of a/)]);
  });
});

describe('a secret in a manifest', () => {
  const secretParam = (lines: string) => manifestWith('', `[[service.params]]\nname = "key"\n${lines}\n`);

  it('is every param of the older type password, unless it is declared not to be', async () => {
    const [param] = scriptOf(await load(secretParam('type = "Password"'))).params;
    expect(param).toMatchObject({ type: 'str', secret: true });
    const [open] = scriptOf(await load(secretParam('type = "password"\nsecret = false'))).params;
    expect(open).toMatchObject({ secret: false });
  });

  it.each([
    ['of the wrong type', 'type = "bool"\nsecret = true\ndefault = 8123456789012'],
    ['too large for JSON', 'type = "int"\nsecret = true\ndefault = 8123456789012345678'],
    ['in broken TOML', 'secret = true\ndefault = 8123456789012 8123456789012'],
    ['not among the choices', 'secret = true\ndefault = "8123456789012"\nchoices = ["a"]'],
  ])('is not repeated in its problem: a default %s', async (_what, lines) => {
    const problems = problemsOf(await load(secretParam(lines)));
    expect(problems.map(({ severity }) => severity)).toContain('error');
    expect(JSON.stringify(problems)).not.toContain('8123456');
  });
});
