import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publishChangelog } from '../../../../activities/deploys/steps/publish-changelog.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const AWAY = new FairleadError('UNAVAILABLE', 'away', { system: 'registry', retryable: true });
const FACTS = {
  releaseId: 'rel_1',
  releaseNotes: { notes: '- new', version: '1.2.0' },
  sdkVersions: { '@fairlead/sdk': '1.0.0' },
} as const;

async function useRelease(given: Given = {}) {
  const deploy = await useDeploy({ opened: true, ...given });
  const { parts, build } = deploy;
  const release = releaseRecord({ id: 'rel_1', service: 'hello', serviceId: 'svc_hello', commitSha: 'c0ffee' });
  await parts.releases.put(release);
  const { stores } = parts.serviceRegistry;
  const changelog = async () => (await stores.entries.find('svc_hello'))?.changelog ?? null;
  const manifest = async () =>
    (await stores.deploys.lastManifest({ serviceId: 'svc_hello', environment: build.environment }))?.manifest;
  return { ...deploy, release, changelog, manifest };
}

describe('changelog', () => {
  it('publishes what is new and keeps the manifest; a second attempt changes nothing', async () => {
    const { parts, attempt, changelog, manifest, build } = await useRelease();
    await publishChangelog(parts, attempt(FACTS));
    const published = await changelog();
    assert.deepEqual(published, {
      ...{ notes: '- new', version: '1.2.0', commit: 'c0ffee', deployedAt: new Date(build.requestedAt) },
      ...{ walkthroughUrl: null, walkthroughUpdatedAt: null },
    });
    const { sdkVersions } = FACTS;
    assert.deepEqual(await manifest(), { commit: 'c0ffee', sdkVersions, deployedBy: build.requestedBy });
    parts.advance(60_000);
    await publishChangelog(parts, attempt(FACTS));
    assert.deepEqual(await changelog(), published);
  });

  it('only a deploy to prod publishes, and one without notes leaves those that are there', async () => {
    const uat = await useRelease({ build: { environment: 'uat' } });
    await publishChangelog(uat.parts, uat.attempt(FACTS));
    assert.equal(await uat.changelog(), null);
    assert.equal((await uat.manifest())?.commit, 'c0ffee');
    const { parts, attempt, changelog } = await useRelease();
    await publishChangelog(parts, attempt(FACTS));
    const before = await changelog();
    await publishChangelog(parts, attempt({ ...FACTS, releaseNotes: null }));
    assert.deepEqual(await changelog(), before);
  });

  it('a rollback publishes nothing, and its manifest has the versions that its release was built with', async () => {
    const { parts, attempt, changelog, manifest, release } = await useRelease({
      build: { kind: 'rollback', releaseId: 'rel_1' },
    });
    const facts = { releaseNotes: FACTS.releaseNotes, sdkVersions: { '@fairlead/sdk': '0.9.0' } };
    await parts.builds.create(buildRecord({ id: release.buildId, service: 'hello', facts }));
    await publishChangelog(parts, attempt({ releaseId: 'rel_1' }));
    assert.equal(await changelog(), null);
    assert.deepEqual((await manifest())?.sdkVersions, { '@fairlead/sdk': '0.9.0' });
  });

  it('an upload is named by the digest of its archive', async () => {
    const source = { kind: 'archive', archiveId: 'arc_1', sha256: 'ab'.repeat(32) } as const;
    const { parts, attempt, manifest } = await useRelease({ build: { source } });
    await parts.releases.put(
      releaseRecord({ id: 'rel_up', service: 'hello', serviceId: 'svc_hello', commitSha: null }),
    );
    await publishChangelog(parts, attempt({ ...FACTS, releaseId: 'rel_up' }));
    assert.equal((await manifest())?.commit, `archive-${'ab'.repeat(20)}`);
  });

  it('a manifest that the registry refuses is a warning, and the notes are published all the same', async () => {
    const { parts, attempt, changelog } = await useRelease();
    const refused = new FairleadError('VALIDATION_FAILED', 'body: no');
    const serviceRegistry = { ...parts.serviceRegistry, putManifest: () => Promise.reject(refused) };
    const step = attempt(FACTS);
    await publishChangelog({ ...parts, serviceRegistry }, step);
    assert.match(step.warnings.join(), /refused the manifest of this deploy: body: no/);
    assert.equal((await changelog())?.notes, '- new');
  });

  it('a registry that is away at any write is told as the system registry, and the next attempt does the rest', async () => {
    for (const write of ['declare', 'putManifest', 'publishChangelog'] as const) {
      const { parts, attempt, changelog, manifest } = await useRelease();
      const serviceRegistry = { ...parts.serviceRegistry, [write]: () => Promise.reject(AWAY) };
      const failed = publishChangelog({ ...parts, serviceRegistry }, attempt(FACTS));
      await assert.rejects(failed, (error) => error === AWAY, write);
      await publishChangelog(parts, attempt(FACTS));
      assert.deepEqual([(await changelog())?.notes, (await manifest())?.commit], ['- new', 'c0ffee'], write);
    }
  });

  it('a deploy that was asked for before the one that published does not replace its notes', async () => {
    const { parts, attempt, changelog } = await useRelease();
    const later = attempt(FACTS);
    await publishChangelog(parts, { ...later, build: { ...later.build, requestedAt: '2026-02-01T00:00:00.000Z' } });
    const before = await changelog();
    const late = attempt({ ...FACTS, releaseNotes: { notes: '- old', version: null } });
    await assert.rejects(publishChangelog(parts, late), { code: 'CONFLICT' });
    assert.deepEqual(await changelog(), before);
  });

  const WALKTHROUGHS: readonly [declared: string | null, url: string | null][] = [
    [null, null],
    ['https://video.example/tour?x=1', 'https://video.example/tour?x=1'],
    ['/tour', 'http://hello.prod.localhost:8000/tour'],
    ['/@other.example/x', 'http://hello.prod.localhost:8000/@other.example/x'],
  ];
  for (const [walkthrough, url] of WALKTHROUGHS) {
    it(`links the walkthrough ${walkthrough} with the notes; a second attempt changes nothing`, async () => {
      const { parts, attempt, changelog } = await useRelease();
      const edge = { ...parts.edge, url: () => 'http://hello.prod.localhost:8000' };
      const facts = { ...FACTS, catalog: catalogRecord({ walkthrough }) };
      await publishChangelog({ ...parts, edge }, attempt(facts));
      const published = await changelog();
      assert.deepEqual([published?.walkthroughUrl, published?.notes], [url, '- new']);
      parts.advance(60_000);
      await publishChangelog({ ...parts, edge }, attempt(facts));
      assert.deepEqual(await changelog(), published);
    });
  }

  const TOUR = catalogRecord({ walkthrough: 'https://video.example/tour' });

  it('attaches the link alone where nothing is new, and notes and time stay', async () => {
    const { parts, attempt, changelog } = await useRelease();
    await publishChangelog(parts, attempt(FACTS));
    const before = await changelog();
    parts.advance(60_000);
    const step = attempt({ ...FACTS, releaseNotes: null, catalog: TOUR });
    await publishChangelog(parts, step);
    const { walkthroughUrl, walkthroughUpdatedAt, ...rest } = (await changelog()) ?? {};
    assert.equal(walkthroughUrl, 'https://video.example/tour');
    assert.ok(walkthroughUpdatedAt instanceof Date);
    assert.deepEqual({ ...rest, walkthroughUrl: null, walkthroughUpdatedAt: null }, before);
    assert.deepEqual(step.warnings, []);
  });

  it('warns where there is no changelog to attach the link to, and the build goes on', async () => {
    const { parts, attempt, changelog } = await useRelease();
    const step = attempt({ ...FACTS, releaseNotes: null, catalog: TOUR });
    assert.deepEqual(await publishChangelog(parts, step), {});
    assert.match(step.warnings.join(), /walkthrough is not linked: the service has no changelog/);
    assert.equal(await changelog(), null);
  });

  it('links no walkthrough from uat', async () => {
    const { parts, attempt, changelog } = await useRelease({ build: { environment: 'uat' } });
    await publishChangelog(parts, attempt({ ...FACTS, catalog: TOUR }));
    assert.equal(await changelog(), null);
  });

  it('a registry that is away for the link is told as such, and the next attempt attaches it', async () => {
    const { parts, attempt, changelog } = await useRelease();
    await publishChangelog(parts, attempt(FACTS));
    const serviceRegistry = { ...parts.serviceRegistry, attachWalkthrough: () => Promise.reject(AWAY) };
    const facts = { ...FACTS, releaseNotes: null, catalog: TOUR };
    const failed = publishChangelog({ ...parts, serviceRegistry }, attempt(facts));
    await assert.rejects(failed, (error) => error === AWAY);
    await publishChangelog(parts, attempt(facts));
    assert.equal((await changelog())?.walkthroughUrl, 'https://video.example/tour');
  });
});
