import { type Client, escapeIdentifier as name } from 'pg';
import { openToOwner } from '../postgres/open-to-owner.ts';
import { ensureRole, inTransaction } from '../postgres/own-roles.ts';
import type { Within } from '../postgres/remove-role.ts';
import { isSuperuser, ownerOf } from '../postgres/roles.ts';
import { dropRestorer, handOver, hasRestorer } from './restorer-role.ts';

/**
 * Until it takes its place, what was restored belongs to the role that restored it, with which nobody logs in any more: the
 * service, whose users act as the owner of its database, reaches neither what is compared with the dump nor what is verified.
 */
export async function keepToRestorer(client: Client, scratch: string): Promise<void> {
  await client.query(`ALTER ROLE ${name(scratch)} NOLOGIN PASSWORD NULL`);
}

/**
 * Whether all was restored of a database that is there. Its role may log in until then, and {@link keepToRestorer} comes last: a
 * standby that has taken over since, and has that, has the rows as well. One without that role belongs to somebody else
 * already, which comes later still, also where a worker of before restored it.
 */
export async function isRestoredWhole(client: Client, scratch: string): Promise<boolean> {
  const text = 'SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin';
  return (await client.query(text, [scratch])).rows.length === 0;
}

/**
 * Gives what was restored to whom the database belongs that it is to be: to the administrator in the place of a superuser. Of one
 * that is not there any more it is the role of its name, as of each database of a service, and nobody else gets in; its users
 * come back with the next deploy, where they are lost as well. Idempotent.
 */
export async function giveBack(
  client: Client,
  within: Within,
  { live, scratch }: { readonly live: string; readonly scratch: string },
): Promise<void> {
  const owner = await ownerOf(client, live);
  if (owner === null) await ensureOwner(client, live);
  const to = owner !== null && (await isSuperuser(client, owner)) ? null : (owner ?? live);
  if (await hasRestorer(client, scratch)) {
    await within(scratch, (inside) => handOver(inside, scratch, to));
    await dropRestorer(client, within, scratch);
  }
  if (owner === null) await openToOwner(client, scratch);
}

async function ensureOwner(client: Client, role: string): Promise<void> {
  await inTransaction(client, () => ensureRole(client, role));
  // Who is no superuser must be a member of the owner to give it a database.
  if (!(await isSuperuser(client, null))) await client.query(`GRANT ${name(role)} TO CURRENT_USER`);
}
