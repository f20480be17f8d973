import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { createBuildStore } from '../../../adapters/mongo/deploys/builds.ts';
import { runtimeVariables } from '../../../infra/dev/runtime-variables.ts';
import { type Stack, startStack } from '../../../infra/dev/stack.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { TEST_SETTINGS } from '../../../infra/dev/test-stack.ts';
import { createBrowser } from '../../api/identity/pages/browse.ts';
import { runCli } from '../../cli/run-cli.ts';
import { api, createService } from '../../e2e/harness.ts';
import { makeOrg } from '../../e2e/make-org.ts';
import { callProvider } from '../../interop/call-provider.ts';
import { buildRecord } from '../../ports/records.ts';
import { stackDatabaseUri } from '../../support/stack-database.ts';
import { useStack } from '../../support/use-stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

const run = promisify(execFile);
const PASSWORD = 'correct horse battery';
const EMAIL = 'ada@example.com';
const DEV = join(import.meta.dirname, '..', '..', '..', 'infra', 'dev');

/** A machine burns down; what is left is the folder of another disk, and the recovery key. */
describe('an installation on a new machine', { timeout: 600_000 }, () => {
  let root: string;
  let stack: Stack | undefined;
  let undo: (() => void) | undefined;
  let grantId: string;
  let backupId: string;
  const at = (name: string) => join(root, name);
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'fairlead-burnt-'));
    await mkdir(at('place'));
  });
  after(async () => {
    await stop();
    await rm(root, { recursive: true, force: true });
  });

  async function start(name: string): Promise<void> {
    const options = { ports: 'free', env: process.env, report: silentReporter, disposable: true } as const;
    const variables = { ...TEST_SETTINGS, PLATFORM_BACKUP_DIR: at('place') };
    stack = await startStack({ ...options, dataDir: at(name), variables });
    undo = useStack(at(name));
  }
  async function stop(): Promise<void> {
    undo?.();
    await stack?.stop();
    stack = undefined;
  }
  /** A command of a checkout, about the data folder of that name. */
  async function command(script: string, dataDir: string, ...args: string[]) {
    const env = {
      ...runtimeVariables(process.env),
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      FAIRLEAD_DATA_DIR: at(dataDir),
    };
    return await run(process.execPath, [join(DEV, `${script}.ts`), ...args], { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );
  }
  const restore = (dataDir: string, ...args: string[]) =>
    command('restore-platform', dataDir, '--from', at('place'), '--key', at('key.json'), ...args);
  const fairlead = async (...args: string[]) => {
    assert.ok(stack !== undefined);
    const env = { FAIRLEAD_KEY: stack.key, FAIRLEAD_AUDIT_URL: stack.addresses['audit-ledger'] ?? '' };
    return await runCli({ url: `http://127.0.0.1:${stack.ports.builder}` }, args, { env });
  };
  const browser = () => {
    const issuer = stack?.addresses.idp ?? '';
    return createBrowser({ issuer, call: callProvider.bind(null, issuer) });
  };

  it('the recovery key is made once, elsewhere than the platform, which keeps no private half of it', async () => {
    const inside = await command('recovery-key', 'one', '--out', at('one/key.json'));
    assert.match(inside.stderr, /in the data folder, and goes with it/);
    const made = await command('recovery-key', 'one', '--out', at('key.json'));
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await stat(at('key.json'))).mode & 0o777, 0o600);
    const { privateKey } = JSON.parse(await readFile(at('key.json'), 'utf8'));
    assert.equal(
      `${made.stdout}${made.stderr}${await readFile(at('one/recovery.json'), 'utf8')}`.includes(privateKey.d),
      false,
    );
    assert.match(
      (await command('recovery-key', 'one', '--out', at('other.json'))).stderr,
      /has a recovery key already: give --replace/,
    );
    assert.equal((await command('recovery-key', 'one', '--key', at('key.json'))).code, 0);
    const again = await command('recovery-key', 'one', '--replace', '--out', at('key.json'));
    assert.match(again.stderr, /may be the only copy of a key/);
  });

  it('is backed up by a platform admin while it works', async () => {
    await start('one');
    const link = new URL((await readFile(at('one/first-admin-link'), 'utf8')).trim());
    const admin = browser();
    const names = { firstName: 'Ada', lastName: 'Lovelace', email: EMAIL, password: PASSWORD };
    await admin.follow(await admin.submit(await admin.open(link.pathname + link.search), '/welcome', names));
    await createService('shop', { gitUrl: 'https://example.com/shop.git' });
    await createService('notes', { gitUrl: 'https://example.com/notes.git', org: await makeOrg('writers') });
    const asked = await api<{ id: string }>('POST', '/services/shop/grants', {
      service: 'notes',
      scopes: ['notes:read'],
    });
    assert.equal(asked.status, 202, JSON.stringify(asked.error));
    grantId = asked.data.id;
    await waitUntil(
      'the grant to be approved',
      async () => (await api('POST', `/grants/${grantId}/approve`, {})).status < 300,
    );
    await api('PATCH', '/services/shop/config', { set: { COLOUR: 'blue' }, secrets: { TOKEN: 'a secret of shop' } });
    await waitUntil(
      'the ledger to be told',
      async () => (await fairlead('audit', 'events', '--entity', 'shop', '--quiet')).stdout.trim() !== '',
    );
    // As one that a deploy is at when the machine goes: a minute later no workflow has it.
    const mongo = await connectMongo(await stackDatabaseUri(at('one'), stack?.addresses.mongo), 'fairlead-test');
    const builds = createBuildStore({ db: mongo.db, now: () => new Date() });
    const { data: shop } = await api<{ id: string; org: string }>('GET', '/services/shop');
    await builds.create(
      buildRecord({ id: 'bld_lost', service: 'shop', serviceId: shop.id, org: shop.org, createdAt: new Date() }),
    );
    await mongo.close();
    const { code, stdout, stderr } = await fairlead('platform', 'backup');
    assert.equal(code, 0, stderr);
    [backupId = ''] = /pbk_[0-9a-z]{20}/.exec(stdout) ?? [];
    assert.match(stdout, /completed: /);
    assert.match((await fairlead('platform', 'backups')).stdout, new RegExp(`${backupId} +completed`));
  });

  it('its workers never held the keys of people, nor does any log or the place show one', async () => {
    const secrets: Record<string, string> = JSON.parse(await readFile(at('one/secrets.json'), 'utf8'));
    const files = (await readdir(at('place'), { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    assert.ok(files.length > 5);
    for (const { parentPath, name } of files) {
      const text = await readFile(join(parentPath, name), 'latin1');
      for (const [key, value] of Object.entries(secrets)) assert.equal(text.includes(value), false, `${name}: ${key}`);
    }
  });

  it('a restore refuses before it writes: another key, no key, no backup, an installation that is there', async () => {
    await command('recovery-key', 'three', '--out', at('wrong.json'));
    for (const [args, message] of [
      [['--key', at('wrong.json')], /changed, or belongs to another recovery key/],
      [['--key', at('none.json')], /none\.json/],
      [['--backup', 'pbk_none'], /no complete backup pbk_none/],
      [['--from', at('elsewhere')], /mount its disk/],
    ] as const) {
      const refused = await restore('two', ...args);
      assert.deepEqual([refused.code, message.test(refused.stderr)], [1, true], refused.stderr);
      await assert.rejects(stat(at('two')), { code: 'ENOENT' });
    }
    const there = await restore('one');
    assert.match(there.stderr, /is not empty .*FAIRLEAD_DATA_DIR/);
  });

  it('comes back by one command: people, services, grants and secrets are there, and the ledger holds', async () => {
    await stop();
    await rm(at('one'), { recursive: true, force: true });
    const restored = await restore('two');
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, new RegExp(`${backupId} is restored`));
    await start('two');
    const ada = browser();
    await ada.follow(await ada.submit(await ada.open('/login'), '/login', { email: EMAIL, password: PASSWORD }));
    assert.equal((await ada.open('/account')).title, 'Your account');
    const listed = await fairlead('services', '--quiet');
    assert.deepEqual(listed.stdout.trim().split('\n').sort(), ['notes', 'shop'], listed.stderr);
    const grant = await api<{ status: string; scopes: string[] }>('GET', `/grants/${grantId}`);
    assert.deepEqual([grant.data.status, grant.data.scopes], ['approved', ['notes:read']]);
    const values = await api<{ secrets: Record<string, string> }>('GET', '/services/shop/config/values');
    assert.match(JSON.stringify(values.data), /a secret of shop/);
    const verdict = await fairlead('audit', 'verify-entity', 'shop');
    assert.equal(verdict.code, 0, verdict.stdout + verdict.stderr);
  });

  it('goes on from there: what ran is abandoned, a grant can be revoked, schedules stand, and the next backup is made', async () => {
    const build = await waitUntil(
      'the lost build to end',
      async () => {
        const { data } = await api<{ status: string; reason: string }>('GET', '/builds/bld_lost');
        return data.status === 'failed' ? data : null;
      },
      { withinMs: 180_000, everyMs: 1_000 },
    );
    assert.equal(build.reason, 'abandoned');
    assert.equal((await api('POST', `/grants/${grantId}/revoke`, {})).status, 200);
    const { code, stderr } = await fairlead('platform', 'backup');
    assert.equal(code, 0, stderr);
    const rows = (await fairlead('platform', 'backups')).stdout;
    // By the record that the backup has of itself, it never ended.
    assert.match(rows, new RegExp(`${backupId} +failed .*No workflow makes this backup`));
    assert.equal((await fairlead('audit', 'verify-entity', 'shop')).code, 0);
  });

  it('a folder whose restore was cut off starts nothing, and says what to do', async () => {
    await mkdir(at('four'));
    await writeFile(at('four/restore.json'), JSON.stringify({ backupId, stage: 'writing' }));
    const starting = startStack({
      dataDir: at('four'),
      ports: 'free',
      env: process.env,
      report: silentReporter,
      disposable: true,
    });
    await assert.rejects(starting, { code: 'CONFLICT', message: new RegExp(`run it again with --backup ${backupId}`) });
    const other = await restore('four', '--backup', (await newest()) ?? '');
    assert.match(other.stderr, new RegExp(`go on with it by --backup ${backupId}`));
    const goneOn = await restore('four');
    assert.equal(goneOn.code, 0, goneOn.stderr);
    assert.match(goneOn.stdout, new RegExp(`${backupId} is restored`));
    assert.equal((await readdir(at('four'))).includes('restore.json'), false);
  });

  async function newest(): Promise<string | undefined> {
    return (await fairlead('platform', 'backups', '--quiet', '-n', '1')).stdout.trim().split('\n')[0];
  }
});
