import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';
import { type Answer, KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { type Callers, createCallers } from '../orgs/callers.ts';
import { type Headless, PASSWORD, seedHeadless, signupBody } from './embed/embed-fixture.ts';

/** The rows of spec 1, "Errors": what a caller gets, and when. A condition of several parts is several rows. */
const SPEC_ROWS = [
  '401: no usable token',
  '401: a deploy of an inactive service token',
  'invalid_client: wrong or stale client secret',
  'invalid_scope: client asks for a scope it was not granted',
  'Invalid Redirect URI: callback path other than /api/auth/callback',
  'Invalid Redirect URI: unregistered URI',
  '400 ROLES_NOT_ACCEPTED: roles field sent to trusted sign-up',
  '409 USER_EXISTS: trusted sign-up for an existing account',
  '403 NOT_ELIGIBLE: set-initial-password on an ineligible account',
  '403 SELF_SEND_REQUIRES_SECRET: sendEmail false without secret-based auth',
  '502 LLM_FEDERATION_FAILED / 503 LLM_FEDERATION_NOT_CONFIGURED: switching model access on',
  '401 Authentication failed (bare): reused assertion at the vendor',
  '403: model calls outside workspace:inference',
  '403: client admin operations a non-admin may not do',
  '403: platform-only branding fields',
  '404: client owned by another org',
  'RESERVED_ENV_VAR: config set of an injected variable',
  'ROLE_ESCALATION: persona roles the caller may not grant',
  '401 (MCP): non-JWT, non-key credential in required mode',
  '404: session-info for an unknown service',
] as const;

type SpecRow = (typeof SPEC_ROWS)[number];

/** Rows whose module this version does not have, by the noun that its folder in `api/` will carry. */
const NOT_YET_SERVED: Partial<Record<SpecRow, string>> = {
  '502 LLM_FEDERATION_FAILED / 503 LLM_FEDERATION_NOT_CONFIGURED: switching model access on': 'model-federation',
  '401 Authentication failed (bare): reused assertion at the vendor': 'model-federation',
  '403: model calls outside workspace:inference': 'model-federation',
  '403: platform-only branding fields': 'branding',
  'ROLE_ESCALATION: persona roles the caller may not grant': 'personas',
  '401 (MCP): non-JWT, non-key credential in required mode': 'mcp-gateway',
};

interface Case {
  readonly row: SpecRow;
  /** Which of the row's conditions it is, where there is more than one way to meet it. */
  readonly as: string;
  readonly ask: () => Promise<Answer>;
  /** Status and code; of a page its heading. */
  readonly answers: string;
}

let idp: TestIdp;
let api: TestApi;
let verifier: TokenVerifier;
let callers: Callers;
let acme: Headless;
const API = join(import.meta.dirname, '../../../api');
const CALLBACK = 'https://shop.example/api/auth/callback';

before(async () => {
  idp = await startIdp();
  verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: KEY } });
  const clients = createClientAdministration({ url: idp.address, internalKey: KEY });
  api = await startApi({ verifier, issuer: idp.issuer }, clients);
  callers = createCallers(idp);
  acme = await seedHeadless(idp, 'acme');
  await idp.seedOrg('other');
  const gitUrl = 'https://git.example/shop.git';
  await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, { gitUrl });
  await idp.seedClient('shop-prod', {
    ...{ orgSlug: 'acme', service: 'shop', environment: 'prod', redirectUris: [CALLBACK] },
    allowedScopes: ['openid', 'builder:write'],
  });
});
after(async () => {
  verifier.close();
  await api.stop();
  await idp.stop();
});

