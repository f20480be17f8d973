import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What was told of a service last: by the call, such as `POST /api/pulse/register`. Each call says what is. */
export type Told = (service: string) => Readonly<Record<string, unknown>>;

export interface SystemsOfOthers {
  /** By the variable that names the system to the platform. */
  readonly ports: Readonly<Record<'MONITOR_URL' | 'SITE_REGISTRY_URL', number>>;
  readonly told: Told;
  readonly stop: () => void;
}

/** An uptime monitor and a site registry that keep what they are told last, under the name of the service. */
export async function startSystemsOfOthers(): Promise<SystemsOfOthers> {
  const calls = new Map<string, Map<string, unknown>>();
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { readonly service?: string; readonly serviceName?: string };
    const service = body.service ?? body.serviceName ?? '';
    const known = calls.get(service) ?? new Map<string, unknown>();
    calls.set(service, known.set(`${request.method} ${request.url}`, body));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: { id: `mon_of_${service}` } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ports: { MONITOR_URL: port, SITE_REGISTRY_URL: port },
    told: (service) => Object.fromEntries(calls.get(service) ?? []),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
