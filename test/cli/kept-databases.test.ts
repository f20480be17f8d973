import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { databaseRecord } from '../ports/database-records.ts';
import { backupRecord, restoreRecord } from '../support/backup-record.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { runCli } from './run-cli.ts';

const DAY_MS = 86_400_000;

describe('fairlead db list and drop', () => {
  let api: TestApi;
  const until = new Date(Date.now() + 3 * DAY_MS);
  const day = until.toISOString().slice(0, 10);
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const run = (...args: string[]) => runCli({ url: api.address }, ['db', ...args], { env: { FAIRLEAD_KEY: KEY } });
  const keep = async (engine: 'postgres' | 'mongodb', service: string) => {
    const database = `${service}_prod`;
    const record = databaseRecord({ id: `${engine}/${database}`, engine, database, service });
    await api.databaseRecords.claim(record);
    await api.databaseRecords.keep(record.id, record.serviceId, until);
    await api.databaseRecords.noteKeptBytes(record.id, 4_096);
    return record;
  };

  it('lists what is in use and what is kept, with its size and day', async () => {
    const none = await run('list');
    assert.deepEqual(
      [none.code, /^No database is backed up or kept yet\. .*fairlead db logins/.test(none.stdout)],
      [0, true],
      none.stderr,
    );
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    await api.backups.insert(backupRecord({ startedAt: new Date() }));
    const live = databaseRecord({ id: 'postgres/shop_prod', database: 'shop_prod', serviceId: 'svc_shop' });
    await api.databaseRecords.claim(live);
    const keptDatabase = 'fairlead_kept_00000000000000000001';
    await api.restores.insert(restoreRecord({ keptDatabase, keptUntil: until, keptBytes: null }));
    await keep('postgres', 'gone');
    const { stdout, stderr } = await run('list');
    assert.match(stdout, /^DATABASE +ENGINE +SERVICE +ENVIRONMENT +STATE +SIZE +DROPPED ON$/m);
    assert.match(stdout, /^shop_prod +postgres +shop +prod +in use *$/m);
    assert.match(
      stdout,
      new RegExp(`^${keptDatabase} +postgres +shop +prod +kept: replaced in shop_prod +unknown +${day}$`, 'm'),
    );
    assert.match(stdout, new RegExp(`^gone_prod +postgres +gone +prod +kept: service removed +4 KiB +${day}$`, 'm'));
    assert.match(stderr, /fairlead db drop <database>/);
    const ofShop = await run('list', '--service', 'shop', '--quiet');
    assert.deepEqual(ofShop.stdout.trim().split('\n'), ['shop_prod', keptDatabase]);
    const { data } = JSON.parse((await run('list', '--json', '--service', 'gone')).stdout);
    assert.deepEqual([data.databases, data.kept.length], [[], 1]);
  });

  it('drop asks first, says what is lost, and drops what was named', async () => {
    const record = await keep('postgres', 'left');
    const unasked = await run('drop', 'left_prod');
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, new RegExp(`left_prod \\(postgres, 4 KiB\\) is dropped now and not on ${day}`));
    assert.match(unasked.stderr, /`fairlead db drop left_prod --yes`/);
    assert.deepEqual(api.drops, []);
    const { code, stdout, stderr } = await run('drop', 'left_prod', '--yes');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /left_prod is being dropped/);
    assert.deepEqual(
      api.drops.map(({ id }) => id),
      [record.id],
    );
    assert.match((await run('list', '--service', 'left')).stdout, /is being dropped/);
  });

  it('drop of what a service uses, of nothing, and of a name of several engines is refused, and drops nothing', async () => {
    api.drops.splice(0);
    for (const name of ['shop_prod', 'nothing_prod']) {
      const { code, stderr } = await run('drop', name, '--yes');
      assert.equal(code, 3, name);
      assert.match(stderr, /what a service uses is not dropped by hand/);
    }
    for (const engine of ['postgres', 'mongodb'] as const) await keep(engine, 'both');
    const several = await run('drop', 'both_prod', '--yes');
    assert.deepEqual([several.code, /--type <engine>/.test(several.stderr)], [2, true]);
    assert.deepEqual(api.drops, []);
    assert.equal((await run('drop', 'both_prod', '--type', 'mongodb', '--yes')).code, 0);
    assert.deepEqual(
      api.drops.map(({ id }) => id),
      ['mongodb/both_prod'],
    );
  });
});
