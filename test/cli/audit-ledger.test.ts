import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CliContext } from '../../cli/context.ts';
import { connectToLedger } from '../../cli/ledger-api.ts';
import { createCredentialsFile } from '../../cli/login/credentials-file.ts';
import { parseEvent } from '../../sdk/audit/proof-documents.ts';
import { createLogins } from '../api/identity/oauth/logins.ts';
import { KEY } from '../support/start-ledger.ts';
import { startTokenLedger, type TokenLedger } from '../support/start-token-ledger.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runCli, startCli } from './run-cli.ts';

/** Nothing listens there: the ledger's commands need no builder. */
const API = { url: 'http://127.0.0.1:1' };

/** The commands on a real ledger with a real identity provider. */
describe('fairlead audit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-cli-'));
  let parts: TokenLedger;
  let first: string;
  before(async () => {
    parts = await startTokenLedger({ verifiedAtOnce: 20 });
    for (const org of ['acme', 'other']) await parts.idp.seedOrg(org);
    for (let number = 0; number < 5; number += 1) {
      const data = { amount: number, note: '\u001b[2Jgone' };
      const id = await emit({
        namespace: 'shop',
        orgSlug: 'acme',
        entityId: 'order-1',
        data,
        metadata: { actor: 'usr_1' },
      });
      if (number === 0) first = id;
    }
    await emit({ namespace: 'bank', orgSlug: 'other', entityId: 'account-1', eventType: 'account.opened' });
  });
  after(async () => {
    await parts.stop();
    rmSync(folder, { recursive: true });
  });

  async function emit(fields: object): Promise<string> {
    const event = { eventType: 'payment.created', ...fields };
    const { status, body } = await parts.ledger.call('platform', 'POST', '/v1/events/emit', event);
    assert.equal(status, 201);
    return body.data.eventId;
  }
  const env = (more: Record<string, string> = {}) => ({
    FAIRLEAD_KEY: KEY,
    FAIRLEAD_AUDIT_URL: parts.ledger.address,
    XDG_CONFIG_HOME: folder,
    ...more,
  });
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runCli(API, ['audit', ...args], { env: env(more), cwd: folder });

  it('events shows a table, ids with --quiet, and the reply as it came with --json', async () => {
    const shown = await run(['events']);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /^TIME +TYPE +NAMESPACE +ENTITY +ORG +ACTOR +EVENT\n/);
    assert.match(
      shown.stdout,
      /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +account\.opened +bank +account-1 +other +internal +evt_/,
    );
    assert.match(shown.stdout, /payment\.created +shop +order-1 +acme +usr_1 +evt_/);
    assert.equal((await run([])).stdout, shown.stdout, 'it is what `audit` alone does');
    const ids = (await run(['events', '-q'])).stdout.trim().split('\n');
    const { success, data } = JSON.parse((await run(['events', '--json'])).stdout);
    assert.deepEqual([success, data.nextCursor], [true, null]);
    assert.deepEqual(
      data.events.map(({ id }: { id: string }) => id),
      ids,
    );
    assert.equal(ids.length, 6);
  });

  it('filters are the ledger’s own, and a day is all of that day', async () => {
    const count = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(['events', ...args, '--json']);
      assert.equal(code, 0, stderr + stdout);
      return JSON.parse(stdout).data.events.length;
    };
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(await count('--namespace', 'bank'), 1);
    assert.equal(await count('--entity', 'order-1'), 5);
    assert.equal(await count('--type', 'account.opened', '--entity', 'order-1'), 0);
    assert.equal(await count('--from', '2026-01-01', '--to', today), 6);
    assert.equal(await count('--to', '2026-01-01'), 0);
    assert.equal(await count('--from', new Date(Date.now() + 60_000).toISOString()), 0);
    for (const bad of [
      ['--from', 'yesterday'],
      ['--to', '2026-02-30'],
      ['--from', '2026-01-01T10:00:00'],
      ['-n', '0'],
    ]) {
      assert.equal((await run(['events', ...bad])).code, 2, bad.join(' '));
    }
    assert.equal((await run(['events', '--entity', 'nobody'])).stdout, 'No such events.\n');
  });

  it('each page begins after the last event of the previous one, with every event once, and the hint is not in the result', async () => {
    const seen: string[] = [];
    let cursor: string[] = [];
    for (let pages = 0; pages < 3; pages += 1) {
      const { stdout, stderr } = await run(['events', '-n', '2', ...cursor]);
      seen.push(...Array.from(stdout.matchAll(/evt_\w+/g), String));
      const next = /More events: repeat the command with --cursor (\S+)\n/.exec(stderr)?.[1];
      assert.equal(next === undefined, pages === 2);
      assert.ok(!stdout.includes('--cursor'));
      cursor = ['--cursor', next ?? ''];
    }
    assert.equal(new Set(seen).size, 6);
    assert.equal((await run(['events', '--cursor', 'x'])).code, 2);
  });

  it('event shows all that it says, and nothing of it moves the cursor', async () => {
    const { code, stdout } = await run(['event', first]);
    assert.equal(code, 0);
    for (const line of [/Type +payment\.created/, /Org +acme/, /Chain +shop #0/, /"amount": 0/, /"actor": "usr_1"/]) {
      assert.match(stdout, line);
    }
    assert.ok(!stdout.includes('\u001b'));
    const written = await run(['event', first, '-o', 'event.json']);
    assert.equal(written.stdout, 'Wrote event.json\n');
    assert.equal(parseEvent(JSON.parse(readFileSync(join(folder, 'event.json'), 'utf8'))).id, first);
    assert.equal((await run(['event', 'evt_none'])).code, 3);
    assert.equal((await run(['event', first, '-o', '/nowhere/event.json'])).code, 2);
  });

  it('proof says that there is none before the night, with an exit of its own', async () => {
    const { code, stdout } = await run(['proof', first, '--json']);
    assert.deepEqual([code, JSON.parse(stdout).error.code], [3, 'NOT_BATCHED']);
  });

  it('a wrong option is answered with where the help of the command is', async () => {
    const { code, stderr } = await runCli({ url: 'http://127.0.0.1:1' }, ['audit', 'verify']);
    assert.equal(code, 2);
    assert.match(stderr, /required option '--rpc <url>' not specified\n\(see fairlead audit verify --help\)/);
  });

  it('verify-entity exits 0 for a valid history, and 1 for an invalid one', async () => {
    const holds = await run(['verify-entity', 'order-1']);
    assert.deepEqual([holds.code, holds.stdout], [0, '✓ The history of order-1 holds: 5 events verified\n']);
    const unmet = await run(['verify-entity', 'order-1', '--expected-head', `0x${'0'.repeat(64)}`]);
    assert.equal(unmet.code, 1);
    assert.match(unmet.stdout, /^✗ The history of order-1 is broken/);
    assert.equal((await run(['verify-entity', 'nobody'])).code, 3);
    assert.equal((await run(['verify-entity', 'order-1', '-q'])).stdout, 'valid\n');
  });

  it('verify-entity waits for a long history, and Ctrl-C stops the waiting alone', async () => {
    await Promise.all(Array.from({ length: 30 }, () => emit({ namespace: 'long', entityId: 'marathon' })));
    const waiting = startCli(API, ['audit', 'verify-entity', 'marathon'], { env: env() });
    await waitUntil('it to wait', () => waiting.text().includes('Waiting'));
    waiting.child.kill('SIGINT');
    assert.equal((await waiting.done).code, 130);
    const { verifications } = parts.ledger;
    const verdict = { valid: true, brokenAt: null, reason: null, count: 30, heads: [] };
    const find = verifications.find;
    verifications.find = async (id) => ({ id, status: 'completed', verdict });
    assert.equal((await run(['verify-entity', 'marathon', '-q'])).stdout, 'valid\n');
    verifications.find = async (id) => ({ id, status: 'failed', verdict: null });
    assert.equal((await run(['verify-entity', 'marathon'])).code, 1);
    verifications.find = find;
  });

  it('a login reads the events of its org; one from before the ledger was an audience is asked to log in anew', async () => {
    const { idp } = parts;
    const logins = createLogins(idp);
    const client = await idp.deps.clients.find('fairlead-cli');
    assert.ok(client !== null);
    const file = createCredentialsFile(join(folder, 'fairlead', 'credentials.json'));
    const logIn = async (audience: readonly string[]) => {
      const user = await logins.person({ org: 'acme', orgRoles: ['viewer'] });
      const scopes = ['openid', 'offline_access'];
      const { tokens } = await logins.login({ client, secret: '' }, user, { audience, scopes });
      await file.save(API.url, {
        issuer: idp.issuer,
        accessToken: tokens.access_token ?? '',
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        refreshToken: tokens.refresh_token ?? null,
        identityId: user.id,
        email: user.email,
        loggedInAt: new Date().toISOString(),
      });
    };
    const asMe = { FAIRLEAD_KEY: '' };
    await logIn(client.defaultAudience);
    const { code, stdout, stderr } = await run(['events', '--json'], asMe);
    assert.equal(code, 0, stderr + stdout);
    const orgs = JSON.parse(stdout).data.events.map(({ orgSlug }: { orgSlug: string }) => orgSlug);
    assert.deepEqual(
      orgs,
      Array.from({ length: 5 }, () => 'acme'),
    );
    await logIn(['builder']);
    const old = await run(['events'], asMe);
    assert.deepEqual([old.code, /fairlead login/.test(old.stderr)], [4, true]);
  });

  it('says what to set where no ledger is known, and when it does not answer', async () => {
    const unknown = await run(['events'], { FAIRLEAD_AUDIT_URL: '' });
    assert.deepEqual([unknown.code, /FAIRLEAD_AUDIT_URL/.test(unknown.stderr)], [5, true]);
    const away = await run(['events'], { FAIRLEAD_AUDIT_URL: 'http://127.0.0.1:1' });
    assert.equal(away.code, 5);
    assert.match(
      away.stderr,
      /The audit ledger at http:\/\/127\.0\.0\.1:1 does not answer[\s\S]*check FAIRLEAD_AUDIT_URL/,
    );
    const wrong = await run(['events'], { FAIRLEAD_KEY: 'a-key-of-another-installation' });
    assert.equal(wrong.code, 4);
  });

  it('no credential goes to a ledger that it is not kept for, or in the clear where it did not', async () => {
    const credential = { kind: 'key', key: 'of-the-checkout', source: 'checkout' } as const;
    const contextOf = ({ ofCheckout = false, api = API.url }: { ofCheckout?: boolean; api?: string }) => {
      const service = () => ({ url: parts.ledger.address, ofCheckout });
      const credentials = createCredentialsFile(join(folder, 'none.json'));
      const whole = { api, credential, service, temporalUi: null, installation: null, hasForeignLogin: false };
      return { connection: whole, credentials, now: () => new Date() } as Partial<CliContext> as CliContext;
    };
    const ask = (context: CliContext) => connectToLedger(context).open({ method: 'GET', path: '/v1/events' });
    await assert.rejects(ask(contextOf({})), { code: 'NOT_LOGGED_IN' });
    await assert.rejects(ask(contextOf({ ofCheckout: true })), { code: 'UNAUTHORIZED' });
    const encrypted = contextOf({ api: 'https://builder.example', ofCheckout: true });
    assert.throws(() => connectToLedger(encrypted), { code: 'LEDGER_UNSAFE' });
  });
});
