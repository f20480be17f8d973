import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { absence, helpText, stackCredentials } from '../../infra/dev/credentials.ts';
import { PART_ROWS } from '../../infra/dev/parts.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';

test('a person gets the credentials of the parts that run, at their ports, and of none that production replaces', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-credentials-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { secret } = await readSecrets(dataDir);
  const usual = await stackCredentials(dataDir, {});
  const onNeed = ['postgres', 'object-store', 'redis', 'mongodb-tenants'];
  assert.deepEqual(Object.keys(usual), ['mongo', 'temporal', 'temporal-ui', 'image-registry', ...onNeed]);
  assert.deepEqual(usual['temporal-ui'], {
    address: 'http://127.0.0.1:8233',
    user: 'fairlead',
    password: secret('TEMPORAL_UI_PASSWORD'),
  });
  await writeFile(join(dataDir, 'connection.json'), JSON.stringify({ ports: { imageRegistry: 12_345 } }));
  const outside = { TEMPORAL_ADDRESS: 'temporal.example.org:7233' };
  const { 'image-registry': registry, ...others } = await stackCredentials(dataDir, outside);
  assert.equal(registry?.address, 'localhost:12345');
  assert.deepEqual(Object.keys(others), ['mongo', ...onNeed]);
  assert.match(absence('temporal', outside), /because TEMPORAL_ADDRESS is set in this terminal/);
  assert.match(absence('temporal', {}), /no part called temporal/);
  assert.match(absence('nothing', outside), /no part called nothing/);
});

test('the help names every part that has credentials, the option for programs, and what the command does not have', () => {
  const text = helpText();
  for (const { name, replacedBy } of PART_ROWS) {
    assert.match(text, new RegExp(`^ +${name} .*not where ${replacedBy} is set`, 'm'), name);
  }
  assert.match(text, /--json/);
  assert.match(text, /fairlead db logins/);
});

test('a folder on which no stack has started has no credentials, and gets none', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-credentials-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  await assert.rejects(stackCredentials(dataDir, {}), { code: 'NOT_FOUND', message: /npm start/ });
  assert.ok(!existsSync(join(dataDir, 'secrets.json')));
});

test('beside a stack of an older version it makes no secrets, which the start makes, and says so', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-credentials-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const path = join(dataDir, 'secrets.json');
  await readSecrets(dataDir);
  const { MONGO_PASSWORD: _, ...older } = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify(older));
  await assert.rejects(stackCredentials(dataDir, {}), { code: 'NOT_FOUND', message: /npm start/ });
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), older);
});
