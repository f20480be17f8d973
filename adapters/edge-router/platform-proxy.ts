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
    return address === undefined ? { error: CLOSED } : { address };
  };
  return createForwardingServer({ find, onError });
}
