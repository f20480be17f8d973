import type { RotatingDeps } from '../../activities/databases/rotate-login.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import type { Alarm } from '../../domain/backups/ports.ts';
import { createServiceDatabases } from '../../domain/databases/service-databases.ts';
import type { RestartOutcome, RestartRequest } from '../../domain/deploys/restart.ts';
import { createWorkloadLogins } from '../../domain/deploys/workload-logins.ts';
import { buildRecord, releaseRecord } from '../ports/records.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createInMemoryBuildStore } from './in-memory/build-store.ts';
import { createInMemoryDatabaseRecords } from './in-memory/database-records.ts';
import { createInMemoryDatabaseServer } from './in-memory/database-server.ts';
import { createInMemoryEpochStore } from './in-memory/epoch-store.ts';
import { createInMemoryReleaseStore } from './in-memory/release-store.ts';

export const TARGET = { service: 'shop', environment: 'prod' } as const;
const SERVICE_ID = 'svc_shop';
const signal = new AbortController().signal;

/** A service with a database and a workload, all in this process. What runs is what `deploy` or `finishRestart` has installed. */
export async function createRotationWorld() {
  const clock = { now: new Date('2026-01-01T00:30:00Z') };
  const now = () => clock.now;
  const records = createInMemoryDatabaseRecords();
  const { server, held } = createInMemoryDatabaseServer();
  const cipher = createSecretCipher([Buffer.alloc(32, 7)]);
  const builds = createInMemoryBuildStore({ now });
  const releases = createInMemoryReleaseStore();
  const epochs = createInMemoryEpochStore();
  const audit = createInMemoryAudit();
  const alarms: Alarm[] = [];
  const restarts: RestartRequest[] = [];
  const allowed = { consumers: true };
  const mayConsume = async () => allowed.consumers;
  let passwords = 0;
  const newPassword = () => `password-${passwords++}`;
  const databases = createServiceDatabases({
    ...{ records, cipher, newPassword, newGeneration: () => 'aaaaaaaaaaaa', now, graceDays: 7 },
    commands: { dropLater: async () => undefined },
    mayConsume,
    engines: { postgres: { server, address: () => ({ host: 'db', port: 5432, options: {} }) } },
  });
  /** The address of the database that the running workload was given; null while none runs. */
  let given: string | null = null;
  const state = { answer: 'started' as RestartOutcome };

  const nothing = async (): Promise<void> => undefined;

  /**
   * What a build does from its epoch to its end. `installed` runs after the logins were read, `activated` once the release
   * is the active one.
   */
  async function install(buildId: string, releaseId: string, installed = nothing, activated = nothing) {
    await builds.create(buildRecord({ id: buildId, ...TARGET, serviceId: SERVICE_ID, releaseId }));
    const epoch = await builds.giveEpoch(buildId, await epochs.next(TARGET));
    const release = releaseRecord({ id: releaseId, ...TARGET, serviceId: SERVICE_ID, databases: ['postgres'] });
    await releases.put(release);
    const { reserved } = await databases.variables(
      { ...TARGET, serviceId: SERVICE_ID },
      { own: ['postgres'], consumed: [] },
      3000,
    );
    await installed();
    await releases.activate(releaseId, { at: now(), epoch, buildId });
    given = reserved.POSTGRES_URI ?? null;
    await activated();
    await finish(buildId, 'completed');
  }
  async function finish(buildId: string, status: 'completed' | 'failed') {
    const end = {
      status,
      reason: status === 'failed' ? 'step_failed' : null,
      failure: null,
      supersededBy: null,
    } as const;
    await builds.finish(buildId, { ...end, finishedAt: now() });
  }
  const deps: RotatingDeps = {
    ...{ records, servers: { postgres: server }, finalBackup: null, audit, now },
    raiseAlarm: async (alarm) => void alarms.push(alarm),
    rotation: {
      ...{ cipher, newPassword, newId, mayConsume, ttlDays: 30 },
      workloads: createWorkloadLogins({
        ...{ releases, builds, epochs, now },
        commands: {
          async restart(request) {
            if (state.answer === 'started') restarts.push(request);
            return state.answer;
          },
        },
      }),
    },
  };
  const owner = { ...TARGET, serviceId: SERVICE_ID, org: 'acme' };
  return {
    ...{
      deps,
      clock,
      records,
      releases,
      builds,
      epochs,
      databases,
      held,
      audit,
      alarms,
      allowed,
      restarts,
      state,
      install,
      finish,
    },
    provision: () => databases.provision('postgres', owner, signal),
    /** The workload that the last restart asked for becomes healthy. */
    finishRestart: async () => {
      const { buildId } = restarts.at(-1) ?? { buildId: '' };
      const active = await releases.active(TARGET.service, TARGET.environment);
      await install(buildId, active?.id ?? '');
    },
    async failRestart() {
      const { buildId } = restarts.at(-1) ?? { buildId: '' };
      await builds.create(buildRecord({ id: buildId, ...TARGET, serviceId: SERVICE_ID }));
      await finish(buildId, 'failed');
    },
    /** Whether the server lets the running workload in. */
    isServed(): boolean {
      if (given === null) return true;
      const { username, password } = new URL(given);
      return held.get('shop_prod')?.passwords.get(username) === password;
    },
    /** Users that the server lets in. */
    users: () => [...(held.get('shop_prod')?.passwords.keys() ?? [])].toSorted(),
    given: () => given,
  };
}

export type RotationWorld = Awaited<ReturnType<typeof createRotationWorld>>;
