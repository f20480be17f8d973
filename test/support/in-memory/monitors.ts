import { z } from 'zod';
import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { emptyCondition } from '../../../domain/monitors/apply-result.ts';
import type { Condition } from '../../../domain/monitors/condition.ts';
import { type Monitor, shardOf } from '../../../domain/monitors/monitor.ts';
import type { ConditionStore, MonitorStore } from '../../../domain/monitors/ports.ts';
import { keepRecord } from './keep-record.ts';
import { pageOf } from './page-of.ts';

const BY_NAME = {
  cursor: z.tuple([z.string(), z.string()]),
  keyOf: ({ serviceName, id }: Monitor) => [serviceName, id] as [string, string],
  compare: (a: readonly [string, string], b: readonly [string, string]) => order(a[0], b[0]) || order(a[1], b[1]),
};
const OLDEST_FIRST = {
  cursor: timeAndId,
  keyOf: ({ updatedAt, id }: Monitor) => [updatedAt.getTime(), id] as [number, string],
  compare: (a: readonly [number, string], b: readonly [number, string]) => a[0] - b[0] || order(a[1], b[1]),
};

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Monitors in memory. */
export function createMemoryMonitors(): MonitorStore {
  const monitors = new Map<string, Monitor>();
  let last = 0;
  return {
    find: async (id) => monitors.get(id) ?? null,
    findByKey: async (key) => [...monitors.values()].find((monitor) => monitor.key === key) ?? null,
    async list({ org, archived, publicOnly, serviceName }, page) {
      const asked = [...monitors.values()].filter(
        (monitor) =>
          (org === null || monitor.org === org) &&
          (archived === undefined || (monitor.archivedAt !== null) === archived) &&
          (publicOnly !== true || monitor.isPublic) &&
          (serviceName === undefined || monitor.serviceName === serviceName),
      );
      return pageOf(asked, page, BY_NAME);
    },
    async listShard(shard, changedSince, page) {
      const asked = [...monitors.values()].filter(
        (monitor) => shardOf(monitor) === shard && (changedSince === null || monitor.updatedAt >= changedSince),
      );
      return pageOf(asked, page, OLDEST_FIRST);
    },
    async nextNumber() {
      last += 1;
      return last;
    },
    async insert(monitor) {
      const isTaken = [...monitors.values()].some(({ id, key }) => id === monitor.id || key === monitor.key);
      if (!isTaken) monitors.set(monitor.id, keepRecord({ ...monitor }));
      return !isTaken;
    },
    async replace(monitor) {
      if (monitors.get(monitor.id)?.revision !== monitor.revision - 1) {
        throw new FairleadError('CONFLICT', 'Another request is changing the monitor; try again', { retryable: true });
      }
      monitors.set(monitor.id, keepRecord({ ...monitor }));
    },
    async remove({ id, revision }) {
      return monitors.get(id)?.revision === revision && monitors.delete(id);
    },
  };
}

/** Conditions in memory. */
export function createMemoryConditions(): ConditionStore {
  const held = new Map<string, { readonly condition: Condition; readonly fence: number }>();
  const find: ConditionStore['find'] = async (ids) => {
    return new Map(ids.flatMap((id) => (held.has(id) ? [[id, held.get(id)?.condition ?? emptyCondition(id)]] : [])));
  };
  const replaced = () => new FairleadError('CONFLICT', 'Another worker checks these monitors now; this one stops.');
  return {
    find,
    async claim(ids, fence) {
      for (const id of ids) {
        const { condition, fence: known } = held.get(id) ?? { condition: emptyCondition(id), fence: 0 };
        if (known > fence) throw replaced();
        held.set(id, keepRecord({ condition, fence }));
      }
      return find(ids);
    },
    async write(conditions, fence) {
      let isRefused = false;
      for (const condition of conditions) {
        if (held.get(condition.monitorId)?.fence === fence)
          held.set(condition.monitorId, keepRecord({ condition, fence }));
        else isRefused = true;
      }
      if (isRefused) throw replaced();
    },
    async remove(monitorId) {
      held.delete(monitorId);
    },
  };
}
