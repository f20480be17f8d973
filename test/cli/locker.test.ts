import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NO_PROGRESS } from '../../domain/config/messages.ts';
import type { LockerSource } from '../../domain/config/secret-import.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createInMemoryBuilderParts } from '../support/in-memory/builder-parts.ts';
import { assertNotLogged } from '../support/not-logged.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { startLocker, type TestLocker } from '../support/start-locker.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliResult, runCli } from './run-cli.ts';

const CANARY = 'canary value "typed" into a prompt';

/** The commands against the real apps of the builder and of the locker. */
describe('fairlead locker', () => {
  let locker: TestLocker;
  let api: TestApi;
  const parts = createInMemoryBuilderParts();
  before(async () => {
    locker = await startLocker();
    // What the builder's client does over HTTP, by a caller that the locker of this test plays.
    const source: LockerSource = {
      async resolve(from, destination) {
        const headers = { 'x-test-client': 'builder/platform/locker-resolve' };
        const { body } = await locker.call('POST', '/api/resolve', { source: from, destination }, headers);
        if (body.success) return body.data;
        const code =
          body.error.code === 'LOCKER_ITEM_NOT_FOUND' ? 'LOCKER_HANDLE_NOT_FOUND' : 'LOCKER_RESOLVE_FORBIDDEN';
        throw new FairleadError(code, `${body.error.code}: refused`);
      },
    };
    const vault = { resolve: async () => CANARY };
    api = await startApi(null, null, parts, { locker: source, vault });
    await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  });
  after(async () => {
    await api.stop();
    await locker.stop();
  });

  const shown: string[] = [];
  async function run(args: readonly string[], stdin?: string): Promise<CliResult> {
    const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_LOCKER_URL: locker.address };
    const result = await runCli({ url: api.address }, args, { env, ...(stdin === undefined ? {} : { stdin }) });
    shown.push(result.stdout, result.stderr);
    return result;
  }
  async function ok(args: readonly string[], stdin?: string): Promise<CliResult> {
    const result = await run(args, stdin);
    assert.equal(result.code, 0, result.stderr);
    return result;
  }
  const item = 'lk://acme/main/stripe';

  it('puts an item by stdin, lists and shows it without the secret', async () => {
    const put = await ok(
      ['locker', 'put', item, 'account=acct_1', '--secret', 'api-key', '--alias', 'OLD.stripe'],
      CANARY,
    );
    assert.equal(put.stdout, `Stored ${item}: account, api-key\n`);
    assert.match((await ok(['locker', '--org', 'acme'])).stdout, /main +1/);
    const list = await ok(['locker', 'items', 'main', '--org', 'acme']);
    assert.match(list.stdout, /lk:\/\/acme\/main\/stripe +account, api-key/);
    const show = await ok(['locker', 'show', item]);
    assert.match(show.stdout, /account +acct_1\napi-key +\*{8}\n/);
    assert.match(show.stdout, /Legacy alias +OLD\.stripe\nSealed +no\n/);
    assert.equal((await ok(['locker', 'items', '--org', 'acme', '-q'])).stdout, `${item}\n`);
    await ok(['locker', 'put', item, '--no-alias']);
    assert.doesNotMatch((await ok(['locker', 'show', item, '--json'])).stdout, /OLD/);
  });

  it('binds a service by its id, from where config set copies the value', async () => {
    const early = await run(['config', 'set', '--secret', 'API_KEY', '--from-locker', item, '--service', 'shop']);
    assert.match(early.stderr, /LOCKER_RESOLVE_FORBIDDEN.*NOT_BOUND/s);
    const elsewhere = await run(['locker', 'bind', 'lk://globex/main/stripe', '--service', 'shop']);
    assert.equal(elsewhere.code, 2);
    assert.match(
      elsewhere.stderr,
      /shop belongs to acme.*\nPut the item there: `fairlead locker put lk:\/\/acme\/main\/stripe/s,
    );
    assert.equal((await ok(['locker', 'bind', item, '--service', 'shop'])).stdout, `Bound ${item} to shop\n`);
    const set = await ok(['config', 'set', '--secret', 'API_KEY', '--from-locker', item, '--service', 'shop']);
    assert.equal(set.stdout, 'Set API_KEY of shop in every environment\n');
    const list = await ok(['config', 'list', '--service', 'shop']);
    assert.match(list.stdout, /API_KEY +\*{8} \(locker: lk:\/\/acme\/main\/stripe\) +all/);
    const again = await ok(['locker', 'put', item, '--secret', 'api-key'], `${CANARY} again`);
    assert.match(again.stderr, /Services have copies of earlier values/);
    const vault = await ok(['config', 'set', '--secret', 'OLDER', '--from-vault', 'V.key', '--service', 'shop']);
    assert.match(vault.stderr, /V\.key was copied from the legacy vault/);
    assert.match((await ok(['config', 'list', '--service', 'shop'])).stdout, /OLDER +\*{8} \(vault: V\.key\)/);
  });

  it('copies several by pairs in their order', async () => {
    await ok(['locker', 'put', 'lk://acme/main/pair', '--secret', 'a', '--secret', 'b'], 'value a\nvalue b\n');
    await ok(['locker', 'bind', 'lk://acme/main/pair', '--service', 'shop']);
    const pairs = [
      '--secret',
      'A',
      '--from-locker',
      'lk://acme/main/pair/a',
      '--secret',
      'B',
      '--from-locker',
      'lk://acme/main/pair/b',
    ];
    await ok(['config', 'set', ...pairs, '--service', 'shop']);
    const stored = await api.call('GET', '/services/shop/config/values', undefined, { 'x-test-user': 'acme/member' });
    assert.deepEqual([stored.body.data.variables.A, stored.body.data.variables.B], ['value a', 'value b']);
  });

  it('refuses a value together with a handle, and whatever is no pair, without repeating it or asking anybody', async () => {
    const before = locker.told().length;
    const wrong: (readonly string[])[] = [
      ['--secret', `KEY=${CANARY}`, '--from-locker', item],
      [`KEY=${CANARY}`, '--from-locker', item],
      [`OTHER=${CANARY}`, '--secret', 'KEY', '--from-locker', item],
      ['--from-locker', item],
      ['--secret', 'ONE', '--secret', 'TWO', '--from-locker', item],
      ['--secret', 'ONE', '--from-locker', item, '--from-locker', `${item}/api-key`],
      ['--secret', 'ONE', '--from-locker', CANARY],
      ['--secret', 'ONE', '--from-vault', CANARY],
      ['--secret', 'ONE', '--from-locker', `lk://acme/main/%2e%2e/${CANARY}`],
      ['--secret', 'ONE', '--secret', 'TWO', '--from-locker', item, '--from-vault', 'V.key'],
    ];
    for (const args of wrong) {
      const { code, stdout, stderr } = await run(['config', 'set', ...args, '--service', 'shop']);
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
      assert.ok(!(stdout + stderr).includes('canary'), stderr);
    }
    const twice = ['--secret', 'ONE', '--from-locker', item, '--secret', 'TWO', '--from-locker', item];
    assert.match(
      (await run(['config', 'set', ...twice, '--service', 'shop'])).stderr,
      /a handle or alias is for one variable/,
    );
    assert.equal(locker.told().length, before);
  });

  it('refuses a secret on the command line, and handles of another form, without repeating them', async () => {
    for (const args of [
      ['put', item, '--secret', `api-key=${CANARY}`],
      ['put', item, CANARY],
      ['put', item],
      ['put', CANARY, '--secret', 'key'],
      ['put', `${item}/api-key`, '--secret', 'key'],
      ['show', 'lk://acme/main'],
      ['read', item],
      ['vaults'],
    ]) {
      const { code, stdout, stderr } = await run(['locker', ...args]);
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
      assert.ok(!(stdout + stderr).includes('canary'), stderr);
    }
  });

  it('seals, unbinds and removes, the first and the last once somebody agreed', async () => {
    for (const command of ['seal', 'remove']) {
      const asked = await run(['locker', command, item]);
      assert.equal(asked.code, 2);
      assert.match(asked.stderr, new RegExp(`fairlead locker ${command} lk://acme/main/stripe --yes`));
    }
    assert.equal((await ok(['locker', 'seal', item, '--yes'])).stdout, `Sealed ${item}\n`);
    const sealed = await run(['config', 'set', '--secret', 'K', '--from-locker', item, '--service', 'shop']);
    assert.match(sealed.stderr, /ITEM_SEALED/);
    await ok(['locker', 'unbind', item, '--service', 'shop']);
    assert.match((await run(['locker', 'unbind', item, '--service', 'shop'])).stderr, /is not bound to shop/);
    assert.equal((await ok(['locker', 'remove', item, '--yes'])).stdout, `Removed ${item}\n`);
    assert.match((await run(['locker', 'show', item])).stderr, /LOCKER_ITEM_NOT_FOUND/);
  });

  it('reencrypt starts the run of the locker’s key and waits for its end', async () => {
    const running = run(['locker', 'reencrypt']);
    await waitUntil('the run has started', () => locker.reencryption.starts() > 0);
    locker.reencryption.set({
      status: 'completed',
      progress: { ...NO_PROGRESS, checked: 3, resealed: 2 },
      problem: null,
    });
    const { code, stdout, stderr } = await running;
    assert.deepEqual([code, stdout], [0, '3 secrets checked, 2 sealed with the current key\n']);
    assert.match(stderr, /Earlier keys can be taken out of LOCKER_ENCRYPTION_KEY/);
    assert.equal(api.reencryption.starts(), 0);
  });

  it('what was typed is in nothing that was printed or logged', () => {
    assert.ok(shown.length > 30);
    for (const text of shown) assert.ok(!text.includes('canary'));
    assertNotLogged(locker.logged, '/api/resolve', [CANARY]);
    assertNotLogged(api.logged, '/services/shop/config', [CANARY]);
  });
});
