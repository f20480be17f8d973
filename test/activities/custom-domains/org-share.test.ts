import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCustomDomainsActivities } from '../../../activities/custom-domains/index.ts';
import { createCustomDomainsParts } from '../../support/custom-domains-parts.ts';

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const run = <A extends readonly unknown[], R>(activity: (...args: A) => Promise<R>, ...args: A): Promise<R> =>
  new MockActivityEnvironment({}, { logger: SILENT }).run(activity as never, ...(args as never)) as Promise<R>;
const AT = '2026-11-01T10:00:00.000Z';

/** A name of globex in the zone of evil.com, which is looked at until the org has used up its share. */
async function useUp() {
  const world = await createCustomDomainsParts();
  const activities = createCustomDomainsActivities(world.deps);
  const request = world.request('x.evil.com', { ...world.ofBlog, mode: 'cloudflare' });
  const { holderId } = await run(activities.claimDomain, request, AT);
  const of = { domain: request.domain, holderId };
  let looks = 0;
  const look = async () => (await run(activities.observeDomain, { ...of, isAsked: false }, AT)).kind;
  while ((await look()) === 'seen') looks += 1;
  return { world, activities, of, looks, look };
}

it('who has used up the calls of the DNS provider adds no name, is told so at once, and is looked at later', async () => {
  const { world, activities, looks, look } = await useUp();
  assert.ok(looks >= 40 && looks <= 100, `${looks} looks`);
  const add = (domain: string, fields: object) =>
    run(activities.claimDomain, world.request(domain, { ...fields, mode: 'cloudflare' }), AT);
  await assert.rejects(add('shop.victim.com', world.ofBlog), { code: 'RATE_LIMITED', retryable: false });
  assert.equal(await look(), 'put off');
  // Of another org nothing is used up, nor of names whose records their owners write.
  await add('shop.own.com', {});
  await run(activities.claimDomain, world.request('shop.direct.com', world.ofBlog), AT);
});

it('what an org has claimed before its share was used up is prepared, claimed again and removed', async () => {
  const { world, activities, of } = await useUp();
  const request = world.request(of.domain, { ...world.ofBlog, id: of.holderId, mode: 'cloudflare' });
  assert.equal((await run(activities.claimDomain, request, AT)).holderId, of.holderId);
  await run(activities.prepareDomain, of, { overwrite: false, at: AT });
  await run(activities.removeDomain, of, AT);
  assert.equal((await world.deps.domains.find(of.domain))?.holder, null);
});

it('removing and adding a name counts as well: every call of the provider does', async () => {
  const world = await createCustomDomainsParts();
  const activities = createCustomDomainsActivities(world.deps);
  const round = async (): Promise<void> => {
    const request = world.request('x.evil.com', { ...world.ofBlog, mode: 'cloudflare' });
    const { holderId } = await run(activities.claimDomain, request, AT);
    const of = { domain: request.domain, holderId };
    await run(activities.prepareDomain, of, { overwrite: false, at: AT });
    await run(activities.removeDomain, of, AT);
  };
  let rounds = 0;
  await assert.rejects(
    async () => {
      for (; rounds < 300; rounds += 1) await round();
    },
    { code: 'RATE_LIMITED' },
  );
  assert.ok(rounds > 30, `${rounds} rounds`);
});

it('workflows of an earlier version, which named no claimant and no time, add their names', async () => {
  const world = await createCustomDomainsParts();
  const activities = createCustomDomainsActivities(world.deps);
  const { claimant: _, sharingRevision: __, ...request } = world.request('shop.old.com', { mode: 'cloudflare' });
  const { holderId } = await run(activities.claimDomain, request, AT);
  await run(activities.prepareDomain, { domain: request.domain, holderId }, { overwrite: false });
  const record = await world.deps.domains.find(request.domain);
  assert.deepEqual([record?.holder?.claimant, record?.holder?.sharingRevision], ['acme', null]);
  const zoneMadeAt = record?.zoneMade?.at.getTime() ?? Number.NaN;
  assert.ok(Math.abs(zoneMadeAt - Date.now()) < 60_000);
});
