import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestListener } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { createCertificateFiles, createContextFinder } from '../../../adapters/edge-router/certificate-files.ts';
import { createChallengeAnswers } from '../../../adapters/edge-router/challenge-files.ts';
import type { EdgeTimeouts } from '../../../adapters/edge-router/forwarding-server.ts';
import { createEdgeHosts } from '../../../adapters/edge-router/host-files.ts';
import type { ExchangeLimits } from '../../../adapters/edge-router/open-exchanges.ts';
import { createTlsListener, type TlsTimeouts } from '../../../adapters/edge-router/tls-listener.ts';
import type { EdgeHostTarget } from '../../../domain/custom-domains/certificates/ports.ts';
import { createTestAuthority } from '../../support/test-authority.ts';
import { type Ask, bodyOf, makeEdgeFixture } from './edge-fixture.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface Http2Ask {
  readonly method?: string;
  readonly path?: string;
  readonly authority?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A real router with a TLS listener, and an authority whose certificates it serves. */
export async function makeTlsFixture(
  timeouts: {
    readonly edge?: Partial<EdgeTimeouts>;
    readonly tls?: Partial<TlsTimeouts>;
    readonly exchanges?: ExchangeLimits;
  } = {},
  mostContexts?: number,
) {
  const edge = await makeEdgeFixture(timeouts.edge, timeouts.exchanges);
  const onError = (error: unknown): void => void edge.errors.push(error);
  const contextOf = createContextFinder(edge.directory, mostContexts);
  const listener = createTlsListener({ forwarding: edge.edge, contextOf, onError, timeouts: timeouts.tls });
  listener.server.listen(0, '127.0.0.1');
  await once(listener.server, 'listening');
  const tlsPort = (listener.server.address() as AddressInfo).port;
  const authority = await createTestAuthority();
  const certificates = createCertificateFiles(edge.directory);
  const hosts = createEdgeHosts(edge.directory);

  const options = (servername: string, more: ConnectionOptions = {}): ConnectionOptions => ({
    ...{ host: '127.0.0.1', port: tlsPort, servername, ca: authority.root, ALPNProtocols: ['http/1.1'] },
    // The name is compared by what a client does: by its SNI.
    ...more,
  });
  const dialTls = async (servername: string, more?: ConnectionOptions): Promise<TLSSocket> => {
    const socket = connect(options(servername, more));
    await once(socket, 'secureConnect');
    return socket;
  };
  return {
    ...{ edge, listener, tlsPort, authority, certificates, hosts },
    challenges: createChallengeAnswers(edge.directory),
    dialTls,
    /** A service at a host with a certificate. */
    async serve(host: string, answer: RequestListener, more: Partial<EdgeHostTarget> = {}): Promise<void> {
      const service = host.replaceAll('.', '-');
      const { address } = await edge.upstream(answer);
      await edge.router.route(service, 'prod', { workloadId: 'x', address }, 1);
      await certificates.put(host, await authority.issue([host]));
      await hosts.put(host, { service, environment: 'prod', serves: 'everything', redirectToTls: false, ...more });
    },
    /** Over HTTP/1.1 and TLS. @param host asked for, of the certificate and in the header, unless `servername` differs */
    async askTls(
      host: string,
      { servername = host, ...ask }: Ask & { readonly servername?: string } = {},
    ): Promise<Answer> {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const { body, headers, method, path } = ask;
      const target = { ...options(servername), method, path, headers: { host, ...headers }, agent: false as const };
      request(target, resolve).on('error', reject).end(body);
      const response = await promise;
      return { status: response.statusCode ?? 0, headers: response.headers, body: await bodyOf(response) };
    },
    async http2(servername: string): Promise<ClientHttp2Session> {
      const socket = await dialTls(servername, { ALPNProtocols: ['h2'] });
      const session = connectHttp2(`https://${servername}`, { createConnection: () => socket });
      await once(session, 'connect');
      return session;
    },
    /** A bare connection to the TLS port, before any handshake. */
    dialBare: (): Socket => connectPlain(tlsPort, '127.0.0.1'),
    agent: () => new Agent({ keepAlive: true }),
    async end(): Promise<void> {
      await listener.close(0);
      await edge.end();
    },
  };
}

export type TlsFixture = Awaited<ReturnType<typeof makeTlsFixture>>;

export async function askHttp2(session: ClientHttp2Session, ask: Http2Ask = {}): Promise<Answer> {
  const { method = 'GET', path = '/', authority, headers, body } = ask;
  const pseudo = { ':method': method, ':path': path, ...(authority === undefined ? {} : { ':authority': authority }) };
  const stream = session.request({ ...pseudo, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += part;
  return { status: Number(answered[':status']), headers: answered, body: text };
}
