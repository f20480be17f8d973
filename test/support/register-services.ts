import type { Db } from 'mongodb';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createMonitorStore } from '../../adapters/mongo/monitors/monitors.ts';
import { registerMonitor } from '../../domain/monitors/register-monitor.ts';
import { registrationSchema } from '../../domain/monitors/schema.ts';

/** Registers so many services of an org for their checks, as their deploys do. @returns the ids of their monitors */
export async function registerServices(
  db: Db,
  count: number,
  {
    org,
    intervalSeconds: interval,
    urlOf,
  }: {
    readonly org: string;
    readonly intervalSeconds: number;
    readonly urlOf: (serviceName: string, number: number) => string;
  },
): Promise<readonly string[]> {
  const deps = { monitors: createMonitorStore({ db }), newId, now: () => new Date(), isPlatformHost: () => true };
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const serviceName = `service-${number}`;
    const asked = { serviceName, org, environment: 'prod', url: urlOf(serviceName, number), interval };
    ids.push((await registerMonitor(deps, registrationSchema.parse(asked))).id);
  }
  return ids;
}
