import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createCertificateFiles, removeLeftCertificates } from '../../../adapters/edge-router/certificate-files.ts';
import { createEdgeHosts } from '../../../adapters/edge-router/host-files.ts';
import { edgeHostsSuite } from '../../ports/edge-hosts.ts';

const folders: string[] = [];
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'edge-hosts-'));
  folders.push(folder);
  return folder;
}
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

edgeHostsSuite(async () => createEdgeHosts(await newFolder()));

it('what a killed worker wrote of a key and did not put in its place is removed; what is being written stays', async () => {
  const folder = await newFolder();
  const files = createCertificateFiles(folder);
  await files.put('example.com', { key: 'KEY', chain: '-----BEGIN CERTIFICATE-----' });
  const [left, fresh] = ['left.tmp', 'fresh.tmp'].map((name) => join(folder, 'certificates', name));
  for (const path of [left ?? '', fresh ?? '']) await writeFile(path, 'KEY');
  const before = new Date(Date.now() - 3_600_000);
  await utimes(left ?? '', before, before);
  await removeLeftCertificates(folder);
  assert.deepEqual((await readdir(join(folder, 'certificates'))).sort(), ['example.com.pem', 'fresh.tmp']);
  await removeLeftCertificates(join(folder, 'nothing'));
});

describe('files of hosts', () => {
  it('nobody else reads them, and what a killed writer left is passed over', async () => {
    const folder = await newFolder();
    const hosts = createEdgeHosts(folder);
    await hosts.put('example.com', { service: 'shop', environment: 'uat', serves: 'everything', redirectToTls: false });
    await writeFile(join(folder, 'hosts', 'b0c1.tmp'), '{"service":');
    assert.equal((await hosts.list()).length, 1);
    assert.equal((await stat(join(folder, 'hosts', 'example.com.json'))).mode & 0o777, 0o600);
    assert.equal((await stat(join(folder, 'hosts'))).mode & 0o777, 0o700);
  });

  it('a write leaves nothing beside the file, and one that fails leaves what was there', async () => {
    const folder = await newFolder();
    const hosts = createEdgeHosts(folder);
    const target = { service: 'shop', environment: 'prod', serves: 'everything', redirectToTls: false } as const;
    await hosts.put('example.com', target);
    await assert.rejects(hosts.put('example.com', { ...target, redirectTo: 'evil.example/x' }));
    assert.deepEqual(await readdir(join(folder, 'hosts')), ['example.com.json']);
    assert.deepEqual(await hosts.list(), [{ host: 'example.com', ...target }]);
  });

  it('a file that holds something else is named', async () => {
    const folder = await newFolder();
    const hosts = createEdgeHosts(folder);
    await hosts.put('example.com', { service: 'shop', environment: 'uat', serves: 'everything', redirectToTls: false });
    await writeFile(join(folder, 'hosts', 'example.com.json'), '{}');
    await assert.rejects(hosts.list(), { code: 'INTERNAL', message: /example\.com\.json cannot be used/ });
  });
});
