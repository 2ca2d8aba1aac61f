import { execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
console.log(execSync('echo $0 $HOB_RUN_ID; pwd').toString());
console.log(spawnSync(process.execPath, ['-p', 'process.argv.length + " " + process.execArgv.length'], { encoding: 'utf8' }).stdout);
console.log(spawnSync('sh', ['-c', 'exit 7']).status, spawnSync('sh', ['-c', 'kill -9 $$']).signal);
console.log(spawnSync('of-nobody').error.code);
try {
  execFileSync('sh', ['-c', 'echo words >&2; exit 2'], { stdio: 'pipe' });
} catch (error) {
  console.log(error.status, String(error.stderr));
}
const child = spawn('cat', { stdio: ['pipe', 'inherit', 'inherit'] });
child.stdin.end('through cat\n');
child.on('close', (code) => console.log('closed', code));
