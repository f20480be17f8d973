import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INJECTED_VARIABLES } from '../../domain/service-addresses.ts';
import { GENERATED_SECRETS, SERVICE_ROWS, serviceRow } from '../../domain/services.ts';

const repeated = (values: readonly (string | number | null)[]): readonly (string | number)[] => {
  const given = values.filter((value) => value !== null);
  return given.filter((value, index) => given.indexOf(value) !== index);
};

describe('the table of services', () => {
  it('gives no two services the same name, port, variable, database, client, secret or module', () => {
    const columns = {
      name: SERVICE_ROWS.map(({ name }) => name),
      port: SERVICE_ROWS.map(({ defaultPort }) => defaultPort),
      database: SERVICE_ROWS.map(({ database }) => database),
      client: SERVICE_ROWS.flatMap(({ platformClient, pagesClient }) => [platformClient, pagesClient]),
      variable: [
        ...SERVICE_ROWS.flatMap((row) => [row.portVariable, row.baseUrlVariable, row.databaseUriVariable]),
        ...GENERATED_SECRETS.map(({ variable }) => variable),
      ],
      module: SERVICE_ROWS.flatMap(({ modules }) => modules),
    };
    for (const [column, values] of Object.entries(columns)) assert.deepEqual(repeated(values), [], column);
  });

  it('gives workloads the addresses that the contract names, and that of the site registry, whose callers they are', () => {
    const contract = ['AUDIT_URL', 'GATEWAY_URL', 'IDP_URL', 'REGISTRY_URL', 'WALLET_SERVICE_URL'];
    assert.deepEqual(INJECTED_VARIABLES.toSorted(), [...contract, 'SITE_REGISTRY_URL'].toSorted());
  });

  it('lets workloads reach every service whose address they are given, and no other', () => {
    const given = SERVICE_ROWS.filter(({ injectedAs }) => injectedAs !== null).map(({ name }) => name);
    const reached = SERVICE_ROWS.filter((row) => row.reachableFromWorkloads).map(({ name }) => name);
    assert.deepEqual(reached, given);
  });

  it('keeps the key that anchors from every HTTP service', () => {
    const ofWorker = GENERATED_SECRETS.filter(({ heldBy }) => heldBy === 'worker').map(({ variable }) => variable);
    assert.deepEqual(ofWorker, ['AUDIT_SIGNER_KEY']);
  });

  it('finds a row by its name, and no other', () => {
    assert.equal(serviceRow('idp').defaultPort, 3001);
    assert.throws(() => serviceRow('nothing' as 'idp'), /no service is called nothing/);
  });
});
