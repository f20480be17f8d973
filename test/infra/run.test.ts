import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A clone with an `npm` that only notes that it ran, and puts a "Node" that prints its arguments in place. */
function newClone(npm: string): { root: string; run: (...args: string[]) => { code: number | null; output: string } } {
  const root = mkdtempSync(join(tmpdir(), 'fairlead-run-'));
  folders.push(root);
  mkdirSync(join(root, 'infra', 'dev'), { recursive: true });
  mkdirSync(join(root, 'cli'));
  mkdirSync(join(root, 'path'));
  for (const file of ['infra/dev/run.mjs', 'cli/compile-cache.mjs'])
    copyFileSync(join(projectRoot, file), join(root, file));
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'path', 'npm'), `#!/bin/sh\necho ran >> "${root}/npm-runs"\n${npm}\n`);
  chmodSync(join(root, 'path', 'npm'), 0o755);
  return {
    root,
    run: (...args) => {
      const env = { ...process.env, PATH: `${join(root, 'path')}${delimiter}${process.env.PATH}` };
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'infra/dev/run.mjs'), ...args], {
        env,
      });
      return { code: status, output: `${stdout}${stderr}` };
    },
  };
}

const WORKING_NPM = `mkdir -p node_modules/.bin
printf '#!/bin/sh\\nshift; echo "node $@"; exit 7\\n' > node_modules/.bin/node; chmod 755 node_modules/.bin/node`;

test('set-up installs once, does nothing when nothing changed, and again when the lock file did', () => {
  const { root, run } = newClone(WORKING_NPM);
  const runs = (): number => readFileSync(join(root, 'npm-runs'), 'utf8').trim().split('\n').length;
  const first = run('check', '--flag');
  assert.match(first.output, /usually 20 to 60 s/);
  assert.match(first.output, /infra\/dev\/check\.ts --flag/);
  assert.equal(first.code, 7, "the command's own exit code");
  assert.doesNotMatch(run('check').output, /Installing/);
  assert.equal(runs(), 1);
  writeFileSync(join(root, 'package-lock.json'), '{"changed":true}');
  run('check');
  assert.equal(runs(), 2);
});

test('an npm ci that somebody ran is not repeated, unless it left something out', () => {
  const { root, run } = newClone(WORKING_NPM);
  const packages = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } };
  const optional = { 'node_modules/other-system': { version: '1.0.0', optional: true } };
  const lock = JSON.stringify({ packages: { '': {}, ...packages, ...optional } });
  writeFileSync(join(root, 'package-lock.json'), lock);
  spawnSync('sh', ['-c', WORKING_NPM], { cwd: root });
  const installed = (found: object): void =>
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: found }));
  installed(packages);
  assert.doesNotMatch(run('check').output, /Installing/);
  writeFileSync(join(root, 'package.json'), '{"scripts":{}}');
  assert.doesNotMatch(run('check').output, /Installing/, 'a script alone was changed');
  rmSync(join(root, 'node_modules', '.fairlead-setup'));
  installed({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-b' } });
  assert.match(run('check').output, /Installing/);
  rmSync(join(root, 'node_modules', '.fairlead-setup'));
  installed({});
  assert.match(run('check').output, /Installing/);
});

test('a failed install is one line with the reason, and is not taken for done', () => {
  const { root, run } = newClone('echo "npm error code E404"; echo "npm error no such package"; exit 1');
  const { code, output } = run('check');
  assert.equal(code, 1);
  assert.match(output, /^fairlead: npm ci failed: no such package\. Run "npm ci" to see all of it\.$/m);
  assert.equal(existsSync(join(root, 'node_modules', '.fairlead-setup')), false);
});

test('an unknown command is refused before anything is installed', () => {
  const { root, run } = newClone(WORKING_NPM);
  assert.match(
    run('destroy').output,
    /unknown command "destroy": one of start, test, bench, corpus, cluster, image, check, doctor/,
  );
  assert.equal(existsSync(join(root, 'npm-runs')), false);
});

for (const name of ['start', 'test']) {
  test(`a signal to the shell of \`npm ${name}\` is one to the command: no shell stands between them`, async () => {
    const { root } = newClone(WORKING_NPM);
    const says = `process.on('SIGINT', () => { console.log('interrupted'); process.exit(0); });
console.log('up'); setInterval(() => {}, 1_000);`;
    writeFileSync(join(root, 'infra/dev/run.mjs'), says);
    const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    // As npm starts a script.
    const shell = spawn('sh', ['-c', scripts[name]], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    const said: string[] = [];
    shell.stdout.on('data', (chunk) => {
      said.push(String(chunk));
      if (said.join('').includes('up')) shell.kill('SIGINT');
    });
    const [code] = await once(shell, 'close');
    assert.deepEqual([said.join(''), code], ['up\ninterrupted\n', 0]);
  });
}
