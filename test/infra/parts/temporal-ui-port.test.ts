import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { projectRoot } from '../../../infra/dev/project.ts';
import { NODE_FLAGS } from '../../../infra/dev/runtime-variables.ts';
import { freePort } from '../../support/free-port.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Listens on the port, as a program of another user would. Says what it was asked with, or that nothing came. */
const THIEF = `
let seen = 0;
const server = require('node:http').createServer((request) => process.stdout.write('asked ' + (request.headers['x-fairlead-ui'] ?? '')));
server.on('connection', () => (seen += 1) === 20 && process.stdout.write('nothing asked'));
server.listen(Number(process.argv[1]), '127.0.0.1');
`;

/** The UI's program when another one has its port: it ends. */
const program = (record: string): string => `#!${process.execPath}
const { spawn } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { port } = JSON.parse(readFileSync(process.argv[3] + '/config/embedded.yaml', 'utf8'));
const thief = spawn(process.execPath, ['-e', ${JSON.stringify(THIEF)}, String(port)], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
thief.stdout.once('data', (said) => {
  writeFileSync(${JSON.stringify(record)}, said);
  thief.kill('SIGKILL');
  process.exit(1);
});
`;

test('a program that takes the port of the UI’s program is sent no request, and so not the key to Temporal', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-ui-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const record = join(folder, 'record');
  await writeFile(join(folder, 'program'), program(record), { mode: 0o700 });
  const port = await freePort();
  const script = join(projectRoot, 'infra', 'dev', 'temporal-ui', 'main.ts');
  const child = spawn(process.execPath, [...NODE_FLAGS, script], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...baseEnv(process.env),
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      TEMPORAL_UI_PORT: String(port),
      TEMPORAL_UI_PASSWORD: 'a-password',
      TEMPORAL_UI_PROGRAM: join(folder, 'program'),
      TEMPORAL_UI_FOLDER: folder,
    },
  });
  const ended = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  const authorization = `Basic ${Buffer.from('fairlead:a-password').toString('base64')}`;
  const ask = (headers: Readonly<Record<string, string>>) => fetch(`http://127.0.0.1:${port}/`, { headers });
  await waitUntil('the guard answers', async () => (await ask({}).catch(() => null))?.status === 401);
  await ask({ authorization }).catch(() => null);
  await ended;
  assert.equal(await readFile(record, 'utf8'), 'nothing asked');
});
