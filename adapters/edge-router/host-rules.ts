import { isHostName } from '../../domain/custom-domains/certificates/host-name.ts';
import type { EdgeHostTarget } from '../../domain/custom-domains/certificates/ports.ts';
import { createChallengeReader } from './challenge-files.ts';
import type { EdgeRequest } from './edge-message.ts';
import type { EdgeError, PlainAnswer } from './error-page.ts';
import { createFileCache } from './file-cache.ts';
import { hostFile, parseHostFile } from './host-files.ts';

/** What is done with a request for a host name that is not of the platform's domain. */
export type HostDecision =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answer'; readonly answer: PlainAnswer }
  | { readonly kind: 'refusal'; readonly error: EdgeError }
  | { readonly kind: 'service'; readonly target: EdgeHostTarget };

const BROKEN_HOST: EdgeError = {
  status: 503,
  title: 'This host name cannot be looked up',
  advice: 'Run fairlead domain verify again; the router’s log names the file.',
};
const UNVERIFIED: EdgeError = {
  status: 404,
  title: 'This host name is not verified yet',
  advice: 'See fairlead domain status.',
};

/** Host files that are kept read; any other costs its request some microseconds more. */
const MOST_HOSTS = 10_000;

export interface HostRules {
  /** The answer to an ACME challenge for a host, null where none is expected. */
  challenge(host: string, request: EdgeRequest): PlainAnswer | null;
  decide(host: string, request: EdgeRequest): HostDecision;
}

/**
 * What the files of hosts and challenges say about a request. A redirect leads to a host that is of the same service and
 * whose TLS was seen served, and nowhere else, whatever a file says.
 * @param tlsPort that clients reach the TLS listener at
 */
export function createHostRules(options: {
  readonly routesDirectory: string;
  readonly tlsPort: number;
  readonly onError: (error: unknown) => void;
}): HostRules {
  const { routesDirectory, onError } = options;
  const readHost = createFileCache(MOST_HOSTS, parseHostFile);
  const readChallenge = createChallengeReader(routesDirectory);
  const findHost = (host: string): EdgeHostTarget | null =>
    isHostName(host) ? readHost(hostFile(routesDirectory, host)) : null;
  const authority = (host: string): string => (options.tlsPort === 443 ? host : `${host}:${options.tlsPort}`);

  /** The host that a request is led to, null where it is to be served here. */
  const otherHost = (target: EdgeHostTarget): string | null => {
    const { redirectTo } = target;
    if (redirectTo === undefined || !target.redirectToTls) return null;
    const canonical = findHost(redirectTo);
    const isSame = canonical?.service === target.service && canonical.environment === target.environment;
    return isSame && canonical.redirectToTls && canonical.serves === 'everything' ? redirectTo : null;
  };

  return {
    challenge(host, request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      try {
        const body = readChallenge(host, request.url);
        return body === null ? null : { status: 200, headers: { 'content-type': 'application/octet-stream' }, body };
      } catch (error) {
        // What is asked for is served, or not there, as without a challenge.
        onError(error);
        return null;
      }
    },
    decide(host, request) {
      try {
        const target = findHost(host);
        if (target === null) return { kind: 'unknown' };
        if (target.serves !== 'everything') return { kind: 'refusal', error: UNVERIFIED };
        const isPlain = request.socket.encrypted !== true;
        const to = otherHost(target) ?? (isPlain && target.redirectToTls ? host : null);
        if (to === null) return { kind: 'service', target };
        return { kind: 'answer', answer: redirect(`https://${authority(to)}${request.url}`) };
      } catch (error) {
        onError(error);
        return { kind: 'refusal', error: BROKEN_HOST };
      }
    },
  };
}

/** 308: a form that was posted is posted again (RFC 9110, section 15.4.9). It may be taken back, so nobody keeps it for long. */
function redirect(location: string): PlainAnswer {
  return { status: 308, headers: { location, 'cache-control': 'max-age=300' }, body: '' };
}
