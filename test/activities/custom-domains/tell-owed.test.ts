import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import type { CustomDomainsDeps } from '../../../activities/custom-domains/deps.ts';
import { observeDomain } from '../../../activities/custom-domains/observe-domain.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const ELSEWHERE = { type: 'A', content: '198.51.100.9' } as const;
const DAY = 24 * 60;
const DOMAIN = 'shop.told.com';
const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute));

describe('what became of a name', () => {
  let world: CustomDomainsWorld;
  let holderId: string;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
    ({ holderId } = await claimDomain(world.deps, world.request(DOMAIN), at(0)));
  });
  const holder = async () => (await world.deps.domains.find(DOMAIN))?.holder ?? assert.fail();
  const look = (minute: number, deps: CustomDomainsDeps = world.deps) =>
    observeDomain(deps, { domain: DOMAIN, holderId, isAsked: false }, at(minute));
  async function serve(): Promise<void> {
    world.dns.lead(DOMAIN, HERE);
    for (const minute of [1, 2]) await look(minute);
    assert.equal((await holder()).state, 'active');
  }
  const away = () => Promise.reject(new Error('550 refused'));

  it('is kept and done although no mail is taken, and told once it is', async () => {
    await serve();
    world.dns.lead(DOMAIN, ELSEWHERE);
    const silent = { ...world.deps, raiseAlarm: away };
    for (const minute of [60, 75, 91]) assert.equal((await look(minute, silent)).kind, 'seen');
    assert.deepEqual([(await holder()).state, (await holder()).untold.length], ['pending-dns', 2]);
    await look(100);
    assert.deepEqual(world.alarms, [
      `A custom domain leads elsewhere: ${DOMAIN}`,
      `A custom domain is lost: ${DOMAIN}`,
    ]);
    assert.deepEqual((await holder()).untold, []);
  });

  it('a name that failed is looked at until it was told', async () => {
    const silent = { ...world.deps, audit: { record: away } };
    const failed = await look(31 * DAY, silent);
    assert.deepEqual(failed.kind === 'seen' && [failed.state, failed.waitMs], ['failed', 3_600_000]);
    const told = await look(31 * DAY + 60);
    assert.deepEqual(told.kind === 'seen' && [told.state, told.waitMs], ['failed', null]);
    assert.deepEqual(world.alarms, [`A custom domain was not set up in 30 days: ${DOMAIN}`]);
  });

  it('a record that comes and goes alarms once a day', async () => {
    await serve();
    for (let flap = 0; flap < 20; flap += 1) {
      world.dns.lead(DOMAIN, flap % 2 === 0 ? ELSEWHERE : HERE);
      await look(10 + flap);
    }
    assert.equal(world.alarms.length, 1);
    world.dns.lead(DOMAIN, ELSEWHERE);
    await look(10 + DAY);
    assert.equal(world.alarms.length, 2);
  });
});
