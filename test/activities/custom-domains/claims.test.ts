import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { changeHolder } from '../../../activities/custom-domains/change-domain.ts';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import { observeDomain } from '../../../activities/custom-domains/observe-domain.ts';
import { prepareDomain } from '../../../activities/custom-domains/prepare-domain.ts';
import { beginRemoval, removeDomain } from '../../../activities/custom-domains/remove-domain.ts';
import { isHeld } from '../../../domain/custom-domains/custom-domain.ts';
import type { AddDomain } from '../../../domain/custom-domains/messages.ts';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const MANAGED = { mode: 'cloudflare' } as const;
const DAY = 24 * 60;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute));

/** `acme` has the service shop, and is whom a name belongs to; `globex` has blog, and wants names that are not its own. */
describe('claims of names', () => {
  let world: CustomDomainsWorld;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
  });

  /** As an add does. */
  async function add(request: AddDomain, minute: number): Promise<void> {
    const { holderId, isNew } = await claimDomain(world.deps, request, at(minute));
    const of = { domain: request.domain, holderId };
    try {
      await prepareDomain(world.deps, of, { overwrite: request.overwrite, at: at(minute) });
    } catch (error) {
      if (isNew) await removeDomain(world.deps, of, at(minute));
      throw error;
    }
  }
  async function look(domain: string, minute: number): Promise<string> {
    const holderId = (await world.deps.domains.find(domain))?.holder?.id ?? '';
    const seen = await observeDomain(world.deps, { domain, holderId, isAsked: false }, at(minute));
    return seen.kind === 'seen' ? seen.state : seen.kind;
  }
  async function remove(request: AddDomain, minute: number): Promise<void> {
    const { domain, serviceId } = request;
    const of = await beginRemoval(world.deps, { domain, serviceId, by: 'usr_ada', requestId: 'req_1' }, at(minute));
    await removeDomain(world.deps, of, at(minute));
  }
  const routes = async () =>
    (await world.deps.hosts.list()).map(({ host, service }) => [host, service]).sort() as readonly string[][];
  const prove = (request: AddDomain) => {
    const { name, value } = ownershipProof(request);
    world.dns.setText(name, value);
  };
  const records = (domain: string) => world.provider.recordsOf(domain).map(({ content }) => content);

  describe('in the modes in which the owner sets the record', () => {
    it('a claim from before the owner of the domain was a customer proves itself once they are one', async () => {
      await add(world.request('shop.victim.com', world.ofBlog), 0);
      assert.equal(await look('shop.victim.com', 1), 'pending-dns');
      world.dns.lead('www.victim.com', HERE);
      await add(world.request('www.victim.com'), 2);
      assert.equal(await look('www.victim.com', 3), 'pending-proof', 'its own is asked for one as well');
      prove(world.request('www.victim.com'));
      await look('www.victim.com', 3);
      // Their next record leads here before they add its name.
      world.dns.lead('shop.victim.com', HERE);
      assert.equal(await look('shop.victim.com', 4), 'pending-proof');
      const { holder } = (await world.deps.domains.find('shop.victim.com')) ?? assert.fail();
      assert.ok(holder?.proof, 'people are shown what to set');
      assert.deepEqual(await routes(), [['www.victim.com', 'shop']]);
    });

    it('of two orgs that say a name is theirs, its record gives it to neither', async () => {
      await add(world.request('victim.com', world.ofBlog), 0);
      const own = world.request('victim.com');
      await assert.rejects(add(own, 1), { code: 'DOMAIN_TAKEN' });
      world.dns.lead('victim.com', HERE);
      assert.equal(await look('victim.com', 2), 'pending-proof');
      assert.deepEqual(await routes(), []);
      prove(own);
      await add(world.request('victim.com'), 3);
      await look('victim.com', 4);
      assert.deepEqual(await routes(), [['victim.com', 'shop']]);
    });

    it('giving a name back and claiming it again makes nobody forget who else asked for it', async () => {
      const squat = world.request('victim.com', world.ofBlog);
      await add(squat, 0);
      await assert.rejects(add(world.request('victim.com'), 1), { code: 'DOMAIN_TAKEN' });
      await remove(squat, 2);
      world.dns.lead('victim.com', HERE);
      await add(world.request('victim.com', world.ofBlog), 3);
      assert.equal(await look('victim.com', 4), 'pending-proof');
    });

    it('who has a name by its record alone loses it to who proves it, and all that leads there first', async () => {
      await add(world.request('victim.com', world.ofBlog), 0);
      world.dns.lead('victim.com', HERE);
      await look('victim.com', 1);
      assert.deepEqual(await routes(), [['victim.com', 'blog']]);
      const own = world.request('victim.com');
      await assert.rejects(add(own, 2), { code: 'DOMAIN_TAKEN' });
      prove(own);
      await add(world.request('victim.com'), 3);
      assert.deepEqual([await routes(), world.certificates.wishedFor('blog')], [[], []]);
      await look('victim.com', 4);
      assert.deepEqual(await routes(), [['victim.com', 'shop']]);
      // It was proven, and so it stays while it is served.
      assert.equal(await look('victim.com', 5), 'active');
      prove(world.request('victim.com', world.ofBlog));
      await assert.rejects(add(world.request('victim.com', world.ofBlog), 6), { code: 'DOMAIN_TAKEN' });
    });

    it('names beside one that was given back are asked for a proof: their records may lead here still', async () => {
      const own = world.request('shop.left.com');
      world.dns.lead('shop.left.com', HERE);
      world.dns.lead('www.left.com', HERE);
      await add(own, 0);
      await look('shop.left.com', 1);
      await remove(own, 2);
      await add(world.request('left.com'), 3);
      world.dns.lead('left.com', HERE);
      assert.equal(await look('left.com', 4), 'pending-certificate', 'who had it is asked for none');
      await add(world.request('www.left.com', world.ofBlog), 5);
      assert.equal(await look('www.left.com', 6), 'pending-proof');
      assert.deepEqual(await routes(), [['left.com', 'shop']]);
    });

    it('of two orgs that claim names beside one another, whoever looks first is asked for a proof', async () => {
      await add(world.request('beside.com'), 0);
      await add(world.request('www.beside.com', world.ofBlog), 1);
      for (const domain of ['beside.com', 'www.beside.com']) world.dns.lead(domain, HERE);
      assert.deepEqual(
        [await look('www.beside.com', 2), await look('beside.com', 3)],
        ['pending-proof', 'pending-proof'],
      );
      assert.deepEqual(await routes(), []);
      prove(world.request('beside.com'));
      await look('beside.com', 4);
      // Who has proven the domain itself is asked for no more.
      await add(world.request('shop.beside.com'), 5);
      world.dns.lead('shop.beside.com', HERE);
      assert.equal(await look('shop.beside.com', 6), 'pending-certificate');
    });

    it('a name that failed for its certificate alone stays its holder\u2019s, until somebody proves it', async () => {
      world.certificates.states.set('shop.victim.com', { state: 'failed', reason: 'CAA' });
      await add(world.request('shop.victim.com'), 0);
      world.dns.lead('shop.victim.com', HERE);
      await look('shop.victim.com', 1);
      assert.equal(await look('shop.victim.com', 31 * DAY), 'failed');
      const other = world.request('shop.victim.com', world.ofBlog);
      await assert.rejects(add(other, 31 * DAY + 1), { code: 'DOMAIN_TAKEN' });
      assert.deepEqual(await routes(), [['shop.victim.com', 'shop']]);
      prove(other);
      await add(world.request('shop.victim.com', world.ofBlog), 31 * DAY + 2);
      assert.equal((await world.deps.domains.find('shop.victim.com'))?.holder?.org, 'globex');
    });

    it('a claim that still owes its proof takes nothing from one that has failed', async () => {
      await add(world.request('shop.victim.com', world.ofBlog), 0);
      assert.equal(await look('shop.victim.com', 31 * DAY), 'failed');
      await add(world.request('www.victim.com', { serviceId: world.shop, org: 'acme' }), 31 * DAY + 1);
      const third = { serviceId: await world.newService('third', 'initech'), service: 'third', org: 'initech' };
      await assert.rejects(add(world.request('shop.victim.com', third), 31 * DAY + 2), { code: 'DOMAIN_TAKEN' });
    });

    it('a claim that was never its holder\u2019s leaves no record, and what was paused before changes no later one', async () => {
      const request = world.request('never.own.com');
      await add(request, 0);
      const paused = await world.deps.domains.find(request.domain);
      assert.ok(isHeld(paused));
      await remove(request, 1);
      assert.equal(await world.deps.domains.find(request.domain), null);
      await add(world.request('never.own.com', world.ofBlog), 2);
      await assert.rejects(changeHolder(world.deps, paused, { reason: 'paused' }), { code: 'CONFLICT' });
      await remove(world.request('never.own.com', world.ofBlog), 3);
      // Whose it was is remembered.
      await add(world.request('once.own.com'), 4);
      world.dns.lead('once.own.com', HERE);
      await look('once.own.com', 5);
      await remove(world.request('once.own.com'), 6);
      assert.equal((await world.deps.domains.find('once.own.com'))?.former?.org, 'acme');
    });

    it('a claim that was killed before it was told is told by the next attempt', async () => {
      const { audit } = world.deps;
      const cut = {
        ...world.deps,
        audit: {
          record: async () => {
            throw new FairleadError('UNAVAILABLE', 'killed', { retryable: true });
          },
        },
      };
      const request = world.request('shop.killed.com');
      await assert.rejects(claimDomain(cut, request, at(0)));
      await claimDomain(world.deps, request, at(0));
      const removal = { domain: request.domain, serviceId: world.shop, by: 'usr_ada', requestId: 'req_2' };
      await assert.rejects(beginRemoval(cut, removal, at(1)));
      await beginRemoval(world.deps, removal, at(1));
      assert.ok(audit !== null);
      const told = world.audit.told().map(({ eventType }) => eventType);
      assert.deepEqual(told, ['domain.added', 'domain.removed']);
    });
  });

  describe('in the mode in which the platform writes the record', () => {
    it('a zone that a claim made has no record of it before the domain is delegated', async () => {
      await add(world.request('mail.victim.com', { ...MANAGED, ...world.ofBlog }), 0);
      assert.equal(await look('mail.victim.com', 1), 'pending-delegation');
      assert.deepEqual(records('mail.victim.com'), []);
      const own = world.request('www.victim.com', MANAGED);
      prove(own);
      await add(own, 2);
      assert.deepEqual(records('www.victim.com'), [INGRESS], 'a proof is enough');
      world.provider.activate('victim.com');
      assert.deepEqual([await look('mail.victim.com', 3), records('mail.victim.com')], ['pending-proof', []]);
      assert.equal(await look('www.victim.com', 4), 'active');
    });

    it('nobody has a name in a zone of the operator without a proof, nor overwrites one; one proof at the domain is for all', async () => {
      world.provider.add('corp.com', 'active');
      world.provider.put('corp.com', 'www.corp.com', [{ type: 'A', content: '198.51.100.9' }]);
      const wish = { ...MANAGED, ...world.ofBlog, overwrite: true };
      await add(world.request('www.corp.com', wish), 0);
      assert.equal(await look('www.corp.com', 1), 'pending-proof');
      assert.deepEqual(records('www.corp.com'), ['198.51.100.9']);
      const given = world.request('shop.corp.com', wish);
      prove(given);
      await add(given, 2);
      assert.equal(await look('shop.corp.com', 3), 'active');
      // The zone shows it no more; the name that waited for it has it all the same, and so has the next one.
      world.dns.setText(ownershipProof(given).name);
      await look('www.corp.com', 4);
      assert.deepEqual([await look('www.corp.com', 5), records('www.corp.com')], ['active', [INGRESS]]);
      await add(world.request('mail.corp.com', wish), 6);
      assert.equal(await look('mail.corp.com', 7), 'active');
    });

    it('a member of the platform\u2019s own org overwrites nothing in zones of others, until an administrator adds the name', async () => {
      world.provider.add('corp.com', 'active');
      world.provider.put('corp.com', 'www.corp.com', [{ type: 'A', content: '198.51.100.9' }]);
      const toy = { serviceId: await world.newService('toy', 'platform'), service: 'toy', org: 'platform' };
      const wish = { ...MANAGED, ...toy, overwrite: true };
      await add(world.request('www.corp.com', wish), 0);
      assert.deepEqual([await look('www.corp.com', 1), records('www.corp.com')], ['pending-proof', ['198.51.100.9']]);
      await add(world.request('www.corp.com', { ...wish, byAdministrator: true }), 2);
      assert.deepEqual([await look('www.corp.com', 3), records('www.corp.com')], ['active', [INGRESS]]);
      // To a tenant's service, no administrator gives what is in a zone of others.
      await add(world.request('shop.corp.com', { ...MANAGED, ...world.ofBlog, byAdministrator: true }), 4);
      assert.deepEqual([await look('shop.corp.com', 5), records('shop.corp.com')], ['pending-proof', []]);
    });

    it('who had a zone made and delegated goes on adding names, also once the first one is given back', async () => {
      const [first, second] = ['www.own.com', 'shop.own.com'].map((domain) => world.request(domain, MANAGED));
      assert.ok(first !== undefined && second !== undefined);
      await add(first, 0);
      world.provider.activate('own.com');
      await look(first.domain, 1);
      await add(second, 2);
      assert.equal(await look(second.domain, 3), 'active');
      await remove(first, 4);
      // A squatter keeps nobody from it who has the zone already.
      await add(world.request('squat.own.com', { ...MANAGED, ...world.ofBlog }), 5);
      const third = world.request('third.own.com', MANAGED);
      await add(third, 6);
      assert.deepEqual([await look('squat.own.com', 7), await look(third.domain, 7)], ['pending-proof', 'active']);
    });

    it('a delegation gives the name to its only claimant, whose record is written then', async () => {
      await add(world.request('www.own.com', MANAGED), 0);
      assert.deepEqual(records('www.own.com'), []);
      world.provider.activate('own.com');
      assert.equal(await look('www.own.com', 1), 'active');
      assert.deepEqual(records('www.own.com'), [INGRESS]);
    });

    it('a domain that was delegated here before its zone was made is nobody\u2019s without a proof', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const delegated: typeof zones = {
        ...zones,
        createZone: async (apex) => ({ ...(await zones.createZone(apex)), status: 'active' }),
      };
      world = { ...world, deps: { ...world.deps, zones: delegated } };
      await add(world.request('www.dangling.com', { ...MANAGED, ...world.ofBlog }), 0);
      world.provider.activate('dangling.com');
      assert.equal(await look('www.dangling.com', 1), 'pending-proof');
      assert.deepEqual([records('www.dangling.com'), await routes()], [[], []]);
    });

    it('one name of a domain that was delegated here before gives no second one, whoever comes', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const delegated: typeof zones = {
        ...zones,
        async createZone(apex) {
          await zones.createZone(apex);
          world.provider.activate(apex);
          return (await zones.findZone(apex)) ?? assert.fail();
        },
      };
      world = { ...world, deps: { ...world.deps, zones: delegated } };
      await add(world.request('a.dangling.com', { ...MANAGED, ...world.ofBlog }), 0);
      await add(world.request('www.dangling.com', { ...MANAGED, ...world.ofBlog }), 1);
      assert.deepEqual([await look('www.dangling.com', 2), records('www.dangling.com')], ['pending-proof', []]);
      await remove(world.request('a.dangling.com', { ...MANAGED, ...world.ofBlog }), 3);
      await remove(world.request('www.dangling.com', { ...MANAGED, ...world.ofBlog }), 3);
      await add(world.request('dangling.com', MANAGED), 4);
      assert.deepEqual([await look('dangling.com', 5), records('dangling.com')], ['pending-proof', []]);
    });

    it('a domain of which nobody says where it leads counts as delegated here, also for an attempt after a kill', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const lame: typeof zones = {
        ...zones,
        createZone: async (apex) => ({ ...(await zones.createZone(apex)), originalNameServers: [] }),
        async findZone(apex) {
          const found = await zones.findZone(apex);
          return found && { ...found, originalNameServers: [] };
        },
      };
      world = { ...world, deps: { ...world.deps, zones: lame } };
      await add(world.request('www.lame.com', { ...MANAGED, ...world.ofBlog }), 0);
      world.provider.activate('lame.com');
      assert.deepEqual([await look('www.lame.com', 1), records('www.lame.com')], ['pending-proof', []]);
      const killed: typeof zones = {
        ...lame,
        async createZone(apex) {
          await zones.createZone(apex);
          world.provider.activate(apex);
          throw new FairleadError('UNAVAILABLE', 'killed', { retryable: true });
        },
      };
      const request = world.request('www.killed.com', { ...MANAGED, ...world.ofBlog });
      const { holderId } = await claimDomain(world.deps, request, at(2));
      const of = { domain: request.domain, holderId };
      const wish = { overwrite: false, at: at(2) };
      await assert.rejects(prepareDomain({ ...world.deps, zones: killed }, of, wish), { code: 'UNAVAILABLE' });
      await prepareDomain(world.deps, of, wish);
      assert.deepEqual([records('www.killed.com'), await look('www.killed.com', 3)], [[], 'pending-proof']);
    });

    it('a zone whose domain is seen elsewhere after its add was killed is its claimant\u2019s once it is delegated', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const killed: typeof zones = {
        ...zones,
        async createZone(apex) {
          await zones.createZone(apex);
          throw new FairleadError('UNAVAILABLE', 'killed', { retryable: true });
        },
      };
      const request = world.request('www.own.com', MANAGED);
      const of = { domain: request.domain, holderId: (await claimDomain(world.deps, request, at(0))).holderId };
      const wish = { overwrite: false, at: at(0) };
      await assert.rejects(prepareDomain({ ...world.deps, zones: killed }, of, wish), { code: 'UNAVAILABLE' });
      await prepareDomain(world.deps, of, wish);
      world.provider.activate('own.com');
      assert.equal(await look('www.own.com', 1), 'active');
    });

    it('an org that shares a service writes nothing into zones of its owner, nor of the platform, without a proof', async () => {
      await add(world.request('shop.acme.com', MANAGED), 0);
      world.provider.activate('acme.com');
      await look('shop.acme.com', 1);
      world.provider.put('acme.com', 'www.acme.com', [{ type: 'A', content: '198.51.100.9' }]);
      world.provider.add('operator.com', 'active');
      world.provider.put('operator.com', 'operator.com', [{ type: 'A', content: '198.51.100.8' }]);
      const status = await world.newService('status', 'platform');
      for (const id of [world.shop, status]) {
        assert.ok(await world.services.setSharing(id, { revision: 1, orgs: [sharer('globex')], lastChange: null }, 0));
      }
      const shared = { ...MANAGED, claimant: 'globex', sharingRevision: 1, overwrite: true } as const;
      const ofStatus = { serviceId: status, service: 'status', org: 'platform' };
      await add(world.request('www.acme.com', shared), 2);
      await add(world.request('operator.com', { ...shared, ...ofStatus }), 2);
      assert.deepEqual(
        [await look('www.acme.com', 3), await look('operator.com', 3)],
        ['pending-proof', 'pending-proof'],
      );
      assert.deepEqual([records('www.acme.com'), records('operator.com')], [['198.51.100.9'], ['198.51.100.8']]);
      world.dns.lead('old.acme.com', HERE);
      await add(world.request('old.acme.com', { claimant: 'globex', sharingRevision: 1 }), 4);
      assert.equal(await look('old.acme.com', 5), 'pending-proof', 'a record that was left behind');
      prove(world.request('www.acme.com', shared));
      await look('www.acme.com', 6);
      assert.deepEqual([await look('www.acme.com', 7), records('www.acme.com')], ['active', [INGRESS]]);
    });

    it('the proof of one org helps no other, also where the other org\u2019s add made the zone', async () => {
      const blog = world.request('blog.victim.com', { ...MANAGED, ...world.ofBlog });
      await add(blog, 0);
      await add(world.request('victim.com', MANAGED), 1);
      prove(world.request('victim.com', MANAGED));
      assert.equal(await look('blog.victim.com', 2), 'pending-proof');
      await look('victim.com', 2);
      world.provider.activate('victim.com');
      assert.deepEqual([await look('victim.com', 3), await look('blog.victim.com', 3)], ['active', 'pending-proof']);
      await add(world.request('www.victim.com', { ...MANAGED, ...world.ofBlog }), 4);
      assert.deepEqual([await look('www.victim.com', 5), records('www.victim.com')], ['pending-proof', []]);
    });

    it('who had a zone made inherits it from nobody whose names were in it, however long ago', async () => {
      await add(world.request('zz.victim.com', { ...MANAGED, ...world.ofBlog }), 0);
      const own = world.request('victim.com', MANAGED);
      prove(own);
      await add(own, 1);
      world.provider.activate('victim.com');
      assert.equal(await look('victim.com', 2), 'active');
      await remove(own, 3);
      // Nobody has looked at it since, and what the owner left is long ago.
      const after = 120 * DAY;
      assert.deepEqual([await look('zz.victim.com', after), records('zz.victim.com')], ['failed', []]);
      await add(world.request('www.victim.com', { ...MANAGED, ...world.ofBlog }), after + 1);
      assert.deepEqual([await look('www.victim.com', after + 2), records('www.victim.com')], ['pending-proof', []]);
      assert.deepEqual(await routes(), []);
    });

    it('a zone that the provider refuses to make takes no room, nor does one of an attempt that was killed', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const refused = new FairleadError('DNS_PROVIDER_REFUSED', 'This is no zone for you', { system: 'cloudflare' });
      const refusing: typeof zones = { ...zones, createZone: () => Promise.reject(refused) };
      const refusal = { ...world, deps: { ...world.deps, zones: refusing } };
      const open = world;
      for (let index = 0; index < 21; index += 1) {
        world = refusal;
        await assert.rejects(
          add(world.request(`www.refused${index}.com`, MANAGED), index),
          (error) => error === refused,
        );
        assert.equal(await open.deps.domains.find(`www.refused${index}.com`), null);
      }
      world = open;
      for (let made = 0; made < 19; made += 1) await add(world.request(`www.zone${made}.com`, MANAGED), 30);
      const dying: typeof zones = { ...zones, createZone: () => Promise.reject(new Error('killed')) };
      const request = world.request('www.zone19.com', MANAGED);
      const { holderId } = await claimDomain(world.deps, request, at(31));
      const prepare = (deps: typeof world.deps) =>
        prepareDomain(deps, { domain: request.domain, holderId }, { overwrite: false, at: at(31) });
      await assert.rejects(prepare({ ...world.deps, zones: dying }), /killed/);
      await prepare(world.deps);
      assert.equal(world.provider.hasZone('zone19.com'), true);
      await assert.rejects(add(world.request('www.zone20.com', MANAGED), 32), { code: 'RATE_LIMITED' });
    });

    it('a zone that was made, although the answer was a refusal, takes its room', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const refused = new FairleadError('DNS_PROVIDER_REFUSED', 'It answers in other terms', { system: 'powerdns' });
      const createZone = async (apex: string) => {
        await zones.createZone(apex);
        throw refused;
      };
      world = { ...world, deps: { ...world.deps, zones: { ...zones, createZone } } };
      await assert.rejects(add(world.request('www.unclear.com', MANAGED), 0), (error) => error === refused);
      assert.equal((await world.deps.domains.find('www.unclear.com'))?.zoneMade?.org, 'acme');
    });

    it('a name that is being removed gets no record', async () => {
      const request = world.request('www.leaving.com', { mode: 'cloudflare', org: 'platform', byAdministrator: true });
      const { holderId } = await claimDomain(world.deps, request, at(0));
      const of = { domain: request.domain, serviceId: world.shop, by: 'usr_ada', requestId: 'req_1' };
      await beginRemoval(world.deps, of, at(1));
      await prepareDomain(world.deps, { domain: request.domain, holderId }, { overwrite: false, at: at(2) });
      assert.deepEqual(records('www.leaving.com'), []);
    });
  });

  it('an org waits for so many names at most; those that are its own do not count', async () => {
    for (let made = 0; made < 50; made += 1) await add(world.request(`n${made}.waiting.com`, world.ofBlog), 0);
    const more = world.request('more.waiting.com', world.ofBlog);
    await assert.rejects(add(more, 1), {
      code: 'CONFLICT',
      message: /globex has 50 names whose DNS does not lead here/,
    });
    await add(world.request('n0.another.com'), 1);
    world.dns.lead('n0.waiting.com', HERE);
    await look('n0.waiting.com', 2);
    await add(more, 3);
  });

  it('a name that an org added which shares the service goes when it shares it no more', async () => {
    const sharing = { revision: 1, orgs: [sharer('helpers')], lastChange: null };
    assert.ok(await world.services.setSharing(world.shop, sharing, 0));
    const ofHelpers = { claimant: 'helpers', sharingRevision: 1 };
    world.dns.lead('helped.com', HERE);
    prove(world.request('helped.com', ofHelpers));
    await add(world.request('helped.com', ofHelpers), 0);
    assert.equal(await look('helped.com', 1), 'pending-certificate');
    assert.ok(await world.services.setSharing(world.shop, { revision: 2, orgs: [], lastChange: null }, 1));
    assert.equal(await look('helped.com', 2), 'leaving');
    await assert.rejects(add(world.request('later.com', ofHelpers), 3), { code: 'SERVICE_NOT_FOUND' });
  });
});

const sharer = (org: string) => ({ org, repoRole: 'write', authorizedBy: 'usr_ada', authorizedAt: at(0) }) as const;
