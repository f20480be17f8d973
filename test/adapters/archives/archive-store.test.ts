import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createArchiveStore } from '../../../adapters/archives/archive-store.ts';
import type { ArchiveStore } from '../../../domain/deploys/ports.ts';
import { formatId } from '../../../domain/ids.ts';

async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

describe('createArchiveStore', () => {
  let base = '';
  let directory = '';
  let store: ArchiveStore;
  before(() => {
    base = mkdtempSync(join(tmpdir(), 'archives-'));
    directory = join(base, 'not', 'there', 'yet');
    store = createArchiveStore({ directory, newId: (kind) => formatId(kind, randomBytes(20)) });
  });
  after(() => rmSync(base, { recursive: true, force: true }));

  it('keeps what it was given, readable by nobody else, and tells size and hash', async () => {
    const parts = [randomBytes(100_000), randomBytes(1), randomBytes(70_000)];
    const whole = Buffer.concat(parts);
    const saved = await store.save(chunks(...parts), whole.length);
    assert.equal(saved.sizeBytes, whole.length);
    assert.equal(saved.sha256, createHash('sha256').update(whole).digest('hex'));
    assert.deepEqual(await readAll(await store.open(saved.id)), whole);
    assert.equal(statSync(join(directory, `${saved.id}.tar.gz`)).mode & 0o777, 0o600);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
  });

  it('refuses what is larger than the limit and leaves nothing behind', async () => {
    const existing = readdirSync(directory);
    const save = store.save(chunks(randomBytes(600), randomBytes(600)), 1_000);
    await assert.rejects(save, { code: 'PAYLOAD_TOO_LARGE' });
    assert.deepEqual(readdirSync(directory), existing);
  });

  it('leaves nothing behind when the upload breaks off', async () => {
    const existing = readdirSync(directory);
    async function* broken() {
      yield randomBytes(10);
      throw new Error('connection lost');
    }
    await assert.rejects(store.save(broken(), 1_000), /connection lost/);
    assert.deepEqual(readdirSync(directory), existing);
  });

  it('says DISK_FULL when the disk is full', { skip: !existsSync('/dev/full') }, async () => {
    async function* full() {
      yield randomBytes(10);
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    }
    await assert.rejects(store.save(full(), 1_000), { code: 'DISK_FULL', message: /free some/ });
  });

  it('an archive that is gone, or an id that is a path, is SOURCE_MISSING', async () => {
    writeFileSync(join(base, 'outside.tar.gz'), 'x');
    for (const id of [formatId('archive', randomBytes(20)), '../../../outside', '', 'arc_/../x']) {
      await assert.rejects(store.open(id), { code: 'SOURCE_MISSING', message: /upload it again/ });
    }
  });

  it('prunes what is older, uploads that broke off included, and keeps what is named and what is not its own', async () => {
    const old = await store.save(chunks(randomBytes(5)), 10);
    const kept = await store.save(chunks(randomBytes(5)), 10);
    const recent = await store.save(chunks(randomBytes(5)), 10);
    const partial = join(directory, `${formatId('archive', randomBytes(20))}.partial`);
    const foreign = join(directory, 'README');
    for (const path of [partial, foreign]) writeFileSync(path, '');
    const past = new Date(Date.now() - 3_600_000);
    const paths = [old.id, kept.id].map((id) => join(directory, `${id}.tar.gz`));
    for (const path of [...paths, partial, foreign]) utimesSync(path, past, past);
    assert.equal(await store.prune(new Date(Date.now() - 60_000), new Set([kept.id])), 2);
    await assert.rejects(store.open(old.id), { code: 'SOURCE_MISSING' });
    assert.equal((await readAll(await store.open(kept.id))).length, 5);
    assert.equal((await readAll(await store.open(recent.id))).length, 5);
    assert.ok(existsSync(foreign) && !existsSync(partial));
  });

  it('prunes nothing where there is no directory yet', async () => {
    const fresh = createArchiveStore({ directory: join(base, 'other'), newId: () => 'arc_0' });
    assert.equal(await fresh.prune(new Date(), new Set()), 0);
  });
});
