import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Backup } from '../../domain/backups/backup.ts';
import { backupRecord } from '../support/backup-record.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { runCli } from './run-cli.ts';

/** The command against a real builder, whose records say how each database is. */
describe('fairlead db health', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const health = (...args: string[]) =>
    runCli({ url: api.address }, ['db', 'health', ...args], { env: { FAIRLEAD_KEY: KEY } });
  /** A service of that org, and a backup of it that began so many hours ago. */
  const backedUp = async (org: string, name: string, hoursAgo: number, fields: Partial<Backup> = {}) => {
    await api.services.upsert({ id: `svc_${name}`, name, org }, {});
    const startedAt = new Date(Date.now() - hoursAgo * 3_600_000);
    const of = { serviceId: `svc_${name}`, service: name, databaseName: `${name}_prod` } as const;
    await api.backups.insert(backupRecord({ id: `bak_${name}`, ...of, startedAt, ...fields }));
  };
  const PROOF = { at: new Date(), problem: null };

  it('says where there is none, and fails for an org of which there is none: a misspelt name passes no check', async () => {
    const none = await health();
    assert.deepEqual([none.code, none.stderr], [0, '']);
    assert.match(none.stdout, /^No database is backed up yet/);
    assert.deepEqual(JSON.parse((await health('--json')).stdout).data, { databases: [] });
    await backedUp('wellorg', 'well', 5, { verification: PROOF });
    const misspelt = await health('--org', 'welorg');
    assert.equal(misspelt.code, 3);
    assert.match(misspelt.stdout, /You see no database of welorg/);
    assert.equal((await health('--org', 'wellorg')).code, 0);
  });

  it('lists all, the worst first, and ends with 1 while one is failing or stale', async () => {
    await backedUp('wellorg', 'proven', 5, { verification: PROOF });
    await backedUp('wellorg', 'unproven', 5);
    assert.equal((await health()).code, 0, 'what is not proven yet is no failure');
    await backedUp('badorg', 'old', 37);
    assert.equal((await health()).code, 1, 'stale');
    const problem = { code: 'DUMP_FAILED', message: 'the disk is full' };
    await backedUp('failorg', 'sick', 5, { status: 'failed', objectKey: null, problem });
    const { code, stdout, stderr } = await health();
    assert.equal(code, 1);
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    assert.match(head, /^STATE +SERVICE +ENVIRONMENT +DATABASE +BACKED UP +PROVEN$/);
    const expected = [
      /^failing +sick +prod +sick_prod \(postgres\) +never +never$/,
      /^stale +old +prod +old_prod \(postgres\) +1d ago +never$/,
      /^unproven +unproven +prod +unproven_prod \(postgres\) +5h ago +never$/,
      /^healthy +proven +prod +proven_prod \(postgres\) +5h ago +(now|\d+s ago)$/,
    ];
    assert.deepEqual(rows.map((row) => row.split(' ')[0]).slice(0, 3), ['failing', 'stale', 'unproven']);
    for (const row of expected)
      assert.ok(
        rows.some((each) => row.test(each)),
        `${row}\n${stdout}`,
      );
    assert.match(stderr, /sick_prod \(postgres\): the disk is full/);
    const quiet = await health('--quiet');
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [1, 'sick_prod\nold_prod\n', '']);
  });

  it('--org is about the databases of that org alone, in JSON as well', async () => {
    const { code, stdout } = await health('--org', 'failorg', '--json');
    assert.equal(code, 1);
    const { databases } = JSON.parse(stdout).data;
    assert.deepEqual(
      databases.map(({ databaseName, org, state }: Record<string, string>) => [databaseName, org, state]),
      [['sick_prod', 'failorg', 'failing']],
    );
    const well = await health('--org', 'wellorg');
    assert.deepEqual([well.code, /sick|old/.test(well.stdout)], [0, false]);
  });

  it('a refused credential is no healthy installation', async () => {
    const refused = await runCli({ url: api.address }, ['db', 'health'], { env: { FAIRLEAD_KEY: 'wrong' } });
    assert.equal(refused.code, 4);
  });
});
