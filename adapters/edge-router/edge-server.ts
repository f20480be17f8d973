import { createDestinationOf, UNKNOWN_SERVICE } from './destination-of.ts';
import type { EdgeRequest } from './edge-message.ts';
import type { EdgeError } from './error-page.ts';
import { refusalOf } from './forward-headers.ts';
import type { Finding } from './forward-request.ts';
import { createForwardingServer, type EdgeTimeouts, type ForwardingServer } from './forwarding-server.ts';
import { hostOf, parseHost } from './host-name.ts';
import { createHostRules } from './host-rules.ts';
import type { ExchangeLimits } from './open-exchanges.ts';
import { createStatusPageHost, type StatusPageHostOptions } from './status-page-host.ts';

export interface EdgeServerOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  /** Port that clients reach the TLS listener at, which redirects name; 443 by default. */
  readonly tlsPort?: number;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<EdgeTimeouts>;
  readonly exchanges?: ExchangeLimits;
  /** The status page, where it has a host of its own: that goes before any service of the name. */
  readonly statusPage?: Omit<StatusPageHostOptions, 'onError'> | undefined;
}

/** On this connection a client was shown the certificate of another host (RFC 9110, section 15.5.20). */
const MISDIRECTED: EdgeError = {
  status: 421,
  title: 'This connection was opened for another host name',
  advice: 'Open a connection for each host name.',
};

/**
 * The router: reaches each service by its host name in the platform's domain, or by one of its customers'. Everything is
 * looked up for every request, so that a switch needs no word to this process. Requests over TLS come from a listener of
 * their own (`tls-listener.ts`) and are held to the name that the certificate was asked for.
 */
export function createEdgeServer(options: EdgeServerOptions): ForwardingServer {
  const { routesDirectory, domain, tlsPort = 443, onError, timeouts, exchanges } = options;
  const destinationOf = createDestinationOf(options);
  const rules = createHostRules({ routesDirectory, tlsPort, onError });
  const { statusPage } = options;
  const findStatusPage = statusPage === undefined ? () => null : createStatusPageHost({ ...statusPage, onError });
  /** A name of a service's own. */
  const findByRules = (host: string, request: EdgeRequest): Finding => {
    const decision = rules.decide(host, request);
    if (decision.kind === 'answer') return { answer: decision.answer };
    if (decision.kind === 'refusal') return { error: decision.error };
    if (decision.kind === 'unknown') return { error: UNKNOWN_SERVICE };
    const found = destinationOf(decision.target);
    const isStrict = decision.target.hsts === true && request.socket.encrypted === true;
    return isStrict && 'address' in found ? { ...found, strictTransport: true } : found;
  };
  const find = (request: EdgeRequest): Finding => {
    const refusal = refusalOf(request);
    if (refusal !== null) return { error: { status: 400, title: 'The request is malformed', advice: refusal } };
    const host = hostOf(request.headers.host);
    if (isMisdirected(host, request)) return { error: MISDIRECTED };
    const challenge = rules.challenge(host, request);
    if (challenge !== null) return { answer: challenge };
    const ofStatusPage = findStatusPage(host, request);
    if (ofStatusPage !== null) return ofStatusPage;
    const own = parseHost(host, domain);
    return own === null ? findByRules(host, request) : destinationOf(own);
  };
  return createForwardingServer({ find, onError, timeouts, exchanges });
}

function isMisdirected(host: string, { socket }: EdgeRequest): boolean {
  return socket.encrypted === true && String(socket.servername).toLowerCase() !== host;
}
