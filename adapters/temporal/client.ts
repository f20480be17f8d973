import { Client, Connection } from '@temporalio/client';

export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly identity: string;
}

/** A client that connects when it is first used, so that a process can start before Temporal does. */
export function createTemporalClient({ address, namespace, identity }: TemporalAddress): Client {
  const connection = Connection.lazy({ address, connectTimeout: '5s' });
  return new Client({ connection, namespace, identity });
}
