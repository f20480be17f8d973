import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createScopeGrants } from '../../../../activities/deploys/steps/create-scope-grants.ts';
import { provisionOAuthClient } from '../../../../activities/deploys/steps/provision-oauth-client.ts';
import type { Catalog } from '../../../../domain/catalog/catalog.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import type { GrantDecision } from '../../../../domain/grants/grant.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { shareService } from '../../../support/share-service.ts';
import { useDeploy } from '../use-deploy.ts';

let parts: Awaited<ReturnType<typeof useDeploy>>['parts'];
let attempt: Awaited<ReturnType<typeof useDeploy>>['attempt'];

beforeEach(async () => {
  ({ parts, attempt } = await useDeploy({ settings: { platformUrls: { IDP_URL: 'https://idp.example' } } }));
  await parts.services.upsert({ id: 'svc_mailer', name: 'mailer', org: 'other' }, {});
  await parts.services.upsert({ id: 'svc_own', name: 'own', org: 'acme' }, {});
});

const declared = (scopes: readonly string[], service = 'mailer', changes: Partial<Catalog> = {}): Catalog =>
  catalogRecord({
    auth: { mode: 'service-only', passport: NO_PASSPORT },
    dependencies: [{ service, scopes: [...scopes] }],
    ...changes,
  });

/** As a deploy does: the client first, then its scopes of other orgs. */
async function deploy(catalog: Catalog, given: Partial<typeof parts> = {}): Promise<readonly string[]> {
  await provisionOAuthClient(parts, attempt({ catalog }));
  await createScopeGrants({ ...parts, ...given }, attempt({ catalog }));
  return (await parts.clientStore.find('hello-prod'))?.allowedScopes ?? [];
}

const blockedBy = async (catalog: Catalog) => {
  const error = await deploy(catalog).then(
    () => assert.fail('the deploy goes on'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FairleadError && error.code === 'SCOPE_GRANT_BLOCKED', String(error));
  return {
    message: error.message,
    blocked: (error.details as { blockedGrants: { id: string; state: string }[] }).blockedGrants,
  };
};

async function decide(decision: GrantDecision): Promise<void> {
  const { items } = await parts.grants.list({ org: 'other' }, { cursor: null, limit: 1 });
  const [grant] = items;
  assert.ok(grant !== undefined);
  await parts.grantCommands.decide(grant, { decision, by: 'usr_ada', revision: null, requestId: null });
}

/** The table of spec 2, "Scope grant states". */
describe('scopes of services that a catalog declares', () => {
  it('of the same org: given without a grant', async () => {
    assert.ok((await deploy(declared(['read'], 'own'))).includes('own:read'));
    assert.deepEqual((await parts.grants.list({ org: null }, { cursor: null, limit: 5 })).items, []);
  });

  it('of an org that authorized this one: given without a grant', async () => {
    await shareService(parts.services, 'svc_mailer', ['acme']);
    assert.ok((await deploy(declared(['send']))).includes('mailer:send'));
  });

  it('of another org: a grant is asked for and the build ends, naming it and the command; once it is approved it goes on', async () => {
    const { message, blocked } = await blockedBy(declared(['send']));
    const [grant] = blocked;
    assert.deepEqual(blocked, [{ id: grant?.id, service: 'mailer', state: 'pending', scopes: ['mailer:send'] }]);
    assert.match(message, new RegExp(`fairlead grants approve ${grant?.id}`));
    assert.match(message, /fairlead deploy --wait-for-grants/);
    assert.equal((await blockedBy(declared(['send']))).blocked[0]?.id, grant?.id, 'a second deploy asks for the same');
    await decide('approve');
    assert.ok((await deploy(declared(['send']))).includes('mailer:send'));
  });

  it('approved without one of them: blocked, and nothing is widened', async () => {
    await blockedBy(declared(['send']));
    await decide('approve');
    const { blocked, message } = await blockedBy(declared(['send', 'read']));
    assert.equal(blocked[0]?.state, 'approved_missing');
    assert.match(
      message,
      /fairlead grants revoke .*fairlead grants request mailer mailer:send mailer:read --service hello`/,
    );
    assert.deepEqual((await parts.grants.list({ org: null }, { cursor: null, limit: 5 })).items[0]?.granted, [
      'mailer:send',
    ]);
  });

  it('denied or revoked: blocked, and not asked for again', async () => {
    await blockedBy(declared(['send']));
    await decide('deny');
    const denied = await blockedBy(declared(['send', 'read']));
    assert.equal(denied.blocked[0]?.state, 'denied');
    assert.match(denied.message, /can still approve it: `fairlead grants approve sgr_/);
    assert.doesNotMatch(denied.message, /--wait-for-grants/, 'waiting does not help there');
    await decide('approve');
    await decide('revoke');
    const { blocked } = await blockedBy(declared(['send']));
    assert.equal(blocked[0]?.state, 'revoked');
    const scopes = (await parts.clientStore.find('hello-prod'))?.allowedScopes;
    assert.ok(!scopes?.includes('mailer:send'));
  });

  it('what is decided is read from the record: the workflow of a grant is asked once at most', async () => {
    const asked: string[] = [];
    const { request, apply } = parts.grantCommands;
    const grantCommands: typeof parts.grantCommands = {
      ...parts.grantCommands,
      request: (key, wanted) => {
        asked.push('request');
        return request(key, wanted);
      },
      apply: (key) => {
        asked.push('apply');
        return apply(key);
      },
    };
    const asks = async () => {
      asked.length = 0;
      await deploy(declared(['send']), { grantCommands }).catch((error: { code?: string }) =>
        assert.equal(error.code, 'SCOPE_GRANT_BLOCKED'),
      );
      return asked.join();
    };
    assert.equal(await asks(), 'request', 'there is none yet');
    assert.equal(await asks(), 'request', 'pending: its workflow is to be there for signals');
    await decide('deny');
    assert.equal(await asks(), '');
    await decide('approve');
    assert.equal(await asks(), 'apply');
    await decide('revoke');
    assert.equal(await asks(), '');
  });

  it('too many, over several entries of one service: refused, and not asked for', async () => {
    const entries = [0, 1].map((half) => ({
      service: 'mailer',
      scopes: Array.from({ length: 30 }, (_, number) => `s${half * 30 + number}`),
    }));
    await assert.rejects(deploy(declared([], 'mailer', { dependencies: entries })), { code: 'CATALOG_INVALID' });
    assert.deepEqual((await parts.grants.list({ org: null }, { cursor: null, limit: 5 })).items, []);
  });

  it('of the platform, malformed, or of no service: no grant is asked for', async () => {
    for (const dependency of [
      ['builder', 'write'],
      ['mailer', 'with blank'],
      ['nobody', 'read'],
    ] as const) {
      const [service, scope] = dependency;
      const scopes = await deploy(declared([scope], service));
      assert.deepEqual(scopes, ['openid', 'profile', 'email'], service);
    }
    assert.deepEqual((await parts.grants.list({ org: null }, { cursor: null, limit: 5 })).items, []);
  });

  it('when no worker answers: the error is of the identity provider, which fails open, and nothing is given', async () => {
    const request = async () => {
      throw new FairleadError('UNAVAILABLE', 'No worker answered in time.', { retryable: true });
    };
    const grantCommands = { ...parts.grantCommands, request };
    await assert.rejects(deploy(declared(['send']), { grantCommands }), {
      code: 'UNAVAILABLE',
      system: 'identity-provider',
    });
    assert.ok(!(await parts.clientStore.find('hello-prod'))?.allowedScopes.includes('mailer:send'));
  });
});
