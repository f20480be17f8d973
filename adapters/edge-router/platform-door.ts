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
 * The door by which workloads reach the platform where it listens on the machine's loopback alone: it listens on a Unix
 * socket that is mounted into their relays, and passes on what is for one of the `addresses`, by the request's Host.
 * Nothing else of the machine is behind it. Requests arrive with `X-Forwarded-*`, so that nobody takes a workload for
 * somebody who sits at this machine.
 */
export function createPlatformDoor(options: {
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
