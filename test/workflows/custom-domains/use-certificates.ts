import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { Context } from '@temporalio/activity';
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  type CertificatesActivities,
  createCertificatesActivities,
} from '../../../activities/custom-domains/certificates/index.ts';
import { MOST_NAMES } from '../../../domain/custom-domains/certificates/certificate.ts';
import {
  CERTIFICATE_STATE,
  CERTIFICATE_WORKFLOWS,
  type CertificateState,
  certificateWorkflowId,
  SET_CERTIFICATE_NAMES,
} from '../../../domain/custom-domains/certificates/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { type CertificateParts, createCertificateParts } from '../../support/in-memory/certificate-parts.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

export type Activity = keyof CertificatesActivities;
type Fault = () => void | Promise<void>;

/** The server's, which is skipped. */
const activityTime = (): Date => new Date(Context.current().info.currentAttemptScheduledTimestampMs);

/**
 * No multiple of what the workflow waits for. After hours of sleep its next timer may be due in this very moment, and one
 * that fires while the workflow cancels it is lost to this server, which then gives the workflow no further task
 * (temporalio/sdk-java#3088).
 */
const PAST_TIMERS = '427 seconds';

let made = 0;

/** Workflows of certificates on a time-skipping server, with their real activities on parts that are new for each test. */
export function useCertificates() {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let real: CertificatesActivities;
  const world = {
    parts: createCertificateParts(activityTime),
    owner: { service: '', environment: 'prod' as const },
    faults: { before: {}, after: {} } as Record<'before' | 'after', Partial<Record<Activity, Fault>>>,
    calls: [] as Activity[],
  };
  before(async () => {
    env = await startTimeSkipping();
    const names = Object.keys(createCertificatesActivities(world.parts.deps)) as Activity[];
    const activities = names.map((name) => {
      const call = async (...args: never[]) => {
        world.calls.push(name);
        await world.faults.before[name]?.();
        const result = await (real[name] as (...args: never[]) => unknown)(...args);
        await world.faults.after[name]?.();
        return result;
      };
      return [name, call] as const;
    });
    const options = { module: 'certificates', activities: Object.fromEntries(activities) };
    worker = await startModuleWorker(env.nativeConnection, options);
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });
  beforeEach(() => {
    made += 1;
    const parts: CertificateParts = createCertificateParts(activityTime);
    real = createCertificatesActivities(parts.deps);
    const owner = { service: `shop-${made}`, environment: 'prod' as const };
    Object.assign(world, { parts, owner, faults: { before: {}, after: {} }, calls: [] });
  });

  const handle = (owner = world.owner) => env.client.workflow.getHandle(certificateWorkflowId(owner));
  /** The records of the domains say who holds them before their certificate is wished for. */
  const hold = (owner: typeof world.owner, names: readonly string[]): void => {
    const { holders } = world.parts;
    for (const [host, { service }] of holders) if (service === owner.service) holders.delete(host);
    for (const host of names) holders.set(host, owner);
  };
  const setNamesOf = async (owner: typeof world.owner, ...names: string[]): Promise<void> => {
    if (names.length <= MOST_NAMES) hold(owner, names);
    const startWorkflowOperation = new WithStartWorkflowOperation(CERTIFICATE_WORKFLOWS.keepCertificate, {
      ...{ workflowId: certificateWorkflowId(owner), taskQueue: TASK_QUEUE, args: [owner] },
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    const update = { args: [{ names }] as [{ names: string[] }], startWorkflowOperation };
    await env.client.workflow.executeUpdateWithStart(SET_CERTIFICATE_NAMES, update);
  };
  const setNames = (...names: string[]) => setNamesOf(world.owner, ...names);
  const state = async (): Promise<CertificateState['names']> =>
    (await handle().query<CertificateState>(CERTIFICATE_STATE)).names;
  const states = async () => Object.fromEntries((await state()).map(({ host, state: is }) => [host, is]));
  /** The time passes while it waits. */
  const waitFor = async (what: string, look: () => boolean | Promise<boolean>) =>
    await waitUntil(what, async () => {
      if (await look()) return true;
      await env.sleep('2 seconds');
      return false;
    });
  return {
    ...{ world, handle, hold, setNames, setNamesOf, state, states, waitFor },
    env: () => env,
    until: async (host: string, is: string) =>
      await waitFor(`${host} is ${is}`, async () => (await states())[host] === is),
    /** Ends the workflow: one that is left open would go on as time is skipped. */
    async end(): Promise<void> {
      await env.sleep(PAST_TIMERS);
      await setNames();
      await handle().result();
      assert.deepEqual([...world.parts.files], []);
      assert.deepEqual([...world.parts.answers], []);
    },
  };
}
