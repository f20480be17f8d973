import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Backup } from '../../../domain/backups/backup.ts';
import { addNights, nightOf } from '../../../domain/backups/night.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { backupRecord, restoreRecord } from '../../support/backup-record.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { followPage } from '../../support/follow-page.ts';

const PATH = '/services/shop/databases';
const SHOP = { engine: 'postgres', databaseName: 'shop_prod' } as const;
const person = (role: string, orgSlug = 'acme') => ({ sub: `usr_${role}`, orgSlug, orgRoles: [role] });
const ROOT = { sub: 'usr_root', orgSlug: 'platform', orgRoles: ['admin'], roles: ['super_admin'] };
const wordsOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const TODAY = nightOf(new Date());

const BY_HAND = { kind: 'manual', tier: 'manual', night: null } as const;
let ids = 0;

describe('databases in the console', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    for (const [name, org] of [
      ['shop', 'acme'],
      ['bare', 'acme'],
      ['rival', 'other'],
    ] as const) {
      await on.builder.services.upsert({ id: `svc_${name}`, name, org }, {});
    }
    on.builder.databases.set('svc_shop/prod', [SHOP]);
  });
  after(() => on.stop());
  beforeEach(() => on.builder.backupCommands.running.clear());

  const keep = async (fields: Partial<Backup> = {}): Promise<Backup> => {
    const backup = backupRecord({ id: `bak_page${ids++}`, startedAt: new Date(), ...BY_HAND, ...fields });
    await on.builder.backups.insert(backup);
    return backup;
  };
  const night = (ago: number, fields: Partial<Backup> = {}) => {
    const of = addNights(TODAY, -ago);
    return keep({ night: of, kind: 'nightly', startedAt: new Date(`${of}T00:00:01.000Z`), ...fields });
  };

  it('a service without any is told how it gets one', async () => {
    const browser = await on.browseAs(person('viewer'));
    const { status, text } = await browser.get('/services/bare/databases');
    assert.equal(status, 200);
    assert.match(wordsOf(text), /No databases A service that declares a database/);
  });

  it('one that is not backed up says so, and has no form', async () => {
    await on.builder.services.upsert({ id: 'svc_cached', name: 'cached', org: 'acme' }, {});
    const fields = { id: 'redis/cached_prod', engine: 'redis', database: 'cached_prod' } as const;
    await on.builder.databaseRecords.claim(databaseRecord({ ...fields, service: 'cached', serviceId: 'svc_cached' }));
    const { text } = await (await on.browseAs(person('admin'))).get('/services/cached/databases');
    assert.match(
      wordsOf(text),
      /Redis cached_prod prod No backups Redis is a cache: its databases are not backed up\./i,
    );
    assert.doesNotMatch(text, /action="[^"]*\/backup"/);
  });

  it('of a service have their state, their nights in a drawing and in words, and their backups', async () => {
    await night(1, { verification: { at: new Date(), problem: null } });
    const failed = await night(0, {
      ...{ status: 'failed', objectKey: null, sizeBytes: null },
      problem: { code: 'DUMP_FAILED', message: 'pg_dump <ended>' },
    });
    await night(3, { status: 'missed', objectKey: null, problem: { code: 'NIGHT_MISSED', message: 'away' } });
    const browser = await on.browseAs(person('viewer'));
    const { text } = await browser.get(PATH);
    const words = wordsOf(text);
    assert.match(words, /PostgreSQL shop_prod .*Failing/);
    assert.match(words, /Next night \d{4}-\d\d-\d\d 02:00:00 UTC/);
    assert.match(
      text,
      /role="img" aria-label="Nights of PostgreSQL shop_prod: 1 of the last 90 nights with a backup, 1 failed, 1 missed"/,
    );
    assert.equal(text.match(/class="night night-(?!none)\w+"><title>/g)?.length, 3);
    assert.equal(text.match(/<title>\d{4}-\d\d-\d\d: /g)?.length, 90);
    assert.match(text, new RegExp(`<title>${TODAY}: Failed, pg_dump &lt;ended&gt;</title>`));
    assert.match(words, /Completed, restored for proof/);
    assert.match(text, new RegExp(`${PATH}/backups/${failed.id}`));
    assert.match(words, /Verified 1,?000 B|Verified 1000 B|Verified 1,000 B/);
    assert.doesNotMatch(text, /action="[^"]*databases/, 'viewers are shown no form');
  });

  it('are backed up by members, who then see the backup go on, and a second one is refused with the first', async () => {
    const browser = await on.browseAs(person('member'));
    const fields = { engine: 'postgres', environment: 'prod' };
    const sent = await browser.submit(PATH, `${PATH}/backup`, fields);
    assert.equal(sent.status, 303);
    const page = sent.headers.get('location') ?? '';
    assert.match(wordsOf((await browser.get(page)).text), /The backup has begun.*Uploaded so far.*Cancel the backup/);
    const again = await browser.submit(PATH, `${PATH}/backup`, fields);
    assert.match(
      wordsOf((await browser.get(again.headers.get('location') ?? '')).text),
      /A backup of shop\/prod .* is running/,
    );

    const id = page.split('/').at(-1) ?? '';
    const followed = followPage(on.console.address, browser, page);
    await followed.until('backup', 1);
    await on.builder.backups.setProgress(id, 5 * 1024 ** 2);
    await followed.until('backup', 2);
    assert.match(wordsOf(followed.of('backup').at(-1)?.html ?? ''), /Uploaded so far 5 MiB/);
    await followed.stop();
    assert.equal((await browser.submit(page, `${page}/cancel`)).status, 303);
    assert.equal(on.builder.backupCommands.running.size, 0);
    await on.builder.backups.change(id, 'running', { status: 'failed', finishedAt: new Date() });
  });

  it('are downloaded by a link that is shown once, and is in no log', async () => {
    const backup = await keep();
    const browser = await on.browseAs(person('member'));
    const page = `${PATH}/backups/${backup.id}`;
    const { status, text, headers } = await browser.submit(page, `${page}/download`);
    assert.equal(status, 200);
    const [, url = ''] = /class="external" href="([^"]+)"/.exec(text) ?? [];
    assert.ok(url.startsWith('http'));
    assert.match(wordsOf(text), /Whoever has the link downloads all of the database, until/);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.ok(![...on.console.logged, ...on.builder.logged].join('').includes(url));
  });

  for (const [mode, marked] of [
    ['swap', {}],
    ['in-place', { inPlace: 'on' }],
  ] as const) {
    it(`are restored by admins who type their name: ${mode}`, async () => {
      const backup = await keep();
      const browser = await on.browseAs(person('admin'));
      const page = `${PATH}/backups/${backup.id}`;
      const wrong = await browser.submit(page, `${page}/restore`, { confirm: 'shop_uat', ...marked });
      const told = (await browser.get(wrong.headers.get('location') ?? '')).text;
      assert.match(wordsOf(told), /Type shop_prod to restore it/);
      assert.match(told, /value="shop_uat"/);
      assert.match(told, /<details class="confirm" open>/, 'the form is open still');
      assert.match(told, /id="confirm-error">.*Type shop_prod to restore it/, 'and says it at the field');
      assert.doesNotMatch((await browser.get(page)).text, /<details class="confirm" open>/);
      assert.equal(on.builder.backupCommands.running.size, 0);

      const sent = await browser.submit(page, `${page}/restore`, { confirm: 'shop_prod', ...marked });
      const restore = sent.headers.get('location') ?? '';
      assert.match(restore, /\/restores\/rst_/);
      const job = on.builder.backupCommands.jobs.at(-1);
      assert.deepEqual([job !== undefined && 'mode' in job && job.mode, job?.databaseName], [mode, 'shop_prod']);
      assert.match(wordsOf((await browser.get(restore)).text), /Now It checks the backup .*Cancel the restore/);
      assert.match(wordsOf((await browser.get(PATH)).text), /Restores .*(Into a new database|In place) Running/);
      assert.equal((await browser.submit(restore, `${restore}/cancel`)).status, 303);
      assert.equal(on.builder.backupCommands.running.size, 0);
    });
  }

  it('a restore that ended says where the old database is, and one that failed why', async () => {
    const kept = restoreRecord({ id: 'rst_kept', keptDatabase: 'fairlead_kept_x' });
    const problem = { code: 'RESTORE_FAILED', message: 'pg_restore ended with 1' };
    const failed = restoreRecord({
      id: 'rst_failed',
      status: 'failed',
      mode: 'in-place',
      safetyBackupId: 'bak_safe',
      problem,
    });
    for (const restore of [kept, failed]) await on.builder.restores.insert(restore);
    const browser = await on.browseAs(person('viewer'));
    const [one, two] = [
      await browser.get(`${PATH}/restores/rst_kept`),
      await browser.get(`${PATH}/restores/rst_failed`),
    ];
    assert.match(wordsOf(one.text), /The old database is kept as fairlead_kept_x/);
    assert.match(wordsOf(two.text), /RESTORE_FAILED : pg_restore ended with 1\..*the backup bak_safe/);
    assert.doesNotMatch(two.text, /<form[^>]*restores/);
  });

  const FORMS = [
    ['backup', `${PATH}/backup`, { engine: 'postgres', environment: 'prod' }, 'viewer'],
    ['cancel', `${PATH}/backups/bak_x/cancel`, {}, 'viewer'],
    ['download', `${PATH}/backups/bak_x/download`, {}, 'viewer'],
    ['restore', `${PATH}/backups/bak_x/restore`, { confirm: 'shop_prod' }, 'member'],
    ['cancel of a restore', `${PATH}/restores/rst_x/cancel`, {}, 'member'],
  ] as const;
  for (const [what, action, fields, role] of FORMS) {
    it(`a ${role} who sends the form of a ${what} all the same is refused, and so is one without its token`, async () => {
      const browser = await on.browseAs(person(role));
      assert.equal((await browser.submit('/', action, fields)).status, 403);
      const admin = await on.browseAs(person('admin'));
      const body = new URLSearchParams(fields);
      const forged = await admin.request(action, { method: 'POST', headers: { origin: on.console.address }, body });
      assert.equal(forged.status, 403);
      assert.equal(on.builder.backupCommands.running.size, 0);
    });
  }

  it('of another org are not there, on no page and by no form', async () => {
    const backup = await keep();
    const browser = await on.browseAs(person('admin', 'other'));
    for (const page of [PATH, `${PATH}/backups/${backup.id}`, `${PATH}/restores/rst_kept`]) {
      assert.equal((await browser.get(page)).status, 404, page);
    }
    const before = on.builder.backupCommands.jobs.length;
    for (const [, action, fields] of FORMS) await browser.submit('/', action.replace('bak_x', backup.id), fields);
    assert.equal(on.builder.backupCommands.jobs.length, before);
    const { text } = await browser.get('/databases');
    assert.match(wordsOf(text), /No database was backed up yet/);
    const own = await browser.get(`/services/rival/databases/backups/${backup.id}`);
    assert.equal(own.status, 404);
  });

  it('of all orgs are before platform admins, the worst first; the overview has those without a backup alone', async () => {
    await keep({
      ...{ id: 'bak_rival', serviceId: 'svc_rival', service: 'rival', databaseName: 'rival_prod' },
      verification: { at: new Date(), problem: null },
    });
    await night(0, { id: 'bak_nobody', serviceId: null, service: null, environment: null, databaseName: 'by_hand' });
    const root = await on.browseAs(ROOT);
    const all = wordsOf((await root.get('/databases')).text);
    assert.match(all, /shop_prod prod acme Failing .*rival_prod prod other Healthy/);
    assert.match(all, /by_hand of no service/);
    const ann = await on.browseAs(person('viewer'));
    const own = wordsOf((await ann.get('/databases')).text);
    assert.match(own, /1 of 1 has no fresh backup/);
    assert.doesNotMatch(own, /rival|by_hand/);
    assert.match(wordsOf((await ann.get('/')).text), /Databases without a fresh backup .*shop_prod .*Failing/);
    const rival = await on.browseAs(person('viewer', 'other'));
    assert.doesNotMatch((await rival.get('/')).text, /Databases without a fresh backup/);
  });

  it('those that are kept are listed with their size and day, and dropped early by admins who type their name', async () => {
    const record = databaseRecord({ id: 'postgres/left_prod', database: 'left_prod', service: 'left', org: 'acme' });
    await on.builder.databaseRecords.claim(record);
    const until = new Date(Date.now() + 3 * 86_400_000);
    await on.builder.databaseRecords.keep(record.id, record.serviceId, until);
    await on.builder.databaseRecords.noteKeptBytes(record.id, 4_096);
    const admin = await on.browseAs(person('admin'));
    const page = '/databases/kept/postgres.left_prod';
    const list = await admin.get('/databases');
    assert.match(wordsOf(list.text), /PostgreSQL left_prod prod left was removed 4 KiB/);
    assert.match(list.text, new RegExp(`href="${page}"`));
    const viewer = await on.browseAs(person('viewer'));
    assert.match(wordsOf((await viewer.get(page)).text), /Size when it was kept 4 KiB/);
    assert.doesNotMatch((await viewer.get(page)).text, /\/drop"/);
    assert.equal((await (await on.browseAs(person('admin', 'other'))).get(page)).status, 404);
    assert.equal((await viewer.submit('/', `${page}/drop`, { confirm: 'left_prod' })).status, 403);
    const wrong = await admin.submit(page, `${page}/drop`, { confirm: 'right_prod' });
    const told = (await admin.get(wrong.headers.get('location') ?? '')).text;
    assert.match(told, /<details class="confirm" open>/);
    assert.match(told, /id="confirm-error">.*Type left_prod to drop it/);
    assert.deepEqual(on.builder.drops, []);
    const sent = await admin.submit(page, `${page}/drop`, { confirm: 'left_prod' });
    assert.equal(sent.headers.get('location')?.split('?')[0], '/databases');
    assert.deepEqual(
      on.builder.drops.map(({ id }) => id),
      [record.id],
    );
    assert.match(wordsOf((await admin.get(page)).text), /Dropped on Is being dropped/);
  });
});