/** A call of the builder with a credential of its own, and no internal key. */
async function build(method: string, path: string, headers: Record<string, string>, json?: unknown): Promise<Answer> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const type = { 'content-type': 'application/json' };
  const response = await fetch(api.address + path, { method, headers: { ...type, ...headers }, ...body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

async function asPerson(org: string, role: 'member' | 'admin', method: string, path: string, json?: unknown) {
  const { headers } = await callers.person({ org, roles: [role] });
  return build(method, path, headers, json);
}

const token = (json: Record<string, string>): Promise<Answer> =>
  idp.call('POST', '/api/oauth/token', { json: { grant_type: 'client_credentials', ...json } });

/** Opens the login of the client `shop-prod` with that redirect URI, as a browser would. */
const authorize = (redirectUri: string): Promise<Answer> => {
  const query = { client_id: 'shop-prod', response_type: 'code', scope: 'openid', redirect_uri: redirectUri };
  return idp.call('GET', `/oauth/authorize?${new URLSearchParams(query)}`);
};

/** A service's deploys go through with its token, until its client is taken away. @returns the first refusal */
async function deployWithInactiveToken(): Promise<Answer> {
  const { secret } = await idp.seedClient('ci', { orgSlug: 'acme', allowedScopes: ['builder:write'] });
  const headers = await callers.service('ci', secret);
  const deploy = () => build('POST', '/builds/trigger', { ...headers }, { service: 'shop' });
  assert.equal((await deploy()).status, 202);
  assert.equal((await callers.platform('DELETE', '/api/internal/oauth-clients/ci')).status, 200);
  const deadline = Date.now() + 5_000;
  let answer = await deploy();
  while (answer.status === 202 && Date.now() < deadline) answer = await deploy();
  return answer;
}

async function staleSecret(): Promise<Answer> {
  const { secret } = await idp.seedClient('rotated');
  assert.equal((await token({ client_id: 'rotated', client_secret: secret })).status, 200);
  await callers.platform('POST', '/api/internal/oauth-clients/rotated/regenerate-secret');
  return token({ client_id: 'rotated', client_secret: secret });
}

const CASES: readonly Case[] = [
  {
    row: '401: no usable token',
    as: 'none at the builder',
    ask: () => build('GET', '/services', {}),
    answers: '401 UNAUTHORIZED',
  },
  {
    row: '401: no usable token',
    as: 'one that nobody signed, at the builder',
    ask: () => build('GET', '/services', { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }),
    answers: '401 UNAUTHORIZED',
  },
  {
    row: '401: no usable token',
    as: 'none at the provider',
    ask: () => idp.call('GET', '/api/v2/me'),
    answers: '401 UNAUTHORIZED',
  },
  {
    row: '401: a deploy of an inactive service token',
    as: 'its client was deleted',
    ask: deployWithInactiveToken,
    answers: '401 UNAUTHORIZED',
  },
  {
    row: 'invalid_client: wrong or stale client secret',
    as: 'wrong',
    ask: () => token({ client_id: 'shop-prod', client_secret: 'flcs_wrong' }),
    answers: '401 invalid_client',
  },
  {
    row: 'invalid_client: wrong or stale client secret',
    as: 'stale',
    ask: staleSecret,
    answers: '401 invalid_client',
  },
  {
    row: 'invalid_scope: client asks for a scope it was not granted',
    as: 'for a token of its own',
    ask: () => token({ client_id: acme.clientId, client_secret: acme.secret, scope: 'bank:transfer' }),
    answers: '400 invalid_scope',
  },
  {
    row: 'invalid_scope: client asks for a scope it was not granted',
    as: 'at a headless login',
    ask: () => acme.call('login', { email: 'ada@example.com', password: PASSWORD, scope: 'bank:transfer' }),
    answers: '400 OAUTH_INVALID_SCOPE',
  },
  {
    row: 'Invalid Redirect URI: callback path other than /api/auth/callback',
    as: 'registered for a service',
    ask: () => {
      const body = { redirectUri: 'https://shop.example/callback' };
      return asPerson('acme', 'member', 'POST', '/oauth/clients/shop-prod/redirect-uris', body);
    },
    answers: '400 INVALID_REDIRECT_URI',
  },
  {
    row: 'Invalid Redirect URI: callback path other than /api/auth/callback',
    as: 'asked for at a login',
    ask: () => authorize('https://shop.example/callback'),
    answers: '400 Invalid Redirect URI',
  },
  {
    row: 'Invalid Redirect URI: unregistered URI',
    as: 'asked for at a login',
    ask: () => authorize('https://evil.example/api/auth/callback'),
    answers: '400 Invalid Redirect URI',
  },
  {
    row: '400 ROLES_NOT_ACCEPTED: roles field sent to trusted sign-up',
    as: 'an empty one',
    ask: () => acme.call('signup', { ...signupBody('acme', 'roles@example.com'), roles: [] }),
    answers: '400 ROLES_NOT_ACCEPTED',
  },
  {
    row: '409 USER_EXISTS: trusted sign-up for an existing account',
    as: 'of an account made by the same call',
    ask: async () => {
      const body = signupBody('acme', 'twice@example.com');
      assert.equal((await acme.call('signup', body)).status, 201);
      return acme.call('signup', body);
    },
    answers: '409 USER_EXISTS',
  },
  ...(['with a password', 'that is not there'] as const).map(
    (as): Case => ({
      row: '403 NOT_ELIGIBLE: set-initial-password on an ineligible account',
      as: `one ${as}`,
      ask: async () => {
        const email = `${as.replaceAll(' ', '-')}@example.com`;
        if (as === 'with a password') await idp.seedUser(email, { password: PASSWORD, org: 'acme' });
        return acme.call('set-initial-password', { email, orgSlug: 'acme', password: PASSWORD });
      },
      answers: '403 NOT_ELIGIBLE',
    }),
  ),
  {
    row: '403 SELF_SEND_REQUIRES_SECRET: sendEmail false without secret-based auth',
    as: 'from a page of an allowed origin',
    ask: () => {
      const page = { 'x-client-id': acme.clientId, origin: 'https://shop.example' };
      return acme.call('forgot-password', { email: 'ada@example.com', sendEmail: false }, page);
    },
    answers: '403 SELF_SEND_REQUIRES_SECRET',
  },
  {
    row: '403: client admin operations a non-admin may not do',
    as: 'scopes, by an owner',
    ask: () => asPerson('acme', 'admin', 'PATCH', '/oauth/clients/shop-prod', { allowedScopes: ['openid'] }),
    answers: '403 FORBIDDEN',
  },
  {
    row: '403: client admin operations a non-admin may not do',
    as: 'trusted sign-up, by the internal key',
    ask: () => callers.platform('PATCH', '/api/admin/oauth-clients/shop-prod', { trustedInviteSignup: true }),
    answers: '403 FORBIDDEN',
  },
  {
    row: '404: client owned by another org',
    as: 'read by its admin',
    ask: () => asPerson('other', 'admin', 'GET', '/oauth/clients/shop-prod'),
    answers: '404 CLIENT_NOT_FOUND',
  },
  {
    row: 'RESERVED_ENV_VAR: config set of an injected variable',
    as: 'the client secret',
    ask: () => asPerson('acme', 'member', 'POST', '/services', { name: 'shop', config: { IDP_CLIENT_SECRET: 'x' } }),
    answers: '400 RESERVED_ENV_VAR',
  },
  {
    row: '404: session-info for an unknown service',
    as: 'one that nobody has',
    ask: () => asPerson('acme', 'member', 'GET', '/services/nothing/session-info'),
    answers: '404 SERVICE_NOT_FOUND',
  },
  {
    row: '404: session-info for an unknown service',
    as: "another org's",
    ask: () => asPerson('other', 'admin', 'GET', '/services/shop/session-info'),
    answers: '404 SERVICE_NOT_FOUND',
  },
];

/** The code as its style of reply has it: an envelope, OAuth, or the heading of a page. */
function codeOf({ body, text }: Answer): unknown {
  return body?.error?.code ?? body?.error ?? /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
}

describe('the error table of identity and access', () => {
  for (const { row, as, ask, answers } of CASES) {
    it(`${row} (${as})`, async () => {
      const answer = await ask();
      assert.equal(`${answer.status} ${codeOf(answer)}`, answers, answer.text);
    });
  }

  it('is whole: each row is asked for above, or waits for a module that is not there', () => {
    const served = new Set(CASES.map(({ row }) => row));
    const waiting = Object.keys(NOT_YET_SERVED);
    assert.deepEqual([...served, ...waiting].sort(), [...SPEC_ROWS].sort());
    for (const [row, module] of Object.entries(NOT_YET_SERVED)) {
      assert.equal(existsSync(join(API, module)), false, `api/${module} is there: ask for "${row}"`);
    }
  });
});
