import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCredentialsFile } from '../../cli/login/credentials-file.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { createLogins } from '../api/identity/oauth/logins.ts';
import { startApi, type TestApi } from '../support/start-api.ts';
import { KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliResult, runCli } from './run-cli.ts';
import { startOnTerminal } from './start-on-terminal.ts';

const SCOPES = ['openid', 'profile', 'email', 'offline_access'];

/** The commands against a real builder and the real identity provider that it names. */
describe('orgs and people on the command line', () => {
  let idp: TestIdp;
  let api: TestApi;
  let verifier: TokenVerifier;
  let folder: string;
  before(async () => {
    idp = await startIdp();
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: KEY } });
    api = await startApi({ verifier, issuer: idp.issuer });
    folder = mkdtempSync(join(tmpdir(), 'fairlead-people-'));
    await idp.seedOrg('acme', { modules: ['crm', 'books'] });
    await idp.seedOrg('side');
  });
  after(async () => {
    verifier.close();
    await api.stop();
    await idp.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  type Run = (...args: string[]) => Promise<CliResult>;

  /** With the installation's key, which is the platform itself. */
  const platform: Run = (...args) => runCli({ url: api.address }, args, { env: { FAIRLEAD_KEY: KEY } });

  /** Signed in as somebody, as `fairlead login` leaves it. */
  async function as(user: UserRecord): Promise<{ run: Run; env: Record<string, string> }> {
    const client = await idp.deps.clients.find('fairlead-cli');
    assert.ok(client !== null);
    const changes = { scopes: SCOPES, audience: ['builder'] };
    const { tokens } = await createLogins(idp).login({ client, secret: '' }, user, changes);
    const home = mkdtempSync(join(folder, 'home-'));
    await createCredentialsFile(join(home, 'fairlead', 'credentials.json')).save(api.address, {
      ...{ issuer: idp.issuer, identityId: user.id, email: user.email, loggedInAt: new Date().toISOString() },
      accessToken: tokens.access_token ?? '',
      refreshToken: tokens.refresh_token ?? null,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const env = { FAIRLEAD_KEY: '', FAIRLEAD_URL: api.address, XDG_CONFIG_HOME: home };
    return { run: (...args) => runCli({ url: api.address }, args, { env }), env };
  }

  const seed = (email: string, given: Parameters<TestIdp['seedUser']>[1] = {}) => idp.seedUser(email, given);
  const admin = async (email: string): Promise<Run> =>
    (await as(await seed(email, { org: 'acme', orgRoles: ['admin'] }))).run;
  const dataOf = ({ code, stdout, stderr }: CliResult) => {
    assert.equal(code, 0, stderr + stdout);
    return JSON.parse(stdout).data;
  };
  const refusal = ({ code, stdout }: CliResult) => [code, JSON.parse(stdout).error.code];

  it('the platform makes an org and invites its first admin, who joins by the link that is printed this once', async () => {
    const made = await platform('orgs', 'create', 'fresh', '--name', 'Fresh Fish', '--modules', 'crm, books');
    assert.deepEqual([made.code, made.stdout], [0, 'Created fresh\n'], made.stderr);
    assert.match(made.stderr, /fairlead invite <email> --role admin --org fresh/);
    assert.deepEqual(dataOf(await platform('orgs', 'show', 'fresh', '--json')).modules, ['crm', 'books']);
    assert.deepEqual(refusal(await platform('orgs', 'create', 'fresh', '--name', 'x', '--json')), [6, 'ORG_EXISTS']);

    const args = ['invite', 'lin@fresh.example', '--role', 'admin', '--modules', 'crm', '--org', 'fresh'];
    const invited = await platform(...args, '--no-mail');
    assert.match(invited.stdout, /^Invited lin@fresh\.example to fresh as admin, until \d{4}-\d\d-\d\d\nhttp\S+\n$/);
    const link = /http\S+/.exec(invited.stdout)?.[0] ?? '';
    assert.equal((await fetch(link)).status, 200);
    assert.doesNotMatch((await platform('invites', '--org', 'fresh', '--json')).stdout, /inviteUrl|token=/);
  });

  it('who changed a variable is shown by their address to members of the org, and by their id to others', async () => {
    await api.services.upsert({ id: 'svc_named', name: 'named', org: 'acme' }, {});
    const ada = await seed('changing@acme.example', { org: 'acme', orgRoles: ['admin'] });
    const own = (await as(ada)).run;
    assert.equal((await own('config', 'set', 'LIMIT=1', '--service', 'named')).code, 0);
    const beside = await admin('reading@acme.example');
    for (const command of ['list', 'history']) {
      const args = ['config', command, '--service', 'named'];
      for (const run of [own, beside]) {
        const { stdout } = await run(...args);
        assert.ok(stdout.includes('changing@acme.example') && !stdout.includes(ada.id), stdout);
      }
      assert.ok((await platform(...args)).stdout.includes(ada.id));
      assert.ok((await beside(...args, '--json')).stdout.includes(ada.id), 'programs are given the id');
    }
  });

  it('an invitation is mailed by default, listed while it is open, and withdrawn by address or id', async () => {
    const run = await admin('inviting@acme.example');
    const told = await platform('invite', 'lying@acme.example', '--org', 'acme');
    assert.match(told.stderr, /no mail server[^\n]*A super admin reads it at http\S+\/outbox\n[^\n]*--no-mail/);
    assert.doesNotMatch((await run('invite', 'untold@acme.example')).stderr, /outbox/, 'for the platform alone');
    for (const email of ['lying@acme.example', 'untold@acme.example']) await run('invites', 'withdraw', email);
    const sent = dataOf(await run('invite', 'New@Acme.example', '--json'));
    assert.deepEqual([sent.email, sent.role, 'inviteUrl' in sent], ['new@acme.example', 'member', false]);
    await idp.deps.mailQueue.idle();
    assert.ok(idp.mailbox.some(({ kind, to }) => kind === 'invite' && to === 'new@acme.example'));
    assert.match((await run('invites')).stdout, /PERSON +ROLE +MODULES +UNTIL +ID\nnew@acme\.example +member/);
    assert.equal((await run('invites', 'withdraw', 'new@acme.example')).code, 0);
    const gone = await run('invites', 'withdraw', sent.id);
    assert.deepEqual([gone.code, /has no open invitation/.test(gone.stderr)], [3, true]);
    const other = (await run('invite', 'other@acme.example', '-q')).stdout.trim();
    assert.equal((await run('invites', 'withdraw', other, '-q')).stdout, `${other}\n`);
    assert.equal((await run('invites', '-q')).stdout, '');
    assert.equal((await run('invite', 'x@acme.example', '--role', 'king')).code, 2);
  });

  it('roles and modules of a member are read by address or id and changed one by one or together', async () => {
    const run = await admin('boss@acme.example');
    const { id } = await seed('worker@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    const show = async () => dataOf(await run('members', 'show', 'Worker@acme.example', '--json'));
    const both = dataOf(await run('members', 'add-role', 'worker@acme.example', 'admin', '--json')).roles;
    assert.deepEqual(both, ['viewer', 'admin']);
    assert.equal((await run('members', 'set-modules', id, 'crm,books')).code, 0);
    assert.equal((await run('members', 'remove-role', id, 'viewer')).code, 0);
    const { roles, modules } = await show();
    assert.deepEqual([roles, modules], [['admin'], ['crm', 'books']], 'what was not named stayed');
    assert.equal((await run('members', 'set-roles', id, 'member,viewer')).code, 0);
    assert.deepEqual((await show()).roles, ['viewer', 'member']);

    const none = await run('members', 'set-roles', id, '');
    assert.deepEqual([none.code, /fairlead members remove worker@acme\.example/.test(none.stderr)], [2, true]);
    assert.deepEqual(refusal(await run('members', 'add-role', id, 'king', '--json')), [2, 'VALIDATION_FAILED']);
    assert.deepEqual(refusal(await run('members', 'set-modules', id, 'no', '--json')), [2, 'VALIDATION_FAILED']);
    const stranger = await run('members', 'show', 'nobody@acme.example');
    assert.deepEqual([stranger.code, /fairlead invite nobody@acme\.example/.test(stranger.stderr)], [3, true]);
    const listed = await run('members', '-n', '200');
    assert.match(listed.stdout, /^PERSON +NAME +ROLES +MODULES/);
    assert.match(listed.stdout, /worker@acme\.example +Ada Lovelace +viewer, member +crm, books/);
  });

  it('roles that two admins add at the same time are both there afterwards', async () => {
    const [one, two] = [await admin('adds@acme.example'), await admin('meanwhile@acme.example')];
    const { id } = await seed('shared@acme.example', { org: 'acme', orgRoles: ['member'] });
    const { memberships } = idp.deps;
    // The second admin reads and writes between the read and the write of the first.
    let done = false;
    const replaceRights: typeof memberships.replaceRights = async (...args) => {
      if (!done) {
        done = true;
        assert.equal((await two('members', 'set-modules', id, 'crm')).code, 0);
      }
      return memberships.replaceRights(...args);
    };
    Object.assign(idp.deps, { memberships: { ...memberships, replaceRights } });
    const added = await one('members', 'add-role', id, 'viewer', '--json');
    Object.assign(idp.deps, { memberships });
    assert.deepEqual([dataOf(added).roles, dataOf(added).modules], [['viewer', 'member'], ['crm']]);
  });

  it("an org's policy is set and cleared part by part", async () => {
    const set = dataOf(
      await platform('orgs', 'update', 'side', '--second-factor', 'required', '--session-hours', '12', '--json'),
    );
    assert.deepEqual(set.policy, { secondFactorRequired: true, sessionHours: 12 });
    const half = dataOf(await platform('orgs', 'update', 'side', '--session-hours', '0', '--json'));
    assert.deepEqual(half.policy, { secondFactorRequired: true, sessionHours: null });
    assert.match((await platform('orgs', 'show', 'side')).stdout, /Policy +second factor required/);
    assert.equal((await platform('orgs', 'update', 'side', '--second-factor', 'maybe')).code, 2);
    assert.equal((await platform('orgs', 'update', 'side', '--second-factor', 'optional')).code, 0);
  });

  it('a member is suspended, restored and, after a question, removed; the last admin stays', async () => {
    await idp.seedOrg('small');
    const user = await seed('only@small.example', { org: 'small', orgRoles: ['admin'] });
    const { run, env } = await as(user);
    await seed('second@small.example', { org: 'small' });
    const suspended = await run('members', 'suspend', 'second@small.example');
    assert.match(suspended.stdout, /Suspended +\d{4}/);
    assert.match((await run('members')).stdout, /second@small\.example.*suspended/);
    assert.equal(dataOf(await run('members', 'restore', 'second@small.example', '--json')).suspendedAt, null);

    const unasked = await run('members', 'remove', 'second@small.example');
    assert.deepEqual(
      [unasked.code, /members remove second@small\.example --org small --yes/.test(unasked.stderr)],
      [2, true],
    );
    const cli = startOnTerminal(env, 'members remove second@small.example');
    await waitUntil('the question', () => cli.text().includes('[y/N]'));
    cli.type('y\r');
    assert.equal(await cli.done, 0, cli.text());
    assert.equal((await run('members', '-q')).stdout, 'only@small.example\n');
    assert.deepEqual(refusal(await run('members', 'remove', user.email, '--yes', '--json')), [6, 'CONFLICT']);
  });

  it('a long list is read over as many pages as it takes, and says when there is more', async () => {
    await idp.seedOrg('crowd');
    for (let count = 0; count < 203; count += 1) {
      await seed(`c${count}@crowd.example`, { org: 'crowd', orgRoles: [count === 0 ? 'admin' : 'member'] });
    }
    const lines = async (...args: string[]) =>
      (await platform('members', '--org', 'crowd', ...args, '-q')).stdout.trim();
    assert.equal(new Set((await lines('-n', '1000')).split('\n')).size, 203);
    assert.equal((await lines('-n', '201')).split('\n').length, 201);
    const cut = await platform('members', '--org', 'crowd');
    assert.match(cut.stderr, /There are more than 50: `--limit <count>`/);
    assert.match((await platform('members', 'show', 'c202@crowd.example', '--org', 'crowd')).stdout, /c202@crowd/);
  });

  it('anybody may leave, a viewer who may not list the others as well', async () => {
    const { run } = await as(await seed('leaving@acme.example', { org: 'acme', orgRoles: ['viewer'] }));
    assert.equal((await run('members')).code, 4);
    const left = await run('members', 'remove', 'leaving@acme.example', '--yes');
    assert.deepEqual(
      [left.code, left.stdout],
      [0, 'leaving@acme.example is no longer a member of acme\n'],
      left.stderr,
    );
  });

  it('orgs use: later commands, and the builder, act in the org that was chosen', async () => {
    const user = await seed('two@acme.example', { org: 'acme', orgRoles: ['admin'] });
    assert.equal((await platform('members', 'add', user.email, '--role', 'member', '--org', 'side')).code, 0);
    const twice = await platform('members', 'add', user.email, '--role', 'viewer', '--org', 'side');
    assert.deepEqual(
      [twice.code, /add-role two@acme\.example/.test(twice.stderr)],
      [6, true],
      'roles are not replaced',
    );
    const { run } = await as(user);
    assert.match((await run('orgs')).stdout, /acme .*yours now[\s\S]*side/);
    const used = await run('orgs', 'use', 'side');
    assert.deepEqual([used.code, used.stdout], [0, 'You act in side now, as member\n'], used.stderr);
    assert.match((await run('whoami')).stdout, /Org +side \(member\)/);
    assert.match((await run('orgs')).stdout, /side .*yours now/);
    assert.match((await run('members')).stdout, /two@acme\.example/);
    assert.equal((await run('invite', 'x@side.example')).code, 4, 'no admin there');
    assert.equal((await run('members', '--org', 'acme')).code, 0);
    await api.services.upsert({ id: 'svc_aside', name: 'aside', org: 'side' }, {});
    assert.equal((await run('services', '-q')).stdout, 'aside\n');

    assert.deepEqual(refusal(await run('orgs', 'use', 'nowhere', '--json')), [3, 'ORG_NOT_FOUND']);
    const key = await platform('orgs', 'use', 'acme');
    assert.deepEqual([key.code, /fairlead login/.test(key.stderr)], [2, true]);
    const unnamed = await platform('members');
    assert.deepEqual([unnamed.code, /--org/.test(unnamed.stderr)], [2, true]);
  });

  it('orgs lists for a platform admin those they are in, each good for orgs use, and all with --all', async () => {
    const user = await seed('root@side.example', { org: 'side', orgRoles: ['admin'], platformRoles: ['super_admin'] });
    const { run } = await as(user);
    const slugs = async (...args: string[]) => (await run('orgs', 'list', ...args, '-q')).stdout.trim().split('\n');
    assert.deepEqual(await slugs(), ['side']);
    for (const slug of await slugs()) assert.equal((await run('orgs', 'use', slug)).code, 0, slug);
    assert.ok((await slugs('--all')).includes('acme'));
    assert.match((await run('orgs')).stderr, /All of the installation: `fairlead orgs list --all`/);
    const refused = await run('orgs', 'use', 'acme');
    assert.match(refused.stderr, /You are not in an org acme, or it is suspended\.\n.*`fairlead orgs`/);
  });

  it('an admin changes how the org looks and writes; modules and suspension are the platform’s', async () => {
    const run = await admin('look@acme.example');
    const file = join(folder, 'mail.json');
    writeFileSync(file, JSON.stringify({ invite: { subject: 'Come to {{org}}', text: 'Here: {{link}}' } }));
    const look = ['--name', 'Acme Inc', '--primary-color', '#112233', '--mail-templates', file];
    const { name, whiteLabel, mailTemplates } = dataOf(await run('orgs', 'update', ...look, '--json'));
    assert.deepEqual([name, whiteLabel.primaryColor, Object.keys(mailTemplates)], ['Acme Inc', '#112233', ['invite']]);
    const cleared = dataOf(await run('orgs', 'update', 'acme', '--primary-color', '', '--json'));
    assert.deepEqual([cleared.whiteLabel.primaryColor, cleared.name], [null, 'Acme Inc']);
    assert.match((await run('orgs', 'show')).stdout, /Own mail +invite/);
    assert.equal((await run('orgs', 'update')).code, 2);
    assert.equal((await run('orgs', 'update', '--mail-templates', join(folder, 'none'))).code, 2);
    assert.deepEqual(refusal(await run('orgs', 'update', '--modules', 'x', '--json')), [4, 'FORBIDDEN']);
    assert.deepEqual(refusal(await run('orgs', 'suspend', 'acme', '--yes', '--json')), [4, 'FORBIDDEN']);
    assert.equal((await platform('orgs', 'suspend', 'side')).code, 2);
    assert.match((await platform('orgs', 'suspend', 'side', '--yes')).stdout, /Suspended/);
    assert.match((await platform('orgs', 'list')).stdout, /side .*suspended/);
    assert.equal(dataOf(await platform('orgs', 'restore', 'side', '--json')).suspendedAt, null);
  });

  it('an org lets a client manage its people, sees that, and revokes it', async () => {
    const run = await admin('granting@acme.example');
    await idp.seedClient('crm-prod', { orgSlug: 'acme' });
    assert.match((await run('orgs', 'grants')).stdout, /No client manages the people of acme/);
    assert.equal((await run('orgs', 'grant', 'crm-prod')).stdout, 'crm-prod manages the people of acme now\n');
    assert.equal((await run('orgs', 'grants', '-q')).stdout, 'crm-prod\n');
    assert.match((await run('orgs', 'grants', 'crm-prod')).stdout, /crm-prod +usr_/);
    assert.equal((await run('orgs', 'grants', 'other-prod')).code, 3);
    assert.equal((await run('orgs', 'revoke-grant', 'crm-prod')).code, 0);
    assert.equal((await run('orgs', 'revoke-grant', 'crm-prod')).code, 3);
    assert.equal((await run('orgs', 'grant', 'nobody-prod')).code, 3);
  });

  it('the platform provisions, finds, renames, suspends and restores people; others are refused', async () => {
    const person = ['pat@acme.example', '--first-name', 'Pat', '--last-name', 'Doe', '--org', 'acme'];
    const { userId, roles } = dataOf(await platform('members', 'provision', ...person, '--json'));
    assert.deepEqual(roles, ['member']);
    assert.ok((await idp.deps.users.find(userId))?.onboardingPending);
    assert.match((await platform('users', 'PAT@')).stdout, /pat@acme\.example +Pat Doe +acme/);
    assert.match(
      (await platform('users', 'show', 'pat@acme.example')).stdout,
      /Pat Doe <pat@acme\.example> \(not confirmed\)/,
    );
    assert.match((await platform('users', 'update', userId, '--first-name', 'Patricia')).stdout, /Patricia Doe/);
    const roleless = await platform('users', 'update', userId, '--platform-roles', 'devops', '--json');
    assert.deepEqual(refusal(roleless), [4, 'ROLE_ESCALATION'], 'a key gives no platform roles');
    assert.equal((await platform('users', 'suspend', userId)).code, 2);
    assert.match((await platform('users', 'suspend', userId, '--yes')).stdout, /Suspended/);
    assert.equal(dataOf(await platform('users', 'restore', 'pat@acme.example', '--json')).suspendedAt, null);
    assert.equal((await platform('users', 'show', 'nobody@acme.example')).code, 3);
    const run = await admin('curious@acme.example');
    assert.deepEqual(refusal(await run('users', '--json')), [4, 'FORBIDDEN']);
  });

  it('an admin sees and ends the sessions of a member, resets their second factor, and reads what was changed', async () => {
    const run = await admin('helper@acme.example');
    const user = await seed('lost@acme.example', { org: 'acme' });
    await createLogins(idp).seedSession(user);
    const passkey = { credentialId: 'cred-cli', publicKey: 'cG9z', counter: 0, transports: [], name: 'phone' };
    const at = idp.deps.now();
    await idp.deps.users.addPasskey(user.id, { ...passkey, createdAt: at, lastUsedAt: null, since: at }, 0);
    const session = (await run('members', 'sessions', user.email, '-q')).stdout.trim();
    assert.match(
      (await run('members', 'sessions', user.email)).stdout,
      new RegExp(`127\\.0\\.0\\.1 +test +${session}`),
    );
    assert.match((await run('members', 'end-sessions', user.email, session)).stdout, /is over/);
    assert.match((await run('members', 'end-sessions', user.email)).stdout, /signed out everywhere/);
    assert.match((await run('members', 'sessions', user.email)).stdout, /not signed in anywhere/);
    assert.equal((await run('members', 'reset-second-factor', user.email)).code, 2, 'asks first');
    assert.match((await run('members', 'reset-second-factor', user.email, '--yes')).stdout, /mailed link/);
    assert.equal((await idp.deps.users.find(user.id))?.passkeys.length, 0);
    const again = await platform('users', 'reset-second-factor', user.id, '--yes', '--json');
    assert.deepEqual(refusal(again), [6, 'CONFLICT']);
    assert.equal(dataOf(await platform('users', 'sessions', user.id, '--json')).sessions.length, 0);
    assert.equal((await platform('users', 'end-sessions', user.email)).code, 0);
    const told = await run('orgs', 'audit', '--type', 'user.second_factor_reset');
    assert.match(told.stdout, new RegExp(`user\\.second_factor_reset +${user.id} +usr_`));
  });

  it('an API without an identity provider, or with one that is away, is said to be so', async () => {
    const lone = await startApi(null);
    const away = await startApi({ verifier, issuer: 'http://127.0.0.1:9' });
    try {
      const run = (url: string) => runCli({ url }, ['orgs', '--json'], { env: { FAIRLEAD_KEY: KEY } });
      assert.deepEqual(refusal(await run(lone.address)), [4, 'NO_IDENTITY_PROVIDER']);
      const unreachable = await run(away.address);
      assert.deepEqual(refusal(unreachable), [5, 'UNREACHABLE']);
      assert.match(unreachable.stdout, /identity provider at http:\/\/127\.0\.0\.1:9/);
    } finally {
      await lone.stop();
      await away.stop();
    }
  });

  it('signing keys are listed, rotated and withdrawn by platform admins; a login of a withdrawn key renews itself', async () => {
    const root = await seed('keys@platform.example', { org: 'side', platformRoles: ['super_admin'] });
    const { run } = await as(root);
    const states = async () =>
      dataOf(await run('keys', '--json'))
        .keys.map(({ state }: { state: string }) => state)
        .sort();
    assert.deepEqual(await states(), ['active', 'next']);
    assert.match((await run('keys', 'rotate')).stdout, /^The same key signs as before\n$/);
    const [signing = '', following = ''] = (await run('keys', '-q')).stdout.trim().split('\n');
    const unasked = await run('keys', 'withdraw', signing);
    assert.deepEqual([unasked.code, /keys withdraw key_\w+ --yes/.test(unasked.stderr)], [2, true]);
    const withdrawn = await run('keys', 'withdraw', signing, '--yes', '--reason', 'a backup was stolen');
    assert.deepEqual(
      [withdrawn.code, withdrawn.stdout],
      [0, `Withdrew ${signing}; ${following} signs in its place\n`],
      withdrawn.stderr,
    );
    const listed = await run('keys');
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, new RegExp(`${signing} +withdrawn`));
    assert.deepEqual(refusal(await run('keys', 'withdraw', 'key_none', '--yes', '--json')), [3, 'NOT_FOUND']);
    const boss = await admin('no-platform-admin@acme.example');
    assert.deepEqual(refusal(await boss('keys', 'withdraw', following, '--yes', '--json')), [4, 'FORBIDDEN']);
  });

  it('every route of orgs, their people and the signing keys has a command, which was used above', async () => {
    const { paths } = (await idp.call('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, unknown>>;
    };
    const offered = Object.entries(paths).flatMap(([path, methods]) =>
      /^\/api\/(v2\/orgs|admin\/keys)/.test(path)
        ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
        : [],
    );
    const used = idp.logged
      .map((line) => JSON.parse(line))
      .flatMap(({ method, path, status }) => (method !== undefined && status < 400 ? [`${method} ${path}`] : []));
    const pattern = (route: string) => new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`);
    assert.ok(offered.length > 10);
    const unused = offered.filter((route) => !used.some((line) => pattern(route).test(line)));
    assert.deepEqual(unused, []);
  });
});
