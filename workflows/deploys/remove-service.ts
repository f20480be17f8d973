import { reliable } from './activity-proxies.ts';

/** Removes a service with everything that runs for it; id `service-removal/<service>`. */
export async function removeService(service: { id: string; name: string }): Promise<void> {
  await reliable('Remove workloads, routes, releases and the record').removeService(service);
}
