import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BSON } from 'mongodb';
import { ArchiveError, createArchiveReader } from '../../../adapters/dump-tools/mongo-archive.ts';
import type { Figures } from '../../../domain/backups/backup.ts';
import { type ArchivedCollection, mongoArchive } from '../../support/mongo-archive.ts';

const own = { db: 'shop_prod', collection: 'orders' };
const GOOD: readonly ArchivedCollection[] = [
  { ...own, documents: [{ _id: 1 }, { _id: 2, text: 'two' }], indexes: [{ name: '_id_' }, { name: 'text_1' }] },
  { db: 'shop_prod', collection: 'empty', indexes: [{ name: '_id_' }] },
  { db: 'shop_prod', collection: 'cheap', type: 'view' },
  { db: 'shop_prod', collection: 'readings', type: 'timeseries', indexes: [] },
  { db: 'shop_prod', collection: 'system.buckets.readings', documents: [{ _id: 1 }], isAnnounced: false },
  { db: 'shop_prod', collection: 'system.js', documents: [{ _id: 'f' }] },
];
const FIGURES = {
  ...{ orders: 2, 'orders.$indexes': 2, empty: 0, 'empty.$indexes': 1, cheap: 0 },
  ...{ readings: 1, 'readings.$indexes': 0, 'system.js': 1, 'system.js.$indexes': 0 },
};

function read(archive: Buffer, chunkBytes = archive.length): Figures {
  const reader = createArchiveReader('shop_prod');
  for (let at = 0; at < archive.length; at += chunkBytes) reader.write(archive.subarray(at, at + chunkBytes));
  return reader.end();
}

