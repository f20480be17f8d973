import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asTyped, COMMANDS, typedName } from '../../cli/typed-name.ts';
import { runCli } from './run-cli.ts';

const HERE = { cwd: '/work', script: '/work/cli/fairlead.mjs' };
const NOWHERE = { url: 'http://127.0.0.1:9' };

it('the name is what the user typed: through a package manager, as a script, or as a program', () => {
  const agent = (name: string) => ({ npm_config_user_agent: `${name}/10.2.0 node/v24.0.0 linux x64` });
  assert.equal(typedName({ ...HERE, env: { npm_command: 'exec', ...agent('npm') } }), 'npx fairlead');
  assert.equal(typedName({ ...HERE, env: { npm_command: 'start', ...agent('npm') } }), 'npx fairlead');
  assert.equal(typedName({ ...HERE, env: { npm_execpath: '/usr/lib/npm-cli.js' } }), 'npx fairlead');
  assert.equal(typedName({ ...HERE, env: agent('pnpm') }), 'pnpm fairlead');
  assert.equal(typedName({ ...HERE, env: agent('bun') }), 'bunx fairlead');
  assert.equal(typedName({ ...HERE, env: {} }), 'node cli/fairlead.mjs');
  assert.equal(typedName({ ...HERE, cwd: '/home/me/app', env: {} }), 'node /work/cli/fairlead.mjs');
  assert.equal(typedName({ ...HERE, script: '/usr/local/bin/fairlead', env: {} }), 'fairlead');
});

it('command lines in a text begin as the user types them, and the name of the program elsewhere stays', () => {
  const text = 'Next: fairlead open a · `npx fairlead logs b`. Usage: fairlead [options]; see fairlead --help';
  assert.equal(
    asTyped(text, 'pnpm fairlead'),
    'Next: pnpm fairlead open a · `pnpm fairlead logs b`. Usage: pnpm fairlead [options]; see pnpm fairlead --help',
  );
  for (const other of [
    'Another fairlead process holds it',
    '~/.cache/fairlead logs',
    'my-fairlead deploy',
    'fairlead',
  ]) {
    assert.equal(asTyped(other, 'npx fairlead'), other);
  }
});

it('every command of the program is known by which a proposed command line is found', async () => {
  const { stdout } = await runCli(NOWHERE, ['--help']);
  const listed = stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)\b/gm);
  const names = new Set([...[...listed].map(([, name = '']) => name), 'credentials', 'doctor']);
  assert.deepEqual([...COMMANDS], [...names].sort());
});

it('messages, remedies and help propose commands as they were typed', async () => {
  const env = { npm_config_user_agent: 'npm/11.0.0 node/v24.0.0' };
  const wrong = await runCli(NOWHERE, ['deploy', '--commit', 'abcdef1', '/'], { env });
  assert.equal(wrong.code, 2);
  const help = await runCli(NOWHERE, ['deploy', '--help'], { env });
  assert.match(help.stdout, /^Usage: npx fairlead deploy /);
  const away = await runCli(NOWHERE, ['builds', 'x'], { env: { ...env, FAIRLEAD_KEY: '' } });
  assert.match(away.stderr, /`npx fairlead login`/);
  const json = await runCli(NOWHERE, ['builds', '--json'], { env: { ...env, FAIRLEAD_KEY: '' } });
  assert.match(json.stdout, /`fairlead login`/, 'what programs read is the same for all');
});
