import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { GENERATED_SECRETS } from '../../domain/services.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-secrets-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function kept(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8'));
}

test('every secret of the table of services is made once, kept, and readable by its owner alone', async () => {
  const { secret, stackId } = await readSecrets(folder);
  for (const { variable, bytes, encoding } of GENERATED_SECRETS) {
    assert.equal(Buffer.from(secret(variable), encoding).length, bytes, variable);
    assert.equal((await readSecrets(folder)).secret(variable), secret(variable), variable);
  }
  assert.match(stackId, /^[0-9a-f]{8}$/);
  assert.equal((await stat(join(folder, 'secrets.json'))).mode & 0o777, 0o600);
});

test('a secret that a later version adds is made and kept, the others stay, and so do those it does not know', async () => {
  const { secret } = await readSecrets(folder);
  const { AUDIT_SIGNING_KEY: _, ...older } = await kept();
  await writeFile(join(folder, 'secrets.json'), JSON.stringify({ ...older, GONE_KEY: 'x', GONE_TOO: 'y' }));
  const added = (await readSecrets(folder)).secret('AUDIT_SIGNING_KEY');
  assert.equal((await readSecrets(folder)).secret('AUDIT_SIGNING_KEY'), added);
  assert.equal((await kept()).GONE_KEY, 'x');
  assert.equal((await readSecrets(folder)).secret('CONFIG_ENCRYPTION_KEY'), secret('CONFIG_ENCRYPTION_KEY'));
});

test('a secret that nobody makes is an error, not an empty key', async () => {
  const { secret } = await readSecrets(folder);
  assert.throws(() => secret('NO_SUCH_KEY'), /no secret called NO_SUCH_KEY/);
});
