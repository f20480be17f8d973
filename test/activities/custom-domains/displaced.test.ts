import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { CustomDomainsDeps } from '../../../activities/custom-domains/deps.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';
import { DAY, MANAGED, type NameActions, nameActions } from '../../support/name-actions.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const DOMAIN = 'shop.moved.com';

/** `globex` has the name for its service blog, until `acme` proves that it is its own. */
describe('who loses a name to another service', () => {
  let world: CustomDomainsWorld;
  let actions: NameActions;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
    actions = nameActions(world);
  });
  const displaced = () => world.audit.told().filter(({ eventType }) => eventType === 'domain.displaced');
  async function serve(): Promise<void> {
    await actions.add(world.request(DOMAIN, world.ofBlog), 0);
    world.dns.lead(DOMAIN, HERE);
    for (const minute of [1, 2]) await actions.look(DOMAIN, minute);
    actions.show(world.request(DOMAIN));
  }

  it('is told in the ledger of its org, and an alarm is raised; neither says whose it is by now', async () => {
    await serve();
    await actions.add(world.request(DOMAIN), 3);
    const [told, ...more] = displaced();
    assert.deepEqual(
      [told?.orgSlug, told?.entityId, told?.data, more],
      ['globex', DOMAIN, { domain: DOMAIN, service: 'blog', environment: 'prod', mode: 'direct' }, []],
    );
    assert.doesNotMatch(JSON.stringify(told), /acme|"shop"/);
    await actions.look(DOMAIN, 4);
    assert.deepEqual(world.alarms, [`A custom domain went from one service to another: ${DOMAIN}`]);
  });

  it('is told once, also where the worker dies in between, and the alarm waits for a mail server', async () => {
    await serve();
    const request = world.request(DOMAIN);
    const { domains } = world.deps;
    const dying: CustomDomainsDeps['domains'] = {
      ...domains,
      replace: (record) =>
        record.holder?.id === request.id ? Promise.reject(new Error('killed')) : domains.replace(record),
    };
    await assert.rejects(nameActions(world, { ...world.deps, domains: dying }).add(request, 3), /killed/);
    assert.equal((await domains.find(DOMAIN))?.holder, null);
    await actions.add(request, 3);
    assert.equal(displaced().length, 1);
    const silent = { ...world.deps, raiseAlarm: () => Promise.reject(new Error('550 refused')) };
    await nameActions(world, silent).look(DOMAIN, 4);
    assert.deepEqual(world.alarms, []);
    await actions.look(DOMAIN, 5);
    assert.equal(world.alarms.length, 1);
  });

  it('keeps the name, and is served at it, while nobody can be told', async () => {
    await serve();
    const silent = { ...world.deps, audit: { record: () => Promise.reject(new Error('away')) } };
    await assert.rejects(nameActions(world, silent).add(world.request(DOMAIN), 3), /away/);
    const { org, removingSince } = (await actions.held(DOMAIN)) ?? assert.fail();
    assert.deepEqual([org, removingSince, await actions.routes()], ['globex', null, [`${DOMAIN} blog`]]);
  });

  it('of a name that was never known to be theirs, is told without an alarm', async () => {
    await actions.add(world.request(DOMAIN, world.ofBlog), 0);
    actions.show(world.request(DOMAIN));
    await actions.add(world.request(DOMAIN), 1);
    await actions.look(DOMAIN, 2);
    assert.deepEqual([displaced().length, world.alarms], [1, []]);
  });

  it('is told as well where a lost name goes because another org has shown that the domain is its own', async () => {
    await actions.add(world.request('www.sold.com', { ...MANAGED, ...world.ofBlog }), 0);
    world.provider.activate('sold.com');
    assert.equal(await actions.look('www.sold.com', 1), 'active');
    world.provider.moveAway('sold.com');
    for (const minute of [100, 130, 170]) await actions.look('www.sold.com', minute);
    const before = world.alarms.length;
    const buyer = world.request('sold.com', MANAGED);
    actions.show(buyer);
    await actions.add(buyer, DAY);
    await actions.look('www.sold.com', DAY + 1);
    assert.deepEqual(world.alarms.slice(before), ['A custom domain is lost: www.sold.com']);
    const last = world.audit.told().at(-1);
    assert.deepEqual([last?.eventType, last?.orgSlug], ['domain.repended', 'globex']);
    assert.match((await actions.held('www.sold.com'))?.reason ?? '', /set TXT/);
  });
});
