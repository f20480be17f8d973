import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { pullProperty } from '../../activities/search-pulls/pull-property.ts';
import { createCallBudget } from '../../adapters/call-budget.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSearchAnalytics } from '../../adapters/google/search-analytics.ts';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import { createQuotaCounters } from '../../adapters/mongo/properties/quota-counters.ts';
import { createPulledProperties, createPullRunStore } from '../../adapters/mongo/search-pulls/pull-runs.ts';
import { createSearchRowStore } from '../../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../../adapters/mongo/search-pulls/windows.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createGoogleAccount } from './google-account.ts';

/** What a process pulls, and with what. */
const orderSchema = z.object({
  mongodbUri: z.string(),
  server: z.string(),
  token: z.string(),
  properties: z.array(z.string()),
  since: z.string(),
  /** The moment of the search engine, and when it was that on this machine. */
  moment: z.number(),
  at: z.number(),
});

export type PullOrder = z.output<typeof orderSchema>;

export interface PullProcess {
  /** Begins to pull what is left. Resolves to whether it came to the end; false when it was killed. */
  pull(): Promise<boolean>;
  kill(): void;
}

/** A process that is ready to pull, with the activity of the worker on real adapters. */
export async function startPullProcess(order: PullOrder): Promise<PullProcess> {
  const child = fork(fileURLToPath(import.meta.url), [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  child.send(order);
  await Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('it ended at its start')))]);
  return {
    async pull() {
      child.send('pull');
      const [code, signal] = (await exited) as [number | null, string | null];
      if (signal === 'SIGKILL') return false;
      if (code !== 0) throw new Error(`a pull ended with ${code ?? signal}`);
      return true;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

async function serve(): Promise<void> {
  const [message] = (await once(process, 'message')) as [unknown];
  const { mongodbUri, server, token, properties, since, moment, at } = orderSchema.parse(message);
  const { db } = await connectMongo(mongodbUri, 'pull');
  const { google } = await createGoogleAccount(server, token);
  const now = () => new Date(moment + (Date.now() - at));
  const budget = createCallBudget({ counters: createQuotaCounters({ db, now }), now });
  const many = 1_000_000_000;
  const limits = { propertyPerMinute: many, accountPerMinute: many, projectPerMinute: many, projectPerDay: many * 10 };
  const pulled = createPulledProperties({ db });
  const deps = {
    properties: {
      list: async () => ({ items: properties, nextCursor: null }),
      find: async (domain: string) => ({ domain, siteUrl: `sc-domain:${domain}` }),
    },
    analytics: createSearchAnalytics({ google, budget, account: 'a', limits, sleep: async () => undefined }),
    rows: createSearchRowStore({ db }),
    windows: createSearchWindowStore({ db }),
    runs: createPullRunStore({ db }),
    pulled,
    commands: { holder: async () => undefined, pullAll: async () => undefined },
    ...{ newId, now },
    // As many at once as a worker pulls where nobody says otherwise.
    settings: { types: ['web' as const], parallelism: 4, attemptMs: 3_600_000 },
  };
  process.send?.('ready');
  await once(process, 'message');
  const waiting = [...(await pulled.notPulledSince(properties, new Date(since)))];
  const pullNext = async (): Promise<void> => {
    for (let property = waiting.shift(); property !== undefined; property = waiting.shift()) {
      while (!(await attempt(property)));
    }
  };
  /** As the workflow does: what passes by itself is attempted again. */
  async function attempt(property: string): Promise<boolean> {
    try {
      return (await pullProperty(deps, { property, since }, new AbortController().signal)).isWhole;
    } catch (error) {
      if (!(error instanceof FairleadError) || !error.retryable) throw error;
      await delay(1_000);
      return false;
    }
  }
  await Promise.all(Array.from({ length: deps.settings.parallelism }, pullNext));
  process.exit(0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
