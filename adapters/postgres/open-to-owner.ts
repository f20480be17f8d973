import { type Client, escapeIdentifier as name } from 'pg';

/** No one service takes all connections of the server, by whichever of its users. */
export const CONNECTIONS = 50;

/** Lets nobody but the owner of a database, and its members, connect to it. */
export async function openToOwner(client: Client, database: string): Promise<void> {
  await client.query(`REVOKE ALL ON DATABASE ${name(database)} FROM PUBLIC`);
  await client.query(`ALTER DATABASE ${name(database)} ALLOW_CONNECTIONS true CONNECTION LIMIT ${CONNECTIONS}`);
}
