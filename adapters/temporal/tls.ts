import { readFileSync } from 'node:fs';
import type { TLSConfig } from '@temporalio/client';
import type { TemporalTlsFiles } from '../env/platform.ts';

/**
 * What both kinds of Temporal's connection take: `false` is an unencrypted one. The files are read at once.
 * @throws Error naming the file that cannot be read
 */
export function temporalTls(files: TemporalTlsFiles | null | undefined): TLSConfig | false {
  if (files === null || files === undefined) return false;
  const { ca, certificate, key, serverName } = files;
  return {
    ...(ca === undefined ? {} : { serverRootCACertificate: readFileSync(ca) }),
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(certificate === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: readFileSync(certificate), key: readFileSync(key) } }),
  };
}
