import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createArchiveStore } from '../../../adapters/archives/archive-store.ts';
import type { UploadQuota } from '../../../domain/deploys/upload-quota.ts';
import { formatId, type IdKind } from '../../../domain/ids.ts';
import { archiveStoreSuite, chunks, readAll, upTo } from '../../ports/archive-store.ts';

const base = mkdtempSync(join(tmpdir(), 'archives-'));
after(() => rmSync(base, { recursive: true, force: true }));

const newId = (kind: IdKind) => formatId(kind, randomBytes(20));
let stores = 0;

/** A store whose directory does not exist yet. */
function newStore(quota?: UploadQuota) {
  stores += 1;
  const directory = join(base, String(stores), 'not', 'there', 'yet');
  return { directory, store: createArchiveStore({ directory, newId, ...(quota === undefined ? {} : { quota }) }) };
}

function fileOf(directory: string, id: string): string {
  const name = readdirSync(directory).find((name) => name.startsWith(`${id}.`));
  assert.ok(name !== undefined);
  return join(directory, name);
}

archiveStoreSuite(async (quota) => {
  const { directory, store } = newStore(quota);
  return {
    store,
    async saveAt(time, content, bounds = upTo(1_000_000)) {
      const saved = await store.save(content, bounds);
      utimesSync(fileOf(directory, saved.id), time, time);
      return saved;
    },
    kept: async () => (existsSync(directory) ? readdirSync(directory) : []),
  };
});

describe('archives as files', () => {
  it('are refused, before and while they are written, when the disk would lose its reserve', async () => {
    const { directory } = newStore();
    const { bavail, bsize } = await statfs(base);
    const full = createArchiveStore({ directory, newId, reserveBytes: bavail * bsize * 2 });
    let read = 0;
    async function* content() {
      read += 1;
      yield randomBytes(10);
    }
    await assert.rejects(full.save(content(), upTo(1_000)), {
      code: 'DISK_FULL',
      message: /MiB are free for uploaded archives/,
    });
    assert.deepEqual([read, readdirSync(directory)], [0, []]);
  });

  it('are readable by nobody else', async () => {
    const { directory, store } = newStore();
    const { id } = await store.save(chunks(randomBytes(5)), upTo(10));
    assert.equal(statSync(fileOf(directory, id)).mode & 0o777, 0o600);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
  });

  it('of earlier versions, which name no org, are read and pruned', async () => {
    const { directory, store } = newStore();
    await store.save(chunks(randomBytes(5)), upTo(10));
    const id = newId('archive');
    const path = join(directory, `${id}.tar.gz`);
    writeFileSync(path, 'old');
    assert.equal(String(await readAll(await store.open(id))), 'old');
    const past = new Date(Date.now() - 3_600_000);
    utimesSync(path, past, past);
    assert.equal(await store.prune(new Date(Date.now() - 60_000), async () => false, new AbortController().signal), 1);
    await assert.rejects(store.open(id), { code: 'SOURCE_MISSING' });
  });

  it('an id that is a path leads to no file', async () => {
    const { directory, store } = newStore();
    await store.save(chunks(randomBytes(5)), upTo(10));
    writeFileSync(join(directory, '..', 'outside.tar.gz'), 'x');
    await assert.rejects(store.open('../outside'), { code: 'SOURCE_MISSING' });
  });

  it('prunes uploads that broke off, and keeps what is not its own', async () => {
    const { directory, store } = newStore();
    const { id } = await store.save(chunks(randomBytes(5)), upTo(10));
    const partial = join(directory, `${newId('archive')}.partial`);
    const foreign = join(directory, 'README');
    const past = new Date(Date.now() - 3_600_000);
    for (const path of [partial, foreign]) {
      writeFileSync(path, '');
      utimesSync(path, past, past);
    }
    assert.equal(await store.prune(new Date(Date.now() - 60_000), async () => false, new AbortController().signal), 1);
    assert.ok(existsSync(foreign) && !existsSync(partial));
    assert.equal((await readAll(await store.open(id))).length, 5);
  });
});
