import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { buildRecord, catalogRecord, releaseRecord, stepOf } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

const MEMBER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] };
const VIEWER = { ...MEMBER, orgRoles: ['viewer'] };
const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };

describe('what can be done with builds and releases', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    const gitUrl = 'https://git.example/acme/shop.git';
    await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, { gitUrl });
  });
  after(() => on.stop());

  const source = { kind: 'git', url: 'https://git.example/acme/shop.git', branch: 'next', commit: null } as const;
  const failed = async (id: string, changes: object = {}) => {
    await on.builder.builds.create(buildRecord({ ...SHOP, id, source, ...changes }));
    await on.builder.builds.markStep(id, stepOf('source'), { state: 'completed' });
    await on.builder.builds.markStep(id, stepOf('catalog'), { state: 'completed' });
    await on.builder.builds.markStep(id, stepOf('image-build'), { state: 'running' });
    await on.builder.builds.finish(id, {
      ...{ status: 'failed', reason: 'step_failed', supersededBy: null, finishedAt: new Date() },
      failure: { code: 'IMAGE_BUILD_FAILED', message: 'it ended with 1', step: 'image-build' },
    });
  };
  const newest = () => on.builder.commands.requests.at(-1);
  const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

  it('retries from the step that failed, or an earlier one, and leads to the new build', async () => {
    await failed('bld_retry');
    const browser = await on.browseAs(MEMBER);
    const { text } = await browser.get('/builds/bld_retry');
    const offered = [...text.matchAll(/<option value="([^"]+)"/g)].map(([, key]) => key);
    assert.ok(
      offered.includes('source') && offered.includes('catalog') && !offered.includes('image-build'),
      offered.join(),
    );
    for (const fromStep of offered.slice(0, 2)) {
      const sent = await browser.submit('/builds/bld_retry', '/builds/bld_retry/retry', { fromStep: fromStep ?? '' });
      assert.equal(sent.status, 303);
      assert.equal(newest()?.resume?.fromStep, fromStep);
      assert.match(sent.headers.get('location') ?? '', /^\/builds\/bld_/);
    }
    const refused = await browser.submit('/builds/bld_retry', '/builds/bld_retry/retry', { fromStep: 'nothing' });
    assert.equal(refused.headers.get('location'), '/builds/bld_retry');
    assert.match(textOf((await browser.get('/builds/bld_retry')).text), /no such step/);
  });

  it('deploys what the branch holds now, and says so when the same build is under way', async () => {
    await failed('bld_again');
    const browser = await on.browseAs(MEMBER);
    const first = await browser.submit('/builds/bld_again', '/builds/bld_again/redeploy');
    assert.deepEqual([newest()?.kind, newest()?.source], ['deploy', source]);
    const second = await browser.submit('/builds/bld_again', '/builds/bld_again/redeploy');
    assert.equal(second.headers.get('location'), first.headers.get('location'));
    await on.builder.builds.create(buildRecord({ ...SHOP, id: newest()?.buildId ?? '' }));
    await on.builder.builds.create(buildRecord({ ...SHOP, id: first.headers.get('location')?.slice(8) ?? '' }));
    const { text } = await browser.get(first.headers.get('location') ?? '');
    assert.match(textOf(text), /The same build was under way already/);
  });

  it('offers no second deploy of an archive, which the platform does not keep', async () => {
    await failed('bld_archive', { source: { kind: 'archive', archiveId: 'arc_1', sha256: 'a'.repeat(64) } });
    const browser = await on.browseAs(MEMBER);
    assert.doesNotMatch((await browser.get('/builds/bld_archive')).text, /redeploy/);
    await browser.submit('/builds/bld_archive', '/builds/bld_archive/redeploy');
    assert.match(textOf((await browser.get('/builds/bld_archive')).text), /upload the source again/);
  });

  it('cancels a build that runs, and tells why it cannot once no workflow runs it', async () => {
    const request = {
      ...SHOP,
      kind: 'deploy',
      environment: 'uat',
      source,
      requestedBy: 'usr_ann',
      requestId: 'req_1',
    } as const;
    const more = { requestedAt: '2026-01-01T00:00:00.000Z', resume: null, releaseId: null };
    await on.builder.commands.request({ ...request, ...more, buildId: 'bld_cancel' });
    await on.builder.builds.create(buildRecord({ ...SHOP, id: 'bld_cancel', environment: 'uat', source }));
    const browser = await on.browseAs(MEMBER);
    assert.match((await browser.get('/builds/bld_cancel')).text, /action="\/builds\/bld_cancel\/cancel"/);
    const sent = await browser.submit('/builds/bld_cancel', '/builds/bld_cancel/cancel');
    assert.equal(sent.headers.get('location'), '/builds/bld_cancel');
    assert.match(textOf((await browser.get('/builds/bld_cancel')).text), /The build is (being )?cancelled/);
    await browser.submit('/builds/bld_cancel', '/builds/bld_cancel/cancel');
    assert.match(textOf((await browser.get('/builds/bld_cancel')).text), /No workflow runs build bld_cancel/);
  });

  it('shows what differs between releases by names alone, and rolls back to one that served', async () => {
    const seal = createSecretCipher([Buffer.alloc(32, 7)]).seal;
    const release = async (at: number, config: Record<string, string>, secret: string) => {
      const [id, buildId] = [`rel_r${at}`, `bld_r${at}`];
      const facts = { catalog: catalogRecord(), releaseNotes: { notes: '- <b>New</b> cart', version: null } };
      await on.builder.builds.create(buildRecord({ ...SHOP, id: buildId, source, facts }));
      const secrets = { KEY: seal(secret, { service: 'shop', environment: 'prod', key: 'KEY' }) };
      const commitSha = `${at}`.repeat(40);
      await on.builder.releases.put(
        releaseRecord({ id, buildId, service: 'shop', serviceId: 'svc_shop', config, secrets, commitSha }),
      );
      await on.builder.releases.activate(id, { at: new Date(2026, 0, at), epoch: at, buildId });
    };
    await release(1, { COLOUR: 'canary-blue', OLD: '1' }, 'canary-one');
    await release(2, { COLOUR: 'canary-red', NEW: '1' }, 'canary-two');
    const browser = await on.browseAs(MEMBER);
    const { text } = await browser.get('/services/shop/releases');
    assert.match(
      textOf(text),
      /Commit 11111111 → 22222222 Variables added NEW Variables changed COLOUR , KEY Variables removed OLD/,
    );
    assert.match(text, /- &lt;b&gt;New&lt;\/b&gt; cart/);
    assert.doesNotMatch(text, /canary/);
    assert.equal(
      [...text.matchAll(/name="releaseId" value="([^"]+)"/g)].map(([, id]) => id).join(),
      'rel_r1',
      'not to the one that serves',
    );
    const fields = { environment: 'prod', releaseId: 'rel_r1' };
    const sent = await browser.submit('/services/shop/releases', '/services/shop/rollback', fields);
    assert.deepEqual([newest()?.kind, newest()?.releaseId], ['rollback', 'rel_r1']);
    assert.equal(sent.headers.get('location'), `/builds/${newest()?.buildId}`);
    await browser.submit('/services/shop/releases', '/services/shop/rollback', { ...fields, releaseId: 'rel_none' });
    assert.match(textOf((await browser.get('/services/shop/releases')).text), /No such release ever served shop/);
  });

  it('does nothing for viewers, nor for a form that is not of the console', async () => {
    await failed('bld_guarded');
    const before = on.builder.commands.requests.length;
    const viewer = await on.browseAs(VIEWER);
    assert.equal((await viewer.submit('/builds/bld_guarded', '/builds/bld_guarded/redeploy')).status, 403);
    const member = await on.browseAs(MEMBER);
    const forged = await member.request('/builds/bld_guarded/redeploy', {
      method: 'POST',
      body: new URLSearchParams({ csrf: 'x' }),
    });
    assert.equal(forged.status, 403);
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal(
      (await member.submit('/builds/bld_guarded', '/builds/bld_guarded/redeploy', {}, elsewhere)).status,
      403,
    );
    assert.equal(on.builder.commands.requests.length, before);
  });
});
