import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, readdir, stat, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deleteManifest } from '../../../adapters/docker/registry-manifests.ts';
import { runPart, type TestPart } from './run-part.ts';

const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';

let part: TestPart;
before(async () => {
  part = await runPart('image-registry');
});
after(() => part.stop());

const basic = (password: string): string => `Basic ${Buffer.from(`fairlead:${password}`).toString('base64')}`;
const token = (): string => part.context.secret('REGISTRY_TOKEN');
const deletions = (): string => join(part.context.dataDir, 'registry', 'deletions');
const address = (): string => `localhost:${part.context.ports.imageRegistry}`;

function call(method: string, path: string, { authorization = basic(token()), body, type }: Call = {}) {
  const headers = {
    ...(authorization === null ? {} : { authorization }),
    ...(type === undefined ? {} : { 'content-type': type }),
    accept: MANIFEST_TYPE,
  };
  const url = path.startsWith('http') ? path : `http://127.0.0.1:${part.context.ports.imageRegistry}/v2/${path}`;
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
}

interface Call {
  readonly authorization?: string | null;
  readonly body?: string;
  readonly type?: string;
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

async function push(name: string, tag: string, text: string): Promise<string> {
  const started = await call('POST', `${name}/blobs/uploads/`);
  const url = new URL(started.headers.get('location') ?? '');
  url.searchParams.set('digest', digestOf(text));
  const type = 'application/octet-stream';
  assert.equal((await call('PUT', url.href, { body: text, type })).status, 201);
  const layer = { mediaType: type, size: text.length, digest: digestOf(text) };
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST_TYPE, config: layer, layers: [] });
  const answer = await call('PUT', `${name}/manifests/${tag}`, { body: manifest, type: MANIFEST_TYPE });
  assert.equal(answer.status, 201);
  return digestOf(manifest);
}

const manifestStatus = async (name: string, reference: string): Promise<number> =>
  (await call('GET', `${name}/manifests/${reference}`)).status;

test('the registry answers nothing without its credentials', async () => {
  const digest = await push('shop', 'prod-1', 'an image');
  for (const authorization of [null, basic('wrong'), basic(''), 'Bearer x']) {
    for (const path of ['', '_catalog', 'shop/tags/list', 'shop/manifests/prod-1', `shop/blobs/${digest}`]) {
      assert.equal((await call('GET', path, { authorization })).status, 401, `${authorization} ${path}`);
    }
    assert.equal((await call('POST', 'shop/blobs/uploads/', { authorization })).status, 401);
    assert.equal((await call('DELETE', `shop/manifests/${digest}`, { authorization })).status, 401);
  }
  assert.equal(await manifestStatus('shop', 'prod-1'), 200);
});

test('its token is in no command line, and the files that it is checked by are for their owner alone', async () => {
  assert.ok(!part.commandLine.includes(token()));
  const { mode } = await stat(join(part.context.dataDir, 'registry', 'passwords'));
  assert.equal(mode & 0o777, 0o600);
});

test('while it serves, it deletes nothing: not with the credentials either', async () => {
  const digest = await push('shop', 'prod-2', 'another image');
  assert.equal((await call('DELETE', `shop/manifests/${digest}`)).status, 405);
  assert.equal(await manifestStatus('shop', digest), 200);
});

test('what pruning deletes is gone after the next start, with its layers; what was pushed again since stays', async () => {
  const texts = { pruned: randomBytes(9).toString('hex'), again: randomBytes(9).toString('hex') };
  const pruned = await push('team/shop', 'prod-3', texts.pruned);
  const again = await push('team/shop', 'prod-4', texts.again);
  const kept = await push('team/shop', 'prod-5', 'kept');
  const registry = { address: address(), deletions: deletions() };
  for (const digest of [pruned, again]) {
    const reference = `${address()}/team/shop@${digest}`;
    assert.equal(await deleteManifest(reference, registry, AbortSignal.timeout(5_000)), null);
  }
  // Both were asked for a minute ago; one of them was built and pushed since, under a tag of its own.
  const minuteAgo = new Date(Date.now() - 60_000);
  const links = ['prod-3', 'prod-4'].map((tag) => join('team', 'shop', '_manifests', 'tags', tag, 'current', 'link'));
  const store = join(part.context.dataDir, 'registry', 'data', 'docker', 'registry', 'v2', 'repositories');
  for (const link of links) await utimes(join(store, link), minuteAgo, minuteAgo);
  await push('team/shop', 'prod-6', texts.again);
  const requests = await readdir(deletions());
  assert.equal(requests.length, 2);
  const justBefore = new Date(Date.now() - 30_000);
  for (const request of requests) await utimes(join(deletions(), request), justBefore, justBefore);
  await part.restart();
  assert.deepEqual(await readdir(deletions()), []);
  assert.equal(await manifestStatus('team/shop', pruned), 404);
  assert.equal(await manifestStatus('team/shop', 'prod-3'), 404);
  assert.equal((await call('GET', `team/shop/blobs/${digestOf(texts.pruned)}`)).status, 404);
  for (const reference of [again, 'prod-6', kept, 'prod-5']) {
    assert.equal(await manifestStatus('team/shop', reference), 200, reference);
  }
});

test('it starts on a store that it was killed in, and takes images again that were written in part', async () => {
  const store = join(part.context.dataDir, 'registry', 'data', 'docker', 'registry', 'v2');
  const [kept, noLink, noContent] = await Promise.all(
    ['kept', 'no link', 'no content'].map((text) => push('team/killed', text.replace(' ', '-'), text)),
  );
  const hashOf = (digest = '') => digest.slice('sha256:'.length);
  const revisions = join(store, 'repositories', 'team', 'killed', '_manifests', 'revisions', 'sha256');
  await truncate(join(revisions, hashOf(noLink), 'link'));
  await truncate(join(store, 'blobs', 'sha256', hashOf(noContent).slice(0, 2), hashOf(noContent), 'data'));
  await part.restart();
  const statuses = () => Promise.all([kept, noLink, noContent].map((one = '') => manifestStatus('team/killed', one)));
  assert.deepEqual(await statuses(), [200, 404, 404]);
  await Promise.all(['no link', 'no content'].map((text) => push('team/killed', text.replace(' ', '-'), text)));
  assert.deepEqual(await statuses(), [200, 200, 200]);
});

test('a request that names a path outside the store deletes nothing', async () => {
  const digest = await push('shop', 'prod-7', 'victim');
  const registry = { address: 'localhost:1', deletions: deletions() };
  for (const name of ['../repositories/shop', 'shop/../shop', '/shop', 'shop//']) {
    await deleteManifest(`localhost:1/${name}@${digest}`, registry, AbortSignal.timeout(5_000));
  }
  await part.restart();
  assert.equal(await manifestStatus('shop', digest), 200);
});

test('its data is in a folder for its owner alone, also where that was open before', async () => {
  const folder = join(part.context.dataDir, 'registry');
  await chmod(folder, 0o755);
  await part.restart();
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});
