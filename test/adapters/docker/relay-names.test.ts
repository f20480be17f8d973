import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'adapters', 'docker', 'relay', 'relay-program.mjs');
const ASK = join(import.meta.dirname, 'programs', 'ask-names.mjs');

it('the name server of builds lasts, however many long names many steps ask for', () => {
  const NAMES = JSON.stringify({ socket: '/nonexistent', ports: [] });
  const [clients, names] = [200, 320];
  const said = execFileSync('unshare', ['--net', process.execPath, ASK, PROGRAM, String(clients), String(names)], {
    env: { PATH: process.env.PATH, NAMES },
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(said.trim(), `answers: ${clients * names}`);
});
