import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { PropertiesActivityDeps } from '../../../activities/properties/deps.ts';
import { createPropertiesActivities, type PropertiesActivities } from '../../../activities/properties/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createPropertyCommands } from '../../../adapters/temporal/property-commands.ts';
import { verifyWorkflowId } from '../../../domain/properties/messages.ts';
import { newProperty, type Property } from '../../../domain/properties/property.ts';
import type { DomainOutcome } from '../../../domain/properties/verify-job.ts';
import { createInMemoryDns } from '../../support/in-memory/dns-zones.ts';
import { createInMemoryPropertyStore } from '../../support/in-memory/property-store.ts';
import { createInMemorySearchEngine } from '../../support/in-memory/search-engine.ts';
import { createInMemoryVerifyJobStore } from '../../support/in-memory/verify-jobs.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

export const MINUTE_MS = 60_000;

/** Verifications on a server that skips time, with vendors in memory whose time is the server's. */
export async function startVerifications(
  changes: Partial<PropertiesActivityDeps> = {},
  /** `restarts`: workers keep nothing of workflows, so that the next worker goes on at once. */
  { restarts = false }: { readonly restarts?: boolean } = {},
) {
  const env: TestWorkflowEnvironment = await startTimeSkipping();
  const dns = createInMemoryDns({ clock: () => env.currentTimeMs() });
  const search = createInMemorySearchEngine({ readTexts: dns.publicTexts });
  const commands = createPropertyCommands(env.client);
  let time = new Date();
  let aheadMs = 0;
  const deps: PropertiesActivityDeps = {
    properties: createInMemoryPropertyStore(),
    jobs: createInMemoryVerifyJobStore(),
    map: null,
    engine: search.engine,
    asked: search.engine,
    zones: dns.provider,
    dns: dns.dns,
    commands,
    ownerEmails: ['seo@example.com'],
    newId,
    now: () => time,
    ...changes,
  };
  const activities = createPropertiesActivities(deps);
  const journal: string[] = [];
  /** Instead of the activity of that name: is told of each call, and may wait. */
  const before = new Map<keyof PropertiesActivities, (domain: string) => Promise<void>>();
  const startWorker = (): Promise<ModuleWorker> =>
    startModuleWorker(env.nativeConnection, {
      ...{ module: 'properties', activities: watched() },
      ...(restarts && { maxCachedWorkflows: 0 }),
    });
  let worker = await startWorker();

  function watched(): object {
    const entries = Object.entries(activities).map(([name, activity]) => [
      name,
      async (...args: unknown[]) => {
        const [first] = args;
        const domain = typeof first === 'string' ? first : String((first as { domain?: string } | undefined)?.domain);
        journal.push(`${name} ${domain}`);
        // The server's, so that times of transitions are those of the run.
        time = new Date((await env.currentTimeMs()) + aheadMs);
        await before.get(name as keyof PropertiesActivities)?.(domain);
        return (activity as (...given: unknown[]) => Promise<unknown>)(...args);
      },
    ]);
    return Object.fromEntries(entries);
  }

  async function add(domain: string, fields: Partial<Property> = {}): Promise<Property> {
    const property = { ...newProperty({ id: newId('property'), domain, at: time }), ...fields };
    await deps.properties.insert(property);
    return property;
  }

  async function begin(domains: readonly string[]): Promise<string> {
    const id = newId('job');
    const facts = { kind: 'verify', status: 'running', outcomes: [], requestedBy: 'usr_ada' } as const;
    await deps.jobs.insert({ id, ...facts, domains, createdAt: time, finishedAt: null });
    return id;
  }

  async function outcomes(jobId: string): Promise<readonly DomainOutcome[]> {
    return (await deps.jobs.find(jobId))?.outcomes ?? [];
  }

  /** Asks for a verification, and waits for nothing: until somebody does, no time is skipped. @returns the job's id */
  async function request(domain: string): Promise<string> {
    const jobId = await begin([domain]);
    await commands.verify({ domain, jobId });
    return jobId;
  }

  async function ended(domain: string, jobId: string) {
    const result = await env.client.workflow.getHandle(verifyWorkflowId(domain)).result();
    const property = await deps.properties.find(domain);
    return { minutes: minutesOf(property), result, outcomes: await outcomes(jobId), property };
  }

  return {
    ...{ env, deps, dns, search, commands, journal, before, add, begin, outcomes, request, ended },
    /** Verifies one domain to the end of the run. @returns minutes it took, what came of it, and the Property */
    async verify(domain: string) {
      return ended(domain, await request(domain));
    },
    async restartWorker(): Promise<void> {
      await worker.stop();
      worker = await startWorker();
    },
    /** Of the activities: the server is not asked to skip while nobody waits. */
    moveClock: (ms: number): void => {
      aheadMs += ms;
    },
    async stop(): Promise<void> {
      await worker.stop();
      await env.teardown();
    },
  };
}

/** From the first state of the run to its end: when it is over, the server skips on to timers that nobody waits for. */
function minutesOf(property: Property | null): number {
  const { tokenRequestedAt, verifiedAt, errorAt } = property?.verification ?? {};
  const ended = verifiedAt ?? errorAt;
  return ((ended?.getTime() ?? Number.NaN) - (tokenRequestedAt?.getTime() ?? 0)) / MINUTE_MS;
}

export type Verifications = Awaited<ReturnType<typeof startVerifications>>;
