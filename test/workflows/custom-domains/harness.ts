import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { CustomDomainsDeps } from '../../../activities/custom-domains/deps.ts';
import {
  type CustomDomainsActivities,
  createCustomDomainsActivities,
} from '../../../activities/custom-domains/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createDomainCommands } from '../../../adapters/temporal/domain-commands.ts';
import { changedHolder, type DomainHolder, isHeld } from '../../../domain/custom-domains/custom-domain.ts';
import { type AddDomain, DOMAIN_SIGNALS, domainWorkflowId } from '../../../domain/custom-domains/messages.ts';
import { createCustomDomainsParts } from '../../support/custom-domains-parts.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Names on a server that skips time, with a DNS in memory. */
export async function startDomains(changes: Partial<CustomDomainsDeps> = {}) {
  const env: TestWorkflowEnvironment = await startTimeSkipping();
  const parts = await createCustomDomainsParts(changes);
  const commands = createDomainCommands(env.client);
  const activities = createCustomDomainsActivities(parts.deps);
  /** Called before the activity of that name; what it throws, the activity throws. */
  const before = new Map<keyof CustomDomainsActivities, () => Promise<void>>();
  /** What the activity of that name answers in the place of the real one. */
  const instead = new Map<keyof CustomDomainsActivities, (...given: readonly unknown[]) => unknown>();
  const journal: string[] = [];
  const worker = await start();

  async function start(): Promise<ModuleWorker> {
    const watched = Object.entries(activities).map(([name, activity]) => [
      name,
      async (...args: unknown[]) => {
        journal.push(name);
        await before.get(name as keyof CustomDomainsActivities)?.();
        const given = instead.get(name as keyof CustomDomainsActivities);
        if (given !== undefined) return given(...args);
        return await (activity as (...given: unknown[]) => Promise<unknown>)(...args);
      },
    ]);
    return await startModuleWorker(env.nativeConnection, {
      ...{ module: 'custom-domains', activities: Object.fromEntries(watched) },
    });
  }

  async function holderOf(domain: string): Promise<DomainHolder | null> {
    return (await parts.deps.domains.find(domain))?.holder ?? null;
  }

  let names = 0;
  return {
    ...{ env, ...parts, commands, before, instead, journal, holderOf },
    newName(): string {
      names += 1;
      return `shop.name${names}.com`;
    },
    /** A worker that is not ready in time has the request all the same: sent again, it is one request. */
    add: (request: AddDomain): Promise<void> =>
      commands.add(request).catch((error) => {
        if (error.code !== 'UNAVAILABLE') throw error;
        return commands.add(request);
      }),
    of: (domain: string, serviceId: string) => ({
      ...{ domain, serviceId, requestId: newId('request'), by: 'usr_ada' },
    }),
    /** As if it were pending for so long already. */
    async age(domain: string, ms: number): Promise<void> {
      const record = await parts.deps.domains.find(domain);
      const since = record?.holder?.pendingSince ?? null;
      if (!isHeld(record) || since === null) throw new Error(`${domain} is not pending`);
      await parts.deps.domains.replace(changedHolder(record, { pendingSince: new Date(since.getTime() - ms) }));
    },
    /** Lets so much time of the server pass. */
    pass: (ms: number) => env.sleep(ms),
    signal: (domain: string) =>
      env.client.workflow.getHandle(domainWorkflowId(domain)).signal(DOMAIN_SIGNALS.certificateChanged),
    async stop(): Promise<void> {
      await worker.stop();
      await env.teardown();
    },
  };
}

export type Domains = Awaited<ReturnType<typeof startDomains>>;
