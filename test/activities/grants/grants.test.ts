import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createGrantsActivities } from '../../../activities/grants/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import type { GrantDecision, GrantKey } from '../../../domain/grants/grant.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { createInMemoryDeploys, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { readBehind } from '../../support/in-memory/read-behind.ts';
import { shareService } from '../../support/share-service.ts';

const SCOPES = ['notes:read', 'notes:write'];

describe('activities of grants', () => {
  let parts: InMemoryDeploys;
  let activities: ReturnType<typeof createGrantsActivities>;
  let key: GrantKey;

  beforeEach(async () => {
    parts = createInMemoryDeploys();
    key = {
      holder: await serviceOf('shop', 'acme'),
      environment: 'prod',
      target: await serviceOf('notes', 'platform'),
    };
    activities = createGrantsActivities({ ...parts, newId });
    await parts.clientStore.insert(
      clientRecord({
        clientId: 'shop-prod',
        orgSlug: 'acme',
        service: 'shop',
        environment: 'prod',
        allowedScopes: ['openid'],
      }),
    );
  });

  async function serviceOf(name: string, org: string) {
    const { service } = await parts.services.upsert({ id: `svc_${name}`, name, org }, {});
    return { serviceId: service.id, name, org };
  }
  const request = (scopes = SCOPES, as: 'deploy' | 'person' = 'deploy') =>
    activities.requestGrant({ key, request: { scopes, by: 'usr_eve', as, requestId: 'req_1' } });
  const recordDecision = (decision: GrantDecision, of = key) => {
    const transition = { decision, by: 'usr_ada', revision: null, requestId: 'req_2' };
    return activities.recordDecision({ key: of, transition });
  };
  const decide = async (decision: GrantDecision) => {
    const grant = await recordDecision(decision);
    await activities.applyGrant(key);
    return grant;
  };
  /** The activities of a worker that is paused right before it gives the client something, while `meanwhile` happens. */
  const pausedBeforeGiving = (meanwhile: () => Promise<unknown>) => {
    let paused = false;
    const provision: typeof parts.clients.provision = async (wanted, signal) => {
      if (!paused) await meanwhile();
      paused = true;
      return parts.clients.provision(wanted, signal);
    };
    return createGrantsActivities({ ...parts, clients: { ...parts.clients, provision }, newId });
  };
  const scopesOf = async (clientId = 'shop-prod') => (await parts.clientStore.find(clientId))?.allowedScopes;

  it('give nothing while a grant is pending, the scopes once it is approved, and take them when it is revoked', async () => {
    assert.equal((await request()).status, 'pending');
    await activities.applyGrant(key);
    assert.deepEqual(await scopesOf(), ['openid']);
    assert.deepEqual((await decide('approve')).granted, SCOPES);
    assert.deepEqual(await scopesOf(), ['openid', ...SCOPES]);
    await decide('revoke');
    assert.deepEqual(await scopesOf(), ['openid']);
  });

  it('leave what a platform admin gave the client when a grant is denied', async () => {
    await parts.clientStore.update('shop-prod', { allowedScopes: ['openid', 'notes:read'] });
    await request();
    await decide('deny');
    assert.deepEqual(await scopesOf(), ['openid', 'notes:read']);
  });

  it('asked for by two at once: one grant, with the scopes of one of them', async () => {
    const [one, two] = await Promise.all([request(['notes:read']), request(['notes:read'])]);
    assert.equal(one?.id, two?.id);
    assert.equal(one?.revision, 1);
  });

  it('decided by two at once: one decision stands, and the client agrees with it', async () => {
    await request();
    const outcomes = await Promise.allSettled([decide('approve'), decide('deny')]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const { status } = (await parts.grants.findFor(key)) ?? {};
    assert.deepEqual(await scopesOf(), status === 'approved' ? ['openid', ...SCOPES] : ['openid']);
  });

  it('revoked while the scopes are being given: they are taken again', async () => {
    await request();
    await decide('approve');
    const provision: typeof parts.clients.provision = async (wanted, signal) => {
      const reply = await parts.clients.provision(wanted, signal);
      await recordDecision('revoke');
      return reply;
    };
    const late = createGrantsActivities({ ...parts, clients: { ...parts.clients, provision }, newId });
    await late.applyGrant(key);
    assert.deepEqual(await scopesOf(), ['openid']);
  });

  it('revoked and asked for anew while a paused worker was about to give the scopes: they are taken again', async () => {
    await request();
    await decide('approve');
    const late = pausedBeforeGiving(async () => {
      await decide('revoke');
      await request(SCOPES, 'person');
    });
    await late.applyGrant(key);
    assert.deepEqual(await scopesOf(), ['openid']);
  });

  it('revoked, and the workflow is lost before the client hears of it: asking anew and a denial leave nothing', async () => {
    await request();
    await decide('approve');
    await recordDecision('revoke');
    await request(SCOPES, 'person');
    assert.deepEqual(await scopesOf(), ['openid']);
    await parts.clientStore.update('shop-prod', { allowedScopes: ['openid', ...SCOPES] });
    await decide('deny');
    assert.deepEqual(await scopesOf(), ['openid']);
  });

  it('one of the services is being removed while the scopes are given: they are taken again', async () => {
    for (const id of ['svc_notes', 'svc_shop']) {
      await request();
      await decide('approve');
      const provision: typeof parts.clients.provision = async (wanted, signal) => {
        const reply = await parts.clients.provision(wanted, signal);
        await parts.services.setRemoving(id, true);
        return reply;
      };
      await createGrantsActivities({ ...parts, clients: { ...parts.clients, provision }, newId }).applyGrant(key);
      assert.deepEqual(await scopesOf(), ['openid'], id);
      await parts.services.setRemoving(id, false);
    }
  });

  it('one of them is being removed, which a database that fails over does not show yet: they are taken again', async () => {
    for (const id of ['svc_notes', 'svc_shop']) {
      await request();
      await decide('approve');
      const services = await readBehind(parts.services, ['svc_notes', 'svc_shop']);
      await parts.services.setRemoving(id, true);
      await createGrantsActivities({ ...parts, services, newId }).applyGrant(key);
      assert.deepEqual(await scopesOf(), ['openid'], id);
      await parts.services.setRemoving(id, false);
    }
  });

  describe('of a service whose name another one took while a paused worker was about to give the scopes', () => {
    /** Applies the grant by the paused worker. `takeOver` says what the service of that name then has. */
    const applyAfterAll = async (party: 'holder' | 'target', takeOver: (later: GrantKey) => Promise<unknown>) => {
      await request();
      await decide('approve');
      await pausedBeforeGiving(async () => {
        const { serviceId, name, org } = key[party];
        await parts.services.remove(serviceId);
        const grant = await parts.grants.findFor(key);
        await parts.grants.remove(grant?.id ?? '');
        await parts.clientStore.removeScopes('shop-prod', SCOPES);
        await parts.services.upsert({ id: 'svc_later', name, org }, {});
        await takeOver({ ...key, [party]: { serviceId: 'svc_later', name, org } });
      }).applyGrant(key);
      return await scopesOf();
    };

    it('the later one, which nobody was asked for, has no scopes and gives none', async () => {
      assert.deepEqual(await applyAfterAll('target', async () => undefined), ['openid']);
    });

    it('a later one that asks has none either', async () => {
      assert.deepEqual(await applyAfterAll('holder', async () => undefined), ['openid']);
    });

    it('what was approved for the later one stays', async () => {
      const scopes = await applyAfterAll('target', async (later) => {
        const asked = { scopes: ['notes:read'], by: 'usr_eve', as: 'deploy', requestId: null } as const;
        await activities.requestGrant({ key: later, request: asked });
        await recordDecision('approve', later);
      });
      assert.deepEqual(scopes, ['openid', 'notes:read']);
    });

    it('what the later one gives without a grant, to an org that it authorized, stays', async () => {
      const scopes = await applyAfterAll('target', () => shareService(parts.services, 'svc_later', ['acme']));
      assert.deepEqual(scopes, ['openid', ...SCOPES]);
    });
  });

  it('wait for a client that is not there yet: the deploy that makes it applies the grant', async () => {
    await parts.clientStore.remove('shop-prod');
    await request();
    await decide('approve');
    assert.equal(await parts.clientStore.find('shop-prod'), null);
  });

  it('tell the ledger of each change once, for the org that decides', async () => {
    await request();
    await request();
    await decide('approve');
    await decide('approve');
    await decide('revoke');
    const told = parts.audit.told().map(({ eventType, orgSlug, metadata }) => [eventType, orgSlug, metadata.actor]);
    assert.deepEqual(told, [
      ['grant.requested', 'platform', 'usr_eve'],
      ['grant.approved', 'platform', 'usr_ada'],
      ['grant.revoked', 'platform', 'usr_ada'],
    ]);
  });

  it('tell the identity provider that a grant ended, not that a service was removed', async () => {
    const asked: unknown[] = [];
    const revokeScopes: typeof parts.clients.revokeScopes = async (of) => {
      asked.push(of);
      return [];
    };
    await request();
    await decide('approve');
    activities = createGrantsActivities({ ...parts, clients: { ...parts.clients, revokeScopes }, newId });
    await decide('revoke');
    assert.deepEqual(asked, [{ service: 'notes', clientId: 'shop-prod', reason: 'grant ended' }]);
  });

  it('decide nothing about a grant that is gone', async () => {
    await assert.rejects(decide('approve'), { code: 'NOT_FOUND' });
  });
});
