import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logLine } from '../../ports/build-log.ts';
import { buildRecord, stepOf } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

const MEMBER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] };
const VIEWER = { ...MEMBER, orgRoles: ['viewer'] };
const STRANGER = { sub: 'usr_eve', orgSlug: 'other', orgRoles: ['admin'] };
const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };

/** What people and repositories write, which a page must show and never obey. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</pre></div><form action=https://evil.example>',
  'a\u202etxt.exe',
  '\u001b]0;owned\u0007\u001b[2J\u001b[31mred',
  '{{7*7}}`',
  '\u0000\u0008\u009b',
];

describe('the page of a build', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    await on.builder.services.upsert(
      { id: 'svc_shop', name: 'shop', org: 'acme' },
      { gitUrl: 'https://git.example/acme/shop.git' },
    );
  });
  after(() => on.stop());

  const create = (id: string, changes: Parameters<typeof buildRecord>[0] | object = {}) =>
    on.builder.builds.create(buildRecord({ ...SHOP, id, ...changes }));
  const fail = (id: string) =>
    on.builder.builds.finish(id, {
      ...{ status: 'failed', reason: 'step_failed', supersededBy: null, finishedAt: new Date() },
      failure: { code: 'IMAGE_BUILD_FAILED', message: 'RUN npm ci ended with 1', step: 'image-build' },
    });
  const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

  it('shows the plan with what is skipped and why, what failed, and the log with links to its lines', async () => {
    await create('bld_page');
    const started = new Date('2026-01-01T00:00:00Z');
    const finished = new Date('2026-01-01T00:00:04Z');
    await on.builder.builds.markStep('bld_page', stepOf('source'), {
      state: 'completed',
      startedAt: started,
      finishedAt: finished,
    });
    await on.builder.log.append('bld_page', [
      logLine('one', { step: 'source' }),
      logLine('\u001b[32mtwo'),
      logLine('three', { level: 'error' }),
    ]);
    await fail('bld_page');
    const { status, text } = await (await on.browseAs(MEMBER)).get('/builds/bld_page');
    assert.equal(status, 200);
    assert.match(textOf(text), /Fetch source : done 4 s/);
    assert.match(textOf(text), /Skipped: no service registry is configured/);
    assert.match(textOf(text), /Build image : RUN npm ci ended with 1/);
    assert.match(
      text,
      /<div class="log-line log-info" id="L2"><a class="log-number" href="\/builds\/bld_page\?at=2#L2"/,
    );
    assert.match(text, /<span class="t-2">two<\/span>/);
    assert.match(textOf(text), /Error: three/);
    assert.ok(!text.includes('data-live='), 'nothing changes any more');
  });

  it('shows what is hostile as text, in the log, the branch, the reasons and the diagnostics', async () => {
    const source = { kind: 'git', url: 'https://git.example/x.git', branch: HOSTILE.join(' '), commit: null };
    await create('bld_hostile', { source, requestedBy: HOSTILE[0] });
    await on.builder.log.append(
      'bld_hostile',
      HOSTILE.map((text) => logLine(text)),
    );
    await on.builder.builds.addWarnings('bld_hostile', HOSTILE);
    await on.builder.builds.addDiagnostic('bld_hostile', { step: 'health', title: HOSTILE[1] ?? '', lines: HOSTILE });
    const browser = await on.browseAs(MEMBER);
    for (const path of [
      '/builds/bld_hostile',
      '/services/shop/builds',
      `/builds/bld_hostile?${new URLSearchParams({ find: HOSTILE[1] ?? '' })}`,
    ]) {
      const { status, text, headers } = await browser.get(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(text, /<script>alert|<img src=x|<form action=https/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'; style-src 'self'; script-src 'self'/,
      );
      assert.doesNotMatch(text, / style="/);
    }
  });

  it('searches the log and marks what it found, and shows the part of the log that a line is in', async () => {
    await create('bld_long');
    const lines = Array.from({ length: 1_200 }, (_, at) => logLine(at === 299 ? 'the Needle' : `line ${at + 1}`));
    await on.builder.log.append('bld_long', lines);
    await fail('bld_long');
    const browser = await on.browseAs(VIEWER);
    const end = await browser.get('/builds/bld_long');
    assert.ok(end.text.includes('id="L1200"') && end.text.includes('id="L701"') && !end.text.includes('id="L700"'));
    assert.match(end.text, /href="\/builds\/bld_long\?at=700#L700">Earlier lines/);
    const part = await browser.get('/builds/bld_long?at=700');
    assert.ok(part.text.includes('id="L501"') && part.text.includes('id="L1000"') && !part.text.includes('id="L1001"'));
    assert.match(part.text, /Later lines/);
    const found = await browser.get('/builds/bld_long?find=needle');
    assert.match(found.text, /the <mark>Needle<\/mark>/);
    assert.ok(!found.text.includes('id="L301"'));
    assert.match(textOf((await browser.get('/builds/bld_long?find=nowhere')).text), /No line has “nowhere”/);
    for (const wrong of ['at=x', 'at=-1', `find=${'x'.repeat(201)}`]) {
      assert.equal((await browser.get(`/builds/bld_long?${wrong}`)).status, 400, wrong);
    }
  });

  it('gives the whole log as text, without what a terminal would obey', async () => {
    await create('bld_text');
    const lines = Array.from({ length: 2_100 }, (_, at) => logLine(`line ${at + 1}`));
    await on.builder.log.append('bld_text', [...lines, ...HOSTILE.map((text) => logLine(text))]);
    const { status, text, headers } = await (await on.browseAs(VIEWER)).get('/builds/bld_text/log.txt');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(headers.get('content-disposition'), 'attachment; filename="shop-bld_text.txt"');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(text.split('\n').length, 2_100 + HOSTILE.length + 1);
    assert.match(text, /^2026-01-01T00:00:00.000Z image-build line 1\n/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it('is there with its log, however long the lines are that a repository prints', async () => {
    for (const [id, character, count] of [
      ['bld_quotes', '"', 520],
      ['bld_escapes', '\u0001', 270],
    ] as const) {
      await create(id);
      await on.builder.log.append(
        id,
        Array.from({ length: count }, (_, at) => logLine(`${at + 1}:${character.repeat(16_000)}`)),
      );
      const browser = await on.browseAs(VIEWER);
      const page = await browser.get(`/builds/${id}`);
      assert.equal(page.status, 200, id);
      assert.ok(page.text.includes(`id="L${count}"`));
      assert.match(page.text, /\(12\d\d\d characters more\)/);
      const file = await browser.get(`/builds/${id}/log.txt`);
      assert.equal(file.status, 200, id);
      assert.equal(file.text.split('\n').length, count + 1);
    }
  });

  it('is not there for people of another org, at any of its addresses', async () => {
    await create('bld_ours');
    const browser = await on.browseAs(STRANGER);
    const paths = [
      '/builds/bld_ours',
      '/builds/bld_ours/log.txt',
      '/builds/bld_ours?find=x',
      '/builds/bld_none',
      '/services/shop/builds',
      '/services/shop/releases',
      '/services/shop/config',
      '/services/shop/logs',
    ];
    for (const path of paths) assert.equal((await browser.get(path)).status, 404, path);
    const live = await browser.get('/live/builds/bld_ours');
    assert.match(live.text, /event: end\ndata: {"reason":"refused","message":"Build not found."}/);
    for (const path of ['/live/services/shop/logs']) assert.match((await browser.get(path)).text, /"reason":"refused"/);
    const before = await on.builder.builds.find('bld_ours');
    for (const [action, fields] of [
      ['cancel', {}],
      ['retry', { fromStep: 'source' }],
      ['redeploy', {}],
    ] as const) {
      const sent = await browser.submit('/grants', `/builds/bld_ours/${action}`, fields);
      assert.equal(sent.status, 303);
      assert.equal((await browser.get(sent.headers.get('location') ?? '')).status, 404, action);
    }
    for (const [action, fields] of [
      ['rollback', { environment: 'prod', releaseId: 'rel_1' }],
      ['config/set', { name: 'A', value: '1', environment: 'all', kind: 'plain' }],
      ['config/unset', { name: 'A', environment: 'all' }],
    ] as const) {
      const sent = await browser.submit('/grants', `/services/shop/${action}`, fields);
      assert.equal((await browser.get(sent.headers.get('location') ?? '')).status, 404, action);
    }
    assert.deepEqual(await on.builder.builds.find('bld_ours'), before);
    assert.deepEqual(on.builder.commands.requests, []);
    assert.deepEqual((await on.builder.services.find('svc_shop'))?.config, {});
  });

  it('sends whoever is not signed in to sign in', async () => {
    const browser = on.console.browse();
    for (const path of ['/builds/bld_ours', '/builds/bld_ours/log.txt', '/services/shop/config', '/grants']) {
      const { status, headers } = await browser.get(path);
      assert.equal(status, 303);
      assert.match(headers.get('location') ?? '', /^\/sign-in\?to=/);
    }
  });
});
