import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { subcommands } from '../../src/cli/commands.ts';
import { readVersion } from '../../src/shared/version.ts';
import { type Hob, launchHob, runCli, tempFolder } from '../support/hob.ts';
import { startPackageService } from '../support/package-service.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const chinese = { LANG: 'zh_CN.UTF-8' };
const han = /\p{Script=Han}/u;

interface Page {
  readonly path: string;
  /** Names and their descriptions. */
  readonly texts: [string, string][];
  readonly help: string;
}

let home: string;
let hob: Hob;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hob-chinese-'));
  const tables = '[[service.models]]\nsource = "huggingface"\nrepo_id = "acme/none"\n';
  await writeScript(join(home, 'scripts'), 'needy', { name: '图片放大', tables });
  hob = await launchHob({
    home,
    env: { HF_HUB_CACHE: join(home, 'hub'), MODELSCOPE_CACHE: join(home, 'ms') },
  });
});

afterAll(async () => {
  await hob?.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs the command in a Chinese locale. */
function say(...args: string[]) {
  return runCli([...args], chinese).ended;
}

describe('in Chinese, help', () => {
  it('describes every command, option and argument', async () => {
    const command = fileURLToPath(new URL('../support/all-help.mjs', import.meta.url));
    const { stdout, stderr } = await runCli([], chinese, { command }).ended;
    expect(stderr).toBe('');
    const pages: Page[] = JSON.parse(stdout);
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(subcommands.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name)),
    );
    const undescribed = pages
      .flatMap(({ texts }) => texts)
      .filter(([, description]) => !han.test(description));
    expect(undescribed).toEqual([]);
    // Indented lines may be examples; all other lines are prose.
    const prose = pages.flatMap(({ help }) => help.split('\n')).filter((line) => /^\S/.test(line));
    expect(prose.length).toBeGreaterThan(subcommands.length * 3);
    expect(prose.filter((line) => !han.test(line))).toEqual([]);
  });

  it('aligns its columns and translates the words of commander', async () => {
    const { stdout } = await say('check', '--help');
    expect(stdout).toContain(`用法: hob check [选项] [folder]

找出脚本的所有问题

参数：
  folder      脚本所在的文件夹（默认："."）

选项：
  --json      以 JSON 输出检查结果，供程序使用
  -h, --help  显示帮助
`);
  });
});

describe('in Chinese, a command', () => {
  it('reports that no service runs, with both ways to start it', async () => {
    const none = await tempFolder();
    expect(await say('packages', '--home', none)).toEqual({
      code: 1,
      stdout: '',
      stderr: `hob: Hob 未运行（数据目录：${none}）。启动它：hob start；登录时自动启动：hob service install\n`,
    });
  });

  it('reports why the service does not start', async () => {
    const broken = await tempFolder();
    await writeFile(join(broken, 'settings.toml'), 'port = "x"\n');
    const [wrong, second] = await Promise.all([say('serve', '--home', broken), say('serve', '--home', home)]);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: `hob: 设置无效：\n  - ${join(broken, 'settings.toml')} 中的 port：port 必须是 0 到 65535 之间的整数，现在是 "x"\n`,
    });
    expect(second.stderr).toBe(
      `hob: 另一个 Hob（进程 ${hob.process.pid}，${hob.url}）已在使用数据目录 ${home}。请用 \`hob stop\` 停止它，或用 --home 指定其他数据目录。\n`,
    );
  });

  it('lists models in a table, and shows messages of the service', async () => {
    const [list, path] = await Promise.all([
      say('model', 'list', '--home', home),
      say('model', 'path', 'acme/none', '--home', home),
    ]);
    expect(list.stdout).toBe(`模型       位置  大小  状态  需要它的脚本
acme/none  -        -  缺失  图片放大

0 个模型，共 0 B；缺少 1 个
`);
    expect(path.stderr).toBe('hob: 模型 acme/none 未下载\n下载它：hob model pull acme/none\n');
  });

  it('installs and lists a package', async () => {
    const source = await tempFolder();
    const id = await writeScript(source, 'one', { name: '缩略图' });
    const installed = await say('install', join(source, 'one'), '--home', home);
    expect(installed.stdout).toMatch(
      new RegExp(`^已安装 缩略图，ID 为 ${id}\\n运行：hob run suo-lve-tu\\n或者：curl `),
    );
    expect((await say('packages', '--home', home)).stdout).toMatch(
      /^名称 {4}版本 {2}ID {8}安装时间 {10}来源\n缩略图 {2}- .*\n\n1 个脚本包\n$/,
    );
  });

  it('shows each stage of an installation', async () => {
    const service = await startPackageService();
    const cli = runCli(['install', await tempFolder(), '--home', service.home], chinese);
    const operation = await service.begun(1);
    for (const [stage, words] of [
      ['fetching', '正在获取'],
      ['checking', '正在检查'],
      ['preparing', '正在准备运行环境'],
      ['switching', '正在启用'],
    ]) {
      service.step(operation, { stage });
      await until(`it says ${words}`, async () => cli.output.stderr.includes(`：${words} ...\n`));
    }
    service.step(operation, { state: 'cancelled', stage: null });
    expect((await cli.ended).code).toBe(1);
  });

  it('reports the errors of a manifest, with unchanged JSON', async () => {
    const folder = join(await tempFolder(), 'one');
    await mkdir(folder);
    await writeFile(
      join(folder, 'script.toml'),
      '[service.info]\nid = "x"\nname = 5\n[service.runtime]\nentry = "main.sh"\n',
    );
    const [shown, printed] = await Promise.all([say('check', folder), say('check', folder, '--json')]);
    expect(shown).toMatchObject({ code: 1, stderr: '' });
    expect(shown.stdout).toMatch(/^script\.toml:2 {2}错误 {3}\S*.*\p{Script=Han}.*\n {4}.*\p{Script=Han}/u);
    expect(shown.stdout).toMatch(/\n\d 个错误.*。修正错误后才能安装。\n$/);
    expect(printed.stdout).not.toMatch(han);
  });

  it('reports the findings of hob doctor, with unchanged JSON', async () => {
    const few = { ...chinese, PATH: await tempFolder(), HOB_PORT: '0' };
    const [shown, printed] = await Promise.all([
      runCli(['doctor', '--home', home], few).ended,
      runCli(['doctor', '--json', '--home', home], few).ended,
    ]);
    const titles = shown.stdout.split('\n').filter((line) => /^[^\s]/.test(line));
    expect(titles.slice(0, 5)).toEqual(['Hob', '数据目录', '设置', '服务', '语言']);
    expect(shown.stdout).toContain(
      `  ✓ Hob ${readVersion()} 正在 ${hob.url} 提供服务（进程 ${hob.process.pid}）\n`,
    );
    expect(shown.stdout).toContain(
      '  ! 未安装 git：无法从 git 仓库安装脚本\n    下一步：请安装 git：https://git-scm.com/',
    );
    const said: { findings: { what: string; next: string | null }[] } = JSON.parse(printed.stdout);
    const texts = said.findings.flatMap(({ what, next }) => [what, next ?? '']);
    expect(texts).toContain('git is not installed, so Hob cannot install packages from git repositories');
    expect(texts.filter((text) => han.test(text) && !text.includes('图片放大'))).toEqual([]);
  });

  it('reports usage errors', async () => {
    const calls = [['install'], ['update', 'x', '--all'], ['model', 'pull', 'acme']];
    for (const { code, stderr } of await Promise.all(calls.map((call) => say(...call)))) {
      expect(code).toBe(2);
      expect(stderr).toMatch(han);
      expect(stderr).not.toMatch(/error|Say /);
    }
  });
});
