import assert from 'node:assert/strict';
import { cookieName } from '../../api/identity/login/cookies.ts';
import { serviceClaims } from '../../domain/identity/build-claims.ts';
import type { AccessTokenClaims } from '../../domain/identity/claims.ts';
import { createLogins } from '../api/identity/oauth/logins.ts';
import { KEY, type TestIdp } from './start-idp.ts';
import { waitUntil } from './wait-until.ts';

/** Headers by which somebody is known. */
export type Credential = Readonly<Record<string, string>>;

/**
 * One caller of every kind, each with a real credential of the identity provider, whose tokens are for `audience`.
 * People and services are those of the org `acme`, where nothing else is said.
 */
export async function everyCaller(idp: TestIdp, audience: string) {
  const { deps } = idp;
  const logins = createLogins(idp);
  for (const slug of ['acme', 'rival']) if ((await deps.orgs.find(slug)) === null) await idp.seedOrg(slug);
  const root = await logins.person({ org: 'rival', orgRoles: ['viewer'], platformRoles: ['super_admin'] });

  const bearer = (token: string | undefined): Credential => ({ authorization: `Bearer ${token}` });
  async function signIn(user: typeof root): Promise<Credential> {
    const client = await deps.clients.find('fairlead-cli');
    assert.ok(client);
    const { tokens } = await logins.login({ client, secret: '' }, user, { audience: [audience] });
    return bearer(tokens.access_token);
  }
  const person = async (given: Parameters<typeof logins.person>[0]) => signIn(await logins.person(given));
  const signed = async (claims: object) => bearer(await deps.signer.sign(claims as AccessTokenClaims, 'at+jwt'));
  const service = (orgSlug: string, scopes: readonly string[], clientId?: string) =>
    signed(claimsOfService(orgSlug, scopes, clientId));

  function claimsOfService(orgSlug: string, scopes: readonly string[], clientId = 'shop-prod') {
    const issuedAt = deps.now();
    const expiresAt = new Date(issuedAt.getTime() + 3_600_000);
    const frame = { issuer: idp.issuer, tokenId: deps.newId('token'), audience: [audience], issuedAt, expiresAt };
    return serviceClaims({ ...frame, scopes }, { clientId, orgSlug });
  }

  /** The browser of the super admin, on the provider's own pages. */
  async function browser(): Promise<Credential> {
    const secret = deps.tokens.create('flss_');
    const session = await logins.seedSession(root);
    await deps.sessions.insert({ ...session, id: deps.newId('session'), secretHash: deps.tokens.hash(secret) });
    return { cookie: `${cookieName(deps.settings, 'session')}=${secret}`, origin: idp.issuer };
  }

  const stolenRoles = { roles: ['super_admin'], orgRoles: ['admin'], identityId: root.id };
  const { token_type: _, ...unmarked } = claimsOfService('acme', []);
  return {
    stranger: {} as Credential,
    internal: { 'x-internal-key': KEY } as Credential,
    root: await signIn(root),
    browser: await browser(),
    job: await service('platform', ['platform:manage'], 'platform-job'),
    builder: await service('platform', ['platform:manage'], 'builder'),
    admin: await person({ org: 'acme', orgRoles: ['admin'] }),
    member: await person({ org: 'acme', orgRoles: ['member'] }),
    viewer: await person({ org: 'acme', orgRoles: ['viewer'] }),
    outsider: await person({ org: 'rival', orgRoles: ['admin'] }),
    // In the org, and without a role there.
    guest: await person({ org: 'acme', orgRoles: [] }),
    orgless: await person({}),
    service: await service('acme', []),
    reader: await service('acme', ['builder:read', 'septor:query', 'wallet:read']),
    writer: await service('acme', ['builder:write']),
    resolver: await service('platform', ['locker-resolve'], 'builder'),
    // Tokens of a service that claim the roles of a super admin: marked as a service's, or only by their subject.
    impostor: await signed({ ...claimsOfService('acme', []), ...stolenRoles }),
    unmarked: await signed({ ...unmarked, ...stolenRoles }),
  };
}

export type Who = keyof Awaited<ReturnType<typeof everyCaller>>;

