import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { description: string; content: object }>>;
}

const EXPECTED = [
  'delete /domains/{domain}',
  'delete /git/connections/{id}',
  'delete /git/identities/{id}',
  'delete /oauth/clients/{clientId}',
  'delete /oauth/clients/{clientId}/redirect-uris',
  'delete /oauth/clients/{clientId}/secrets/{secretId}',
  'delete /services/{id}',
  'delete /services/{id}/authorized-orgs/{orgSlug}',
  'get /builds',
  'get /builds/{id}',
  'get /builds/{id}/lockfile',
  'get /builds/{id}/logs',
  'get /config/reencryption',
  'get /databases/backups',
  'get /databases/backups/health',
  'get /databases/kept',
  'get /domains',
  'get /domains/modes',
  'get /domains/{domain}',
  'get /domains/{domain}/status',
  'get /git/connections',
  'get /git/connections/{id}',
  'get /git/connections/{id}/deliveries',
  'get /git/identities',
  'get /grants',
  'get /grants/{id}',
  'get /health',
  'get /health/live',
  'get /oauth/clients',
  'get /oauth/clients/{clientId}',
  'get /platform/backups',
  'get /platform/backups/{backupId}',
  'get /platform/logs',
  'get /platform/logs/tail',
  'get /schemas/catalog.json',
  'get /services',
  'get /services/{id}',
  'get /services/{id}/authorized-orgs',
  'get /services/{id}/authorized-orgs/history',
  'get /services/{id}/config',
  'get /services/{id}/config/history',
  'get /services/{id}/config/values',
  'get /services/{id}/databases',
  'get /services/{id}/databases/backups',
  'get /services/{id}/databases/backups/{backupId}',
  'get /services/{id}/databases/backups/{backupId}/download',
  'get /services/{id}/databases/logins',
  'get /services/{id}/databases/restores',
  'get /services/{id}/databases/restores/{restoreId}',
  'get /services/{id}/logs',
  'get /services/{id}/releases',
  'get /services/{id}/runtime',
  'get /services/{service}/session-info',
  'patch /git/connections/{id}',
  'patch /oauth/clients/{clientId}',
  'patch /services/{id}/config',
  'post /builds/plan',
  'post /builds/trigger',
  'post /builds/upload',
  'post /builds/{id}/cancel',
  'post /builds/{id}/retry',
  'post /config/reencryption',
  'post /databases/kept/{id}/drop',
  'post /domains/add',
  'post /domains/{domain}/verify',
  'post /git/connections',
  'post /git/connections/{id}/look',
  'post /git/connections/{id}/rotate',
  'post /git/identities',
  'post /grants/{id}/approve',
  'post /grants/{id}/deny',
  'post /grants/{id}/revoke',
  'post /hooks/git/{connectionId}',
  'post /oauth/clients',
  'post /oauth/clients/{clientId}/redirect-uris',
  'post /oauth/clients/{clientId}/regenerate-secret',
  'post /oauth/clients/{clientId}/secrets',
  'post /platform/backups',
  'post /platform/backups/{backupId}/cancel',
  'post /services',
  'post /services/{id}/authorized-orgs',
  'post /services/{id}/databases/backup',
  'post /services/{id}/databases/backups/{backupId}/cancel',
  'post /services/{id}/databases/restore',
  'post /services/{id}/databases/restores/{restoreId}/cancel',
  'post /services/{id}/databases/rotate',
  'post /services/{id}/grants',
  'post /services/{id}/rollback',
  'put /git/connections/{id}/services/{service}',
];

/** What people alone do. */
const NOT_BY_KEY: ReadonlySet<string> = new Set([
  'delete /services/{id}/authorized-orgs/{orgSlug}',
  'delete /git/identities/{id}',
  'get /git/identities',
  'post /git/identities',
]);

async function operations(): Promise<[string, Operation][]> {
  const { body } = await api.call('GET', '/openapi.json');
  const paths = body.paths as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
}

it('is 3.1, is public, and covers every route', async () => {
  const response = await fetch(`${api.address}/openapi.json`);
  const document = (await response.json()) as { openapi: string; components: { securitySchemes: object } };
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(Object.keys(document.components.securitySchemes), ['bearer', 'internalKey', 'session']);
  assert.deepEqual((await operations()).map(([name]) => name).sort(), EXPECTED);
});

it('every operation has an id of its own, its path parameters, success and error replies', async () => {
  const rows = await operations();
  assert.equal(new Set(rows.map(([, operation]) => operation.operationId)).size, rows.length);
  for (const [name, operation] of rows) {
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const declared = operation.parameters.filter((row) => row.in === 'path');
    assert.deepEqual(
      declared.map((row) => row.name),
      inPath,
      name,
    );
    assert.ok(
      declared.every((row) => row.required),
      name,
    );
    const statuses = Object.keys(operation.responses);
    assert.ok(
      statuses.some((status) => status.startsWith('2')),
      name,
    );
    assert.ok(statuses.includes('400') && statuses.includes('500'), name);
    const isPublic = ['get /health', 'get /health/live', 'get /schemas/catalog.json'].includes(name);
    const isSigned = name === 'post /hooks/git/{connectionId}';
    assert.equal(statuses.includes('401'), !isPublic, name);
    const byKey = NOT_BY_KEY.has(name) ? [] : [{ internalKey: [] }];
    const wanted = isPublic || isSigned ? [] : [{ bearer: [] }, ...byKey];
    assert.deepEqual(operation.security, wanted, name);
  }
});

it('every operation says who may call it, as its row does', async () => {
  const byRole = new Map([
    [
      'get /services',
      'people with the role viewer or higher in the org and services with the scope builder:read or builder:write',
    ],
    ['post /services', 'people with the role member or higher in the org and services with the scope builder:write'],
    ['delete /services/{id}', 'people with the role admin or higher in the org'],
  ]);
  const rows = new Map(await operations());
  for (const [name, others] of byRole) {
    const text = rows.get(name)?.description ?? '';
    assert.ok(text.includes('For the internal key, super admins, services of the platform'), `${name}: ${text}`);
    assert.ok(text.endsWith(`${others}.`), `${name}: ${text}`);
  }
  assert.equal(rows.get('get /health')?.description, undefined);
});

it('every reference resolves', async () => {
  const { body, text } = await api.call('GET', '/openapi.json');
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)];
  assert.ok(references.length > 0);
  for (const [, reference = ''] of references) {
    let node = body;
    for (const part of reference.replace('#/', '').split('/')) node = node?.[part];
    assert.ok(node, reference);
  }
});
