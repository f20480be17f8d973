import { Client, Connection } from '@temporalio/client';
import type { TemporalTlsFiles } from '../env/platform.ts';
import { temporalTls } from './tls.ts';

export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly identity: string;
  /** Null or undefined: the connection is not encrypted. */
  readonly tls?: TemporalTlsFiles | null;
}

/** A client that connects when it is first used, so that a process can start before Temporal does. */
export function createTemporalClient({ address, namespace, identity, tls }: TemporalAddress): Client {
  const connection = Connection.lazy({ address, tls: temporalTls(tls), connectTimeout: '5s' });
  return new Client({ connection, namespace, identity });
}