/** A request, and what each caller is answered, in the order of the table's columns. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly type: string;
  readonly answers: readonly string[];
}

export interface CallerTable {
  readonly callers: readonly Who[];
  readonly rows: readonly Row[];
}

/**
 * Reads a table. The first line names the callers. Every other line is a route: method, path, a JSON body without blanks
 * (`{}` where there is none) or `form`, and then one answer for everybody or one for each caller. An answer is a status,
 * or `none`: 404 ORG_NOT_FOUND.
 */
export function readTable(text: string): CallerTable {
  const [head = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const callers = head as Who[];
  const rows = lines.map(([method = '', path = '', ...rest]): Row => {
    const sent = /^(\{|form)/.test(rest[0] ?? '') ? (rest.shift() ?? '') : '{}';
    const [only = ''] = rest;
    const answers = rest.length === 1 ? callers.map(() => only) : rest;
    assert.equal(answers.length, callers.length, `${method} ${path} has an answer for each caller`);
    const isForm = sent === 'form';
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    return { method, path, body: isForm ? '' : sent, type, answers };
  });
  return { callers, rows };
}

/** Sends every row as every caller, and compares what all of them are answered. */
export async function assertAnswers(
  address: string,
  credentials: Readonly<Record<Who, Credential>>,
  { callers, rows }: CallerTable,
): Promise<void> {
  const found: string[] = [];
  const expected: string[] = [];
  for (const row of rows) {
    const answers = await Promise.all(
      callers.map((who, column) =>
        // From another address each time, or the limits of addresses would answer.
        served(() => ask(address, row, { ...credentials[who], 'x-forwarded-for': `10.0.${found.length}.${column}` })),
      ),
    );
    const line = (list: readonly string[]) => `${row.method} ${row.path} ${list.join(' ')}`;
    found.push(line(answers));
    expected.push(line(row.answers));
  }
  const differs = (_line: string, index: number) => found[index] !== expected[index];
  assert.deepEqual(found.filter(differs), expected.filter(differs), `answers to ${callers.join(' ')}`);
}

/** Asks again where a service cannot tell now, as while a busy machine let its list of revocations become old. */
function served(ask: () => Promise<string>): Promise<string> {
  return waitUntil('an answer other than 503', async () => {
    const answer = await ask();
    return answer === '503' ? null : answer;
  });
}

async function ask(address: string, { method, path, body, type }: Row, headers: Credential): Promise<string> {
  const sends = method === 'GET' ? {} : { body, headers: { 'content-type': type, ...headers } };
  const response = await fetch(address + path, { method, redirect: 'manual', headers, ...sends });
  const text = await response.text();
  return text.includes('"code":"ORG_NOT_FOUND"') ? 'none' : String(response.status);
}

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Compares tables with the OpenAPI document of the app: both have the same routes, and the document names the credentials
 * by which a table lets somebody in.
 */
export async function assertDocumented(address: string, ...tables: readonly CallerTable[]): Promise<void> {
  const response = await fetch(`${address}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => {
      const name = `${method.toUpperCase()} ${path}`;
      return { name, pattern: patternOf(name), security: security.flatMap((one) => Object.keys(one)) };
    }),
  );
  const named = new Set<string>();
  for (const { row, callers } of tables.flatMap(({ rows, callers }) => rows.map((row) => ({ row, callers })))) {
    const request = `${row.method} ${row.path.replace(/\?.*/, '')}`;
    const operation =
      documented.find(({ name }) => name === request) ?? documented.find(({ pattern }) => pattern.test(request));
    assert.ok(operation, `${request} is in the document`);
    named.add(operation.name);
    const admitted = callers.filter((_who, column) => !/^(401|403|none)$/.test(row.answers[column] ?? ''));
    if (admitted.includes('stranger') || operation.security.length === 0) continue;
    const byToken = admitted.some((who) => who !== 'internal' && who !== 'browser');
    const bySession = admitted.includes('browser') && !admitted.includes('root');
    const expected = [
      ...(byToken ? ['bearer'] : []),
      ...(admitted.includes('internal') ? ['internalKey'] : []),
      ...(bySession ? ['session'] : []),
    ];
    assert.deepEqual(operation.security, expected, operation.name);
  }
  assert.deepEqual(
    documented.map(({ name }) => name).filter((name) => !named.has(name)),
    [],
    'routes that the table does not name',
  );
}

const patternOf = (name: string): RegExp => new RegExp(`^${name.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
