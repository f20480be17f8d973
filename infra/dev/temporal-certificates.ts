import { createPrivateKey, type webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Extension } from '@peculiar/x509';
import type { TemporalTlsFiles } from '../../adapters/env/platform.ts';

/** The name in the server's certificate: whatever port it listens on. */
const SERVER_NAME = 'temporal.fairlead.internal';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR_MS = 365 * 24 * 3_600_000;
const VALID_MS = 10 * YEAR_MS;

/** Below this they are made anew: a stack that runs longer than that without a restart is not expected. */
const RENEW_MS = YEAR_MS;

/** By which the programs of an embedded Temporal, and its clients, know each other. */
export interface TemporalCertificates {
  readonly client: TemporalTlsFiles;
  /** The server's own, and those of its services among each other. */
  readonly server: TemporalTlsFiles;
}

/** Where they are in a data folder, whether they are there or not. */
export function temporalCertificates(dataDir: string): TemporalCertificates {
  const folder = join(dataDir, 'temporal', 'tls');
  const of = (name: string): TemporalTlsFiles => ({
    ca: join(folder, 'ca.pem'),
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
    serverName: SERVER_NAME,
  });
  return { client: of('client'), server: of('server') };
}

/**
 * Makes them, for their owner alone, unless they are there, whole and valid for long. The key of their authority is kept
 * nowhere: it signs no other.
 */
export async function ensureTemporalCertificates(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'temporal', 'tls');
  if (await areUsable(dataDir)) return;
  // Loaded here: few starts need them. The second needs what the first adds.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { X509CertificateGenerator: generator, PemConverter } = x509;
  // One start at a time has the data folder; an earlier one may have been killed here.
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): Promise<void> => writeFile(join(partial, name), text, { mode: 0o600 });
  // A clock that is put back later does not end them.
  const valid = { notBefore: new Date(Date.now() - YEAR_MS), notAfter: new Date(Date.now() + VALID_MS) };
  const authorityKeys = await newKeys();
  const authority = await generator.createSelfSigned({
    ...{ ...valid, name: 'CN=Fairlead embedded Temporal', keys: authorityKeys, signingAlgorithm: ALGORITHM },
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const issue = async (name: string, extensions: readonly Extension[]): Promise<void> => {
    const keys = await newKeys();
    const certificate = await generator.create({
      ...{ ...valid, subject: `CN=${name}`, issuer: authority.subject, extensions: [...extensions] },
      ...{ publicKey: keys.publicKey, signingKey: authorityKeys.privateKey, signingAlgorithm: ALGORITHM },
    });
    await write(`${name}.pem`, certificate.toString('pem'));
    const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    await write(`${name}.key`, PemConverter.encode(key, 'PRIVATE KEY'));
  };
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  // The services of the server are clients of each other.
  const ofServer = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: SERVER_NAME }]);
  await issue('server', [ofServer, new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth])]);
  await issue('client', [new x509.ExtendedKeyUsageExtension([clientAuth])]);
  await write('ca.pem', authority.toString('pem'));
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

/** False also for what a power cut has left of them, and for those of a clock that was ahead. */
async function areUsable(dataDir: string): Promise<boolean> {
  const { client, server } = temporalCertificates(dataDir);
  const textOf = (path = ''): Promise<string> => readFile(path, 'utf8');
  const now = Date.now();
  try {
    const authority = new X509Certificate(await textOf(client.ca));
    for (const { certificate, key } of [server, client]) {
      const own = new X509Certificate(await textOf(certificate));
      if (!own.checkPrivateKey(createPrivateKey(await textOf(key))) || !own.verify(authority.publicKey)) return false;
      if (own.validFromDate.getTime() > now || own.validToDate.getTime() - now < RENEW_MS) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
