import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { announceModules } from '../../../../activities/deploys/steps/announce-modules.ts';
import { provisionUserAccess } from '../../../../activities/deploys/steps/provision-user-access.ts';
import { registerMetadata } from '../../../../activities/deploys/steps/register-metadata.ts';
import { createClientAdministration } from '../../../../adapters/idp/client-administration.ts';
import { createServiceRegistry } from '../../../../adapters/registry/service-registry.ts';
import { ACTING_STEPS, type StepKey } from '../../../../domain/deploys/steps.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { failsOpen } from '../../../../workflows/deploys/failure.ts';
import { clientRecord } from '../../../ports/identity/records.ts';
import { catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

/** No fault takes longer, and no answer in time is as slow. */
const TIMEOUT_MS = 400;
const KEY = 'key-of-this-test-0123456789';

const json = (status: number, body: object) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const refusal = (code: string) => json(400, { success: false, error: { code, message: `refused: ${code}` } });

/** What a service of the platform does that is not well, and the code of the failure. Null: it is not there at all. */
const FAULTS: readonly (readonly [string, ((response: ServerResponse) => void) | null, string])[] = [
  ['is not there', null, 'UNAVAILABLE'],
  ['hangs', () => undefined, 'UNAVAILABLE'],
  [
    'dies half-way',
    (response) => void response.writeHead(200).write('{"succ', () => response.destroy()),
    'UNAVAILABLE',
  ],
  ['answers garbage', (response) => void response.end('<html>'), 'UNAVAILABLE'],
  ['answers data of another format', json(200, { success: true, data: [] }), 'UNAVAILABLE'],
  ['answers that it failed', refusal('INTERNAL'), 'UNAVAILABLE'],
  ['does not take the key', refusal('UNAUTHORIZED'), 'UNAVAILABLE'],
  ['refuses the request', refusal('VALIDATION_FAILED'), 'VALIDATION_FAILED'],
];

type System = 'registry' | 'identity-provider';
type Deploy = Awaited<ReturnType<typeof useDeploy>>;

const RUN = {
  modules: announceModules,
  'user-access': provisionUserAccess,
  'role-metadata': registerMetadata,
} as const;

/** Each step, the system that is not well, and whether the build goes on (spec 2, "Fail-open versus hard-fail"). */
const STEPS: readonly (readonly [keyof typeof RUN, System, 'goes on' | 'ends'])[] = [
  ['modules', 'registry', 'goes on'],
  ['user-access', 'identity-provider', 'ends'],
  ['role-metadata', 'registry', 'goes on'],
  ['role-metadata', 'identity-provider', 'goes on'],
];

async function useFault(answer: ((response: ServerResponse) => void) | null) {
  if (answer === null) return { url: 'http://127.0.0.1:1', close: () => undefined };
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function useService(): Promise<Deploy> {
  const deploy = await useDeploy({ opened: true });
  const { parts } = deploy;
  const of = { orgSlug: 'acme', service: 'hello', environment: 'prod' as const };
  await parts.clientStore.insert(clientRecord({ clientId: 'hello-prod', ...of }));
  await parts.releases.put(releaseRecord({ id: 'rel_1', service: 'hello', serviceId: 'svc_hello' }));
  return deploy;
}

const FACTS = {
  releaseId: 'rel_1',
  catalog: catalogRecord({
    auth: { mode: 'sso', passport: NO_PASSPORT },
    modules: [{ name: 'orders', title: null }],
    userAccess: { signIn: 'members', roles: [{ name: 'clerk', title: null, description: null }] },
  }),
};

function throughHttp(parts: Deploy['parts'], system: System, url: string) {
  const connection = { url, internalKey: KEY, timeoutMs: TIMEOUT_MS };
  return system === 'registry'
    ? { ...parts, serviceRegistry: createServiceRegistry(connection) }
    : { ...parts, clients: createClientAdministration(connection) };
}

async function failureOf(run: () => Promise<unknown>): Promise<FairleadError> {
  const error = await run().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FairleadError, 'it failed');
  return error;
}

/** What the workflow decides by the row of the step. */
function goesOn(key: StepKey, { code, system }: FairleadError): boolean {
  const failure = { code, message: '', step: key, ...(system === undefined ? {} : { system }) };
  return failsOpen(failure, ACTING_STEPS.find((step) => step.key === key)?.failOpen ?? []);
}

async function assertWhole(parts: Deploy['parts'], key: keyof typeof RUN): Promise<void> {
  const entry = (await parts.serviceRegistry.stores.entries.find('svc_hello'))?.environments.prod;
  if (key === 'modules') assert.deepEqual(entry?.announced?.modules, FACTS.catalog.modules);
  else assert.equal((await parts.clientStore.find('hello-prod'))?.signIn, 'members');
  if (key === 'role-metadata') assert.equal(entry?.metadata?.roles.length, 1);
}

describe('modules, user access and metadata of a deploy', () => {
  for (const [key, system, outcome] of STEPS) {
    for (const [fault, answer, code] of FAULTS) {
      it(`${key}: the build ${outcome} when the ${system} ${fault}, and a repeat makes it whole`, async () => {
        const { parts, attempt } = await useService();
        const { url, close } = await useFault(answer);
        try {
          const failure = await failureOf(() => RUN[key](throughHttp(parts, system, url), attempt(FACTS)));
          assert.equal(failure.code, code);
          if (code === 'UNAVAILABLE') assert.deepEqual([failure.system, failure.retryable], [system, true]);
          assert.equal(goesOn(key, failure), outcome === 'goes on');
        } finally {
          close();
        }
        await RUN[key](parts, attempt(FACTS));
        await assertWhole(parts, key);
      });
    }
  }
});
