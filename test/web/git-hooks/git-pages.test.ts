import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { outcome } from '../../../domain/git-hooks/delivery.ts';
import { buildRecord } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

const ADMIN = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['admin'] };
const MEMBER = { sub: 'usr_ben', orgSlug: 'acme', orgRoles: ['member'] };
const STRANGER = { sub: 'usr_eve', orgSlug: 'rival', orgRoles: ['admin'] };
const TOKEN = 'api-token-canary';
const REPOSITORY = 'https://git.example/acme/shop.git';
const RULE = { 'rules.0.kind': 'branch', 'rules.0.pattern': '', 'rules.0.environment': 'prod', paths: '' };
const FORM = { service: 'shop', provider: 'gitea', repository: '', apiUrl: '', token: '', ...RULE };

const wordsOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

describe('push deploys in the console', () => {
  let on: ConsoleOnBuilder;
  let ann: Awaited<ReturnType<ConsoleOnBuilder['browseAs']>>;
  before(async () => {
    on = await startConsoleOnBuilder();
    for (const name of ['shop', 'jobs']) {
      await on.builder.services.upsert(
        { id: `svc_${name}`, name, org: 'acme' },
        { gitUrl: REPOSITORY, branch: 'main' },
      );
    }
    on.builder.gitHost.repositories.set(REPOSITORY, new Set());
    on.builder.gitHost.tokens.add('good-token');
    ann = await on.browseAs({ ...ADMIN });
  });
  after(() => on?.stop());

  const submitted = async (page: string, action: string, fields: Record<string, string> = {}) => {
    const sent = await ann.submit(page, action, fields);
    assert.equal(sent.status, 303, sent.text);
    return (await ann.get(sent.headers.get('location') ?? '')).text;
  };
  const stored = async () => {
    const { items } = await on.builder.gitConnections.list({ org: 'acme' }, { cursor: null, limit: 50 });
    return items[0];
  };
  /** Path of the one connection. */
  const here = async (rest = '') => `/git/${(await stored())?.id}${rest}`;

  it('lead to connect where there is none; who may not connect is shown no form', async () => {
    assert.match((await ann.get('/git')).text, /No repository is connected[\s\S]*href="#connect"/);
    const [, connect = ''] = /href="(\/git\?service=shop)#connect"/.exec((await ann.get('/services/shop')).text) ?? [];
    assert.match((await ann.get(connect)).text, /<option value="shop" selected>/);
    const ben = await on.browseAs({ ...MEMBER });
    assert.doesNotMatch((await ben.get('/services/shop')).text, /#connect/);
    const { text } = await ben.get('/git');
    assert.match(wordsOf(text), /No repository is connected An admin/);
    assert.doesNotMatch(text, /action="\/git"/);
    assert.equal((await ben.submit('/git', '/git', FORM)).status, 403);
    assert.equal(await stored(), undefined);
  });

  it('show a form that was refused with what was typed and why, and never the token again', async () => {
    const wrong = { ...FORM, token: TOKEN, 'rules.0.pattern': 'a..b' };
    const text = await submitted('/git', '/git', wrong);
    assert.match(text, /value="a\.\.b"[^>]*aria-invalid="true"/);
    assert.equal(text.includes(TOKEN), false);
    const unnamed = await submitted('/git', '/git', { ...FORM, token: TOKEN, 'rules.0.kind': 'tag' });
    assert.match(unnamed, /id="rules\.0\.pattern-error"/);
    assert.equal(
      [unnamed, ...ann.cookies.values(), on.console.logged, on.builder.logged].join().includes(TOKEN),
      false,
    );
    assert.equal(await stored(), undefined);
  });

  it('connect a service, and show the secret once, in the answer to the form', async () => {
    const made = await ann.submit('/git', '/git', {
      ...{ ...FORM, token: TOKEN, 'rules.0.pattern': 'release/*', 'rules.0.environment': 'uat' },
      paths: 'services/api/**\r\n!docs/**',
    });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.headers.get('cache-control'), 'no-store');
    assert.match(wordsOf(made.text), /The hook could not be registered: The git host does not take the token\. Add it/);
    assert.match(made.text, /https:\/\/builder\.example\/hooks\/git\/gcn_/);
    const [, secret = ''] = /aria-label="Secret of the hook"><code>([\w-]{43})<\/code>/.exec(made.text) ?? [];
    assert.notEqual(secret, '');
    const rules = (await stored())?.services[0]?.rules;
    assert.deepEqual(rules, [
      { kind: 'branch', pattern: 'release/*', environment: 'uat', paths: ['services/api/**', '!docs/**'] },
    ]);
    const list = await ann.get('/git');
    assert.match(
      wordsOf(list.text),
      /acme\/shop\.git Gitea shop branch release\/\* to uat when changed: services\/api/,
    );
    const ben = await on.browseAs({ ...MEMBER });
    for (const one of [ann, ben]) {
      const page = (await one.get('/services/shop')).text;
      assert.ok(page.includes(`<a href="${await here()}">Its repository is connected</a>`));
      assert.doesNotMatch(page, /#connect/);
    }
    const pages = [list.text, (await ann.get(await here())).text];
    for (const kept of [pages, [...ann.cookies.values()], on.console.logged, on.builder.logged]) {
      assert.equal(kept.join().includes(secret) || kept.join().includes(TOKEN), false);
    }
  });

  it('need no secret to be copied where the token registers the hook', async () => {
    const page = await here();
    const text = await submitted(page, `${page}/token`, { token: 'good-token' });
    assert.match(wordsOf(text), /The token is replaced\./);
    assert.match(text, /registered by the platform/);
    assert.match(wordsOf(await submitted(page, `${page}/token/remove`)), /The token is gone/);
    assert.equal((await stored())?.token, null);
  });

  it('pause, resume, poll, and look', async () => {
    const page = await here();
    assert.match(wordsOf(await submitted(page, `${page}/pause`)), /Paused: pushes deploy nothing/);
    assert.match(wordsOf((await ann.get('/git')).text), /Paused/);
    await submitted(page, `${page}/resume`);
    assert.equal((await stored())?.paused, false);
    assert.match(await submitted(page, `${page}/poll`, { pollMinutes: '0' }), /value="0"[^>]*aria-invalid="true"/);
    assert.match(wordsOf(await submitted(page, `${page}/poll`, { pollMinutes: '5' })), /Polled every 5 min/);
    await submitted(page, `${page}/poll`, { pollMinutes: '' });
    assert.equal((await stored())?.pollMinutes, null);
    assert.match(await submitted(page, `${page}/look`, { ref: 'main' }), /value="main"[^>]*aria-invalid="true"/);
    const looked = await submitted(page, `${page}/look`, { ref: 'refs/heads/other' });
    assert.match(wordsOf(looked), /Look by hand other .*Not deployed other no rule is about that branch or tag/);
    assert.match(wordsOf(await submitted(page, `${page}/look`)), /Waits to be looked at/);
  });

  it('rotate the secret: the second one shown once, then the older one taken away', async () => {
    const page = await here();
    const second = await ann.submit(page, `${page}/rotate`);
    assert.deepEqual([second.status, second.headers.get('cache-control')], [200, 'no-store']);
    const [, secret = ''] = /aria-label="Secret of the hook"><code>([\w-]{43})<\/code>/.exec(second.text) ?? [];
    assert.notEqual(secret, '');
    assert.equal((await stored())?.secrets.length, 2);
    assert.equal((await ann.get(page)).text.includes(secret), false);
    assert.match(wordsOf(await submitted(page, `${page}/rotate`)), /Two secrets are good already/);
    assert.match(wordsOf(await submitted(page, `${page}/rotate/finish`)), /The older secret is gone/);
    assert.equal((await stored())?.secrets.length, 1);
  });

  it('add a rule and remove the one that was shown, never another', async () => {
    const page = await here();
    await submitted(page, `${page}/rules`, { ...RULE, service: 'shop', 'rules.0.pattern': 'main' });
    assert.deepEqual(
      (await stored())?.services[0]?.rules.map(({ pattern }) => pattern),
      ['main', 'release/*'],
    );
    const refused = await submitted(page, `${page}/rules`, { ...RULE, service: 'shop', 'rules.0.pattern': 'a..b' });
    assert.match(refused, /value="a\.\.b"[^>]*aria-invalid="true"/);
    const remove = `${page}/services/shop/rules/remove`;
    const gone = JSON.stringify({ kind: 'branch', pattern: 'gone', environment: 'prod', paths: [] });
    assert.match(wordsOf(await submitted(page, remove, { rule: gone })), /changed meanwhile/);
    const rule = JSON.stringify({ kind: 'branch', pattern: 'main', environment: 'prod', paths: [] });
    assert.ok((await ann.get(page)).text.includes(`value="${rule.replaceAll('"', '&quot;')}"`));
    assert.match(wordsOf(await submitted(page, remove, { rule })), /The rule is removed/);
    const [left] = (await stored())?.services[0]?.rules ?? [];
    assert.equal(left?.pattern, 'release/*');
    assert.match(wordsOf(await submitted(page, remove, { rule: JSON.stringify(left) })), /is the last service/);
  });

  it('list deliveries by pages, with why and the build; hostile texts do nothing', async () => {
    const connection = await stored();
    const page = await here();
    for (let index = 0; index < 22; index += 1) {
      await on.builder.gitDeliveries.insert({
        ...{ id: `gdl_${index}`, connectionId: connection?.id ?? '', kind: 'push', event: 'push', providerId: null },
        ...{ ref: `refs/heads/<b>b${index}</b>\u202e`, claimedHead: null, login: '<script>eve</script>\u202e' },
        ...{ accountId: null, requestedBy: null, alreadySeen: false, receivedAt: new Date(Date.now() + index) },
        ...{ state: 'waiting', outcomes: [] },
      });
    }
    const deployed = {
      service: 'shop',
      environment: 'prod',
      commit: `<i>${'c'.repeat(40)}`,
      buildId: 'bld_1',
    } as const;
    const failed = { service: 'shop', environment: 'uat', message: '<img src=x onerror=alert(1)>\u001b[31m' } as const;
    await on.builder.gitDeliveries.decide(
      ['gdl_21'],
      [outcome('deployed', deployed), outcome('source_refused', failed)],
    );
    const { text } = await ann.get(page);
    assert.match(text, /<code>&lt;b&gt;b21&lt;\/b&gt;⟦U\+202E⟧<\/code>/);
    assert.match(text, /by &lt;script&gt;eve&lt;\/script&gt;⟦U\+202E⟧/);
    assert.match(text, /&lt;img src=x onerror=alert\(1\)&gt;⟦U\+001B⟧/);
    assert.doesNotMatch(text, /<script>eve|<img src=x|<i>c|\u202e/);
    assert.equal(text.includes('\u001b'), false);
    assert.match(text, /a build was asked for[\s\S]*href="\/builds\/bld_1"/);
    assert.match(wordsOf(text), /Build asked for shop/, 'whose end is not known');
    const { builds } = on.builder;
    await builds.create(buildRecord({ id: 'bld_1', service: 'shop', org: 'acme' }));
    assert.match(wordsOf((await ann.get(page)).text), /Queued shop · prod/);
    await builds.finish('bld_1', {
      ...{ status: 'failed', reason: 'superseded', failure: null, supersededBy: null, finishedAt: new Date() },
    });
    assert.match(wordsOf((await ann.get(page)).text), /Superseded shop · prod/);
    const [, older = ''] = /href="([^"]+)" rel="next"/.exec(text) ?? [];
    const next = await ann.get(older.replaceAll('&amp;', '&'));
    assert.match(next.text, /b0&lt;/);
    assert.doesNotMatch(next.text, /b21&lt;/);
  });

  it('tell of a hook that is silent, and of deliveries that were refused', async () => {
    const { id = '', hookId } = (await stored()) ?? {};
    assert.equal(typeof hookId, 'string');
    assert.match(wordsOf((await ann.get('/git')).text), /No delivery yet/);
    await on.builder.gitConnections.noteDeliveries(id, {
      ...{ lastDeliveryAt: new Date(Date.now() - 21 * 24 * 3_600_000), refusedDeliveries: 2 },
      lastRefusedAt: new Date(Date.now() - 3_600_000),
    });
    const page = wordsOf((await ann.get(await here())).text);
    assert.match(page, /No delivery for 21 days although the hook is registered/);
    assert.match(page, /2 deliveries were refused since the last genuine one/);
    assert.match(page, /Last genuine delivery 21 d ago/);
    assert.match(wordsOf((await ann.get('/git')).text), /2 refused .*21 d ago/);
    await on.builder.gitConnections.noteDeliveries(id, {
      ...{ lastDeliveryAt: new Date(), refusedDeliveries: 0, lastRefusedAt: null },
    });
    assert.doesNotMatch(wordsOf((await ann.get(await here())).text), /were refused since|No delivery for/);
  });

  it('show weaker proof and a refused token as such', async () => {
    await submitted(await here(), await here('/token'), { token: 'good-token' });
    const connection = await stored();
    assert.ok(connection !== undefined);
    const weak = { ...connection, provider: 'gitlab', proof: 'token' } as const;
    await on.builder.gitConnections.replace(weak, connection.revision);
    const kept = await stored();
    assert.ok(kept !== undefined && kept.token !== null);
    const problem = { code: 'GIT_TOKEN_REFUSED', message: 'It was <b>revoked</b>', at: new Date() };
    await on.builder.gitConnections.setTokenProblem(kept.id, kept.token, problem);
    assert.match(wordsOf((await ann.get('/git')).text), /Token problem .*Weaker proof/);
    const { text } = await ann.get(await here());
    assert.match(wordsOf(text), /refused the API token .*: It was &lt;b&gt;revoked&lt;\/b&gt;/);
    assert.match(wordsOf(text), /Plain token, weaker/);
  });

  it('are not there for another org: neither the page nor any form of it', async () => {
    const page = await here();
    const eve = await on.browseAs({ ...STRANGER });
    const seen = await eve.get(page);
    assert.equal(seen.status, 404);
    assert.doesNotMatch(seen.text + (await eve.get('/git')).text, /git\.example|shop/);
    const before = await stored();
    const deliveries = async () =>
      (await on.builder.gitDeliveries.list(before?.id ?? '', { cursor: null, limit: 200 })).items.length;
    const count = await deliveries();
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ...['pause', 'resume', 'rotate', 'rotate/finish', 'token/remove', 'disconnect'].map(
        (rest) => [rest, {}] as const,
      ),
      ...[
        ['token', { token: 'mine' }] as const,
        ['poll', { pollMinutes: '5' }] as const,
        ['look', { ref: '' }] as const,
      ],
      ['rules', { ...RULE, service: 'shop', 'rules.0.pattern': 'main' }],
      ['services/shop/rules/remove', { rule: '{}' }],
    ];
    for (const [rest, fields] of forms) {
      const sent = await eve.submit('/git', `${page}/${rest}`, fields);
      assert.equal(sent.status, 303, rest);
      assert.equal((await eve.get(sent.headers.get('location') ?? '')).status, 404, rest);
    }
    const taken = await eve.submit('/git/identities', '/git', FORM);
    assert.doesNotMatch((await eve.get(taken.headers.get('location') ?? '')).text, /git\.example/);
    assert.deepEqual([await stored(), await deliveries()], [before, count]);
  });

  it('refuse a form without the token of the session', async () => {
    const page = await here();
    const reply = await ann.request(`${page}/disconnect`, {
      ...{ method: 'POST', headers: { origin: on.console.address }, body: new URLSearchParams() },
    });
    assert.equal(reply.status, 403);
    assert.notEqual(await stored(), undefined);
  });

  it('disconnect after a question', async () => {
    const page = await here();
    assert.match((await ann.get(page)).text, /After this, a push deploys nothing\. What runs goes on running/);
    assert.match(wordsOf(await submitted(page, `${page}/disconnect`)), /The repository is disconnected/);
    assert.equal(await stored(), undefined);
    assert.equal((await ann.get(page)).status, 404);
  });

  it('say at the form that a folder is polled, and poll it', async () => {
    await on.builder.services.upsert({ id: 'svc_jobs', name: 'jobs', org: 'acme' }, { gitUrl: '/srv/git/jobs.git' });
    const form = { ...FORM, service: 'jobs' };
    const refused = await submitted('/git', '/git', form);
    assert.match(refused, /id="pollMinutes-error"/);
    assert.match(wordsOf(refused), /nothing can deliver pushes from a folder/);
    const polled = await submitted('/git', '/git', { ...form, pollMinutes: '5' });
    assert.match(wordsOf(polled), /jobs is connected\..*Polled every 5 min/);
    assert.doesNotMatch(polled, /hooks\/git\/|Secret of the hook/);
    await submitted(await here(), await here('/disconnect'));
  });

  it('link and unlink an own account, whose token is nowhere afterwards', async () => {
    const own = '/git/identities';
    on.builder.accounts.set(TOKEN, { accountId: '7', login: 'ann<b>' });
    const refused = await submitted(own, own, { provider: 'gitea', host: '', token: TOKEN });
    assert.match(refused, /id="host-error"/);
    assert.equal(refused.includes(TOKEN), false);
    const linked = await submitted(own, own, { provider: 'gitea', host: 'https://git.example', token: TOKEN });
    assert.match(linked, /ann&lt;b&gt;<span class="sub">Gitea · https:\/\/git\.example/);
    assert.equal([linked, ...ann.cookies.values(), on.console.logged, on.builder.logged].join().includes(TOKEN), false);
    const [, unlink = ''] = /action="(\/git\/identities\/[^"]+\/unlink)"/.exec(linked) ?? [];
    const eve = await on.browseAs({ ...STRANGER });
    await eve.submit(own, unlink);
    assert.equal((await on.builder.gitIdentities.listOf('usr_ann')).length, 1);
    assert.match(wordsOf(await submitted(own, unlink)), /is unlinked/);
    assert.deepEqual(await on.builder.gitIdentities.listOf('usr_ann'), []);
  });
});