describe('an archive of mongodump is read as it passes by', () => {
  it('with the documents and indexes of each collection, wherever its chunks end', () => {
    const archive = mongoArchive(GOOD);
    for (const bytes of [1, 2, 3, 5, 7, 64, archive.length]) assert.deepEqual(read(archive, bytes), FIGURES);
    assert.deepEqual(read(mongoArchive([])), {});
  });

  it('and without the documents that expire, which the server deletes at any time', () => {
    const indexes = [{ name: '_id_' }, { name: 'seen_1', expireAfterSeconds: 0 }];
    const sessions = { db: 'shop_prod', collection: 'sessions', documents: [{ _id: 1 }, { _id: 2 }], indexes };
    const options = { timeseries: { timeField: 'at' }, expireAfterSeconds: { $numberLong: '60' } };
    const series = { db: 'shop_prod', collection: 'readings', type: 'timeseries', options };
    const buckets = { db: 'shop_prod', collection: 'system.buckets.readings', documents: [{ _id: 1 }] };
    const archive = mongoArchive([sessions, series, { ...buckets, isAnnounced: false }]);
    assert.deepEqual(read(archive), { 'sessions.$indexes': 2, 'readings.$indexes': 0 });
  });

  it('and is refused wherever it is cut off', () => {
    const archive = mongoArchive(GOOD);
    const whole = new Set<number>();
    for (let length = 0; length < archive.length; length += 1) {
      try {
        read(archive.subarray(0, length));
        whole.add(length);
      } catch (error) {
        assert.ok(error instanceof ArchiveError, String(error));
      }
    }
    // Between two collections it is an archive of fewer, which the figures of the backup tell apart.
    for (const length of whole) assert.notDeepEqual(read(archive.subarray(0, length)), FIGURES);
    assert.ok(whole.size <= GOOD.length + 1, `${whole.size} lengths`);
  });

  const foreign: readonly (readonly [what: string, ArchivedCollection])[] = [
    ['users of the server', { db: 'admin', collection: 'system.users', documents: [{ _id: 'admin.thief' }] }],
    ['another database', { db: 'bank_prod', collection: 'orders', documents: [{ _id: 1 }] }],
    ['another database without documents', { db: 'bank_prod', collection: 'orders' }],
    ['one whose name begins alike', { db: 'shop_prod2', collection: 'orders', documents: [{ _id: 1 }] }],
    ['the oplog', { db: '', collection: 'oplog', documents: [{ op: 'i' }] }],
    ['users of the database', { db: 'shop_prod', collection: '$admin.system.users', documents: [{ _id: 1 }] }],
    ['roles of the database', { db: 'shop_prod', collection: '$admin.system.roles', documents: [{ _id: 1 }] }],
    ['what the server keeps of it', { db: 'shop_prod', collection: 'system.views', documents: [{ _id: 1 }] }],
    ['a name of none', { db: 'shop_prod', collection: 'orders.$indexes', documents: [{ _id: 1 }] }],
    ['a name that the tools leave out', { db: 'shop_prod', collection: 'a\nb', documents: [{ _id: 1 }] }],
    ['a collection without a name', { db: 'shop_prod', collection: '', documents: [{ _id: 1 }] }],
  ];
  for (const [what, collection] of foreign) {
    for (const isAnnounced of [true, false]) {
      it(`and is refused with ${what}${isAnnounced ? '' : ', which its begin does not name'}`, () => {
        const archive = mongoArchive([...GOOD, { ...collection, isAnnounced }]);
        for (const bytes of [1, archive.length]) assert.throws(() => read(archive, bytes), ArchiveError);
      });
    }
  }

  it('before the chunk that names it was taken, so that whoever passes chunks on passes none of it', () => {
    const archive = mongoArchive([
      { ...own, documents: [{ _id: 1 }] },
      { db: 'bank_prod', collection: 'money' },
    ]);
    const reader = createArchiveReader('shop_prod');
    let passed = 0;
    assert.throws(() => {
      for (const byte of archive) {
        reader.write(Uint8Array.of(byte));
        passed += 1;
      }
    }, ArchiveError);
    // The last byte of a document makes it one: that did not pass.
    const begin = archive.indexOf('bank_prod') - 12;
    assert.equal(passed, begin + archive.readInt32LE(begin) - 1);
  });

  it('and is refused when it says something twice, which two programs may read as two things', () => {
    const twice = Buffer.from(
      BSON.serialize({ db: 'shop_prod', dB: 'bank_prod', collection: 'c', metadata: '', size: 0 }),
    );
    twice.write('db', twice.indexOf('dB'));
    const archive = mongoArchive([]);
    const at = archive.length - 4;
    const forged = Buffer.concat([archive.subarray(0, at), twice, archive.subarray(at)]);
    assert.throws(() => read(forged), ArchiveError);
  });

  it('and is refused when it names more collections than are kept, or one with a header that goes on and on', () => {
    const begin = mongoArchive([]);
    const header = (collection: string, padding = '') =>
      Buffer.concat([
        BSON.serialize({
          db: 'shop_prod',
          collection,
          EOF: true,
          CRC: BSON.Long.fromNumber(0),
          ...(padding && { padding }),
        }),
        Buffer.alloc(4, 0xff),
      ]);
    const reader = createArchiveReader('shop_prod');
    reader.write(begin);
    const names = Array.from({ length: 5_000 }, (_, number) => `${number}-${'n'.repeat(1_000)}`);
    assert.throws(() => {
      for (const name of names) reader.write(header(name));
    }, ArchiveError);
    const long = header('orders', ' '.repeat(100_000));
    const endless = createArchiveReader('shop_prod');
    endless.write(begin);
    // Before any of it is kept.
    assert.throws(() => endless.write(long.subarray(0, 4)), ArchiveError);
  });

  it('and anything else is no archive', () => {
    const archive = mongoArchive(GOOD);
    const endless = Buffer.from(archive);
    endless.writeUInt32LE(0x7fff_ffff, 4);
    const tiny = Buffer.from(archive);
    tiny.writeUInt32LE(3, 4);
    for (const bytes of [Buffer.from('PGDMP of PostgreSQL'), Buffer.alloc(100), endless, tiny, Buffer.alloc(0)]) {
      assert.throws(() => read(bytes), ArchiveError);
    }
  });
});
