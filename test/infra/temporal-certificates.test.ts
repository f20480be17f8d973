import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ensureTemporalCertificates, temporalCertificates } from '../../infra/dev/temporal-certificates.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

async function newFolder(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-certificates-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  await ensureTemporalCertificates(dataDir);
  return dataDir;
}

const certificateOf = async (dataDir: string): Promise<X509Certificate> =>
  new X509Certificate(await readFile(temporalCertificates(dataDir).client.certificate ?? ''));

test('certificates that are whole stay; of those that a power cut has emptied, all are made anew', async (t) => {
  const dataDir = await newFolder(t);
  const folder = join(dataDir, 'temporal', 'tls');
  for (const file of ['ca.pem', 'client.key', 'client.pem', 'server.key', 'server.pem']) {
    const before = (await certificateOf(dataDir)).fingerprint256;
    await ensureTemporalCertificates(dataDir);
    assert.equal((await certificateOf(dataDir)).fingerprint256, before);
    await truncate(join(folder, file));
    await ensureTemporalCertificates(dataDir);
    assert.notEqual((await certificateOf(dataDir)).fingerprint256, before, file);
    assert.ok((await readFile(join(folder, file), 'utf8')).length > 0, file);
  }
});

test('certificates of a clock that was years ahead, or that end soon, are made anew', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2029-01-01') });
  const dataDir = await newFolder(t);
  for (const years of [0, 9.5]) {
    t.mock.timers.setTime(Date.parse('2026-01-01') + years * YEAR_MS);
    await ensureTemporalCertificates(dataDir);
    const { validFromDate, validToDate } = await certificateOf(dataDir);
    assert.ok(validFromDate.getTime() <= Date.now(), `${years} years: valid now`);
    assert.ok(validToDate.getTime() - Date.now() > YEAR_MS, `${years} years: valid for long`);
  }
});

test('what a start left that was killed while it made them is gone after the next', async (t) => {
  const dataDir = await newFolder(t);
  await rm(join(dataDir, 'temporal', 'tls'), { recursive: true });
  await mkdir(join(dataDir, 'temporal', 'tls.partial', 'half'), { recursive: true });
  await ensureTemporalCertificates(dataDir);
  assert.deepEqual(await readdir(join(dataDir, 'temporal')), ['tls']);
});
