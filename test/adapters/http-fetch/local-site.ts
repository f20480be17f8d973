import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type Server } from 'node:net';
import type { Dialler, DialTarget } from '../../../adapters/http-fetch/guarded-connector.ts';

/** What the guard let pass, and a request that came of it. */
export interface Dialled {
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

export interface LocalSite extends AsyncDisposable {
  /** Leads every address that the guard lets pass to this server. */
  readonly dialler: Dialler;
  readonly dialled: readonly Dialled[];
  readonly asked: readonly Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
}

/** The public internet of a test: one server on this machine, by plain HTTP at port 80 and by TLS at 443. */
export async function startLocalSite(answer: RequestListener, names: readonly string[] = []): Promise<LocalSite> {
  const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request);
    return answer(request, response);
  };
  const { key, certificate } = await selfSigned(names);
  const plain = createServer(listener);
  const tls = createTlsServer({ key, cert: certificate }, listener);
  const ports = { 80: await listen(plain), 443: await listen(tls) };
  const dialled: Dialled[] = [];
  return {
    dialled,
    asked,
    dialler: {
      ca: certificate,
      dial(found): DialTarget {
        dialled.push(found);
        return { address: '127.0.0.1', port: found.port === 443 ? ports[443] : ports[80] };
      },
    },
    async [Symbol.asyncDispose]() {
      for (const server of [plain, tls]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  return promise;
}

export async function selfSigned(names: readonly string[]): Promise<{ key: string; certificate: string }> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=a site of a test', keys, signingAlgorithm: algorithm },
    ...{ notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 3_600_000) },
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'), certificate: certificate.toString('pem') };
}
