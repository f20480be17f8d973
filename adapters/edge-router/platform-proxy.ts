import type { EdgeError } from './error-page.ts';
import { refusalOf } from './forward-headers.ts';
import type { FindAddress } from './forward-request.ts';
import { createForwardingServer, type ForwardingServer } from './forwarding-server.ts';

const CLOSED: EdgeError = {
  status: 404,
  title: 'There is no such service of the platform',
  advice: 'Use the addresses that the service was given, such as IDP_URL.',
};

/**
 * What services see requests of workloads come from: a loopback address of its own, so that workloads share no limit by
 * address with the processes and people of this machine. Every address of 127.0.0.0/8 is this machine's on Linux, where
 * alone there is a platform proxy.
 */
export const WORKLOADS_ADDRESS = '127.0.0.2';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * A reverse proxy from workloads to a platform that listens on the loopback of this machine only. It listens on a Unix
 * socket, which is mounted into the relays of workloads, and forwards a request when its Host is one of the `addresses`.
 * It answers everything else with 404. It adds `X-Forwarded-*`, which say that a request was
 * passed on.
 */
export function createPlatformProxy(options: {
  /** Base URLs of services of the platform. */
  readonly addresses: readonly string[];
  readonly onError: (error: unknown) => void;
}): ForwardingServer {
  const { addresses, onError } = options;
  const byHost = new Map(addresses.map((address) => [new URL(address).host, new URL(address)]));
  const find: FindAddress = (request) => {
    const refusal = refusalOf(request);
    if (refusal !== null) return { error: { status: 400, title: 'The request is malformed', advice: refusal } };
    const address = byHost.get(request.headers.host?.toLowerCase() ?? '');
    if (address === undefined) return { error: CLOSED };
    return LOOPBACK_HOSTS.has(address.hostname) ? { address, localAddress: WORKLOADS_ADDRESS } : { address };
  };
  return createForwardingServer({ find, onError });
}
