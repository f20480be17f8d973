import type { AnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import type { MissedAnchor } from '../../../domain/audit-ledger/anchoring-messages.ts';
import { addDays, dayOf, startOfDay } from '../../../domain/audit-ledger/days.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { SEARCH_ATTRIBUTES } from '../../../domain/search-attributes.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

const KEYWORD = 2;

export const CHAINS = [31_337, 31_338] as const;

/**
 * Anchoring activities without effects on a server that skips time. `down` says why a chain cannot be reached at a
 * moment; null when it can.
 */
export async function createAnchoringTemporal() {
  const env = await startTimeSkipping();
  const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, KEYWORD]));
  await env.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  const state = {
    /** Time of day and what was done. */
    calls: [] as string[],
    batched: new Set<string>(),
    anchored: new Set<string>(),
    down: (_chainId: number, _time: string): FairleadError | null => null,
    days: null as readonly string[] | null,
    /** The database is away until that time of day. */
    awayUntil: null as string | null,
  };
  const time = async (): Promise<string> => new Date(await env.currentTimeMs()).toISOString().slice(11, 16);
  const reachDatabase = async (): Promise<void> => {
    if (state.awayUntil === null || (await time()) >= state.awayUntil) return;
    throw new FairleadError('UNAVAILABLE', 'The database cannot be reached', { retryable: true });
  };
  const activities: AnchoringActivities = {
    listDaysToAnchor: async (yesterday) => {
      await reachDatabase();
      state.calls.push(`${await time()} list until ${yesterday}`);
      return state.days ?? [yesterday];
    },
    batchDay: async (day) => {
      await reachDatabase();
      state.calls.push(`${await time()} batch ${day}`);
      state.batched.add(day);
      return { day, root: '0xroot', leafCount: 3, chainIds: CHAINS };
    },
    anchorBatch: async ({ day, chainId }) => {
      const now = await time();
      state.calls.push(`${now} anchor ${day} on ${chainId}`);
      const fault = state.down(chainId, now);
      if (fault !== null) throw fault;
      state.anchored.add(`${day}/${chainId}`);
      return { txHash: '0x1', blockNumber: 1 };
    },
    reportMissedAnchors: async (yesterday) => {
      await reachDatabase();
      state.calls.push(`${await time()} check ${yesterday}`);
      const days = [...state.batched].filter((day) => day <= yesterday).sort();
      const missed: MissedAnchor[] = days.flatMap((day) => CHAINS.map((chainId) => ({ day, chainId })));
      return missed.filter(({ day, chainId }) => !state.anchored.has(`${day}/${chainId}`));
    },
  };
  const worker = await startModuleWorker(env.nativeConnection, { module: 'audit-ledger', activities });
  return {
    env,
    client: env.client,
    state,
    activities,
    /** Skips to the next moment of that time of day (UTC) and gives the day it is. */
    async skipTo(timeOfDay: `${number}:${number}`): Promise<string> {
      const now = await env.currentTimeMs();
      const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
      const today = startOfDay(dayOf(now)).getTime() + (hours * 60 + minutes) * 60_000;
      const next = today > now ? today : startOfDay(addDays(dayOf(now), 1)).getTime() + (hours * 60 + minutes) * 60_000;
      await env.sleep(next - now);
      return dayOf(next);
    },
    async stop() {
      await worker.stop();
      await env.teardown();
    },
  };
}

export type AnchoringTemporal = Awaited<ReturnType<typeof createAnchoringTemporal>>;

export const unreachable = (chainId: number): FairleadError =>
  new FairleadError('CHAIN_UNREACHABLE', `Chain ${chainId}: the node does not answer`);
