import type { Client } from 'pg';

interface Membership {
  /** Names as the server quotes them. */
  readonly role: string;
  readonly member: string;
  readonly grantor: string | null;
}

/** What a user is a member of beside `groups`, and who is a member of it beside the administrator. */
const OTHERS = `SELECT quote_ident(role.rolname) AS role, quote_ident(member.rolname) AS member,
    quote_ident(grantor.rolname) AS grantor
  FROM pg_auth_members JOIN pg_roles AS role ON role.oid = pg_auth_members.roleid
  JOIN pg_roles AS member ON member.oid = pg_auth_members.member
  LEFT JOIN pg_roles AS grantor ON grantor.oid = pg_auth_members.grantor
  WHERE (member.rolname = $1 AND NOT role.rolname = ANY($2))
  OR (role.rolname = $1 AND member.rolname <> CURRENT_USER)`;

/**
 * Ends every membership of a user, and in it, that the platform did not make. Until version 15 whoever logs in as a user may
 * make any other one a member of it, who then has what the user has, also once that one is refused.
 * @param groups those that it stays a member of
 * @returns whether there were any
 */
export async function keepMemberships(client: Client, user: string, groups: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<Membership>(OTHERS, [user, groups]);
  if (rows.length === 0) return false;
  const keepsGrantors = await isAfter15(client);
  for (const { role, member, grantor } of rows) {
    const by = keepsGrantors && grantor !== null ? ` GRANTED BY ${grantor} CASCADE` : '';
    await client.query(`REVOKE ${role} FROM ${member}${by}`);
  }
  return true;
}

/** From version 16 on a membership is there once for each who granted it. */
async function isAfter15(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  return Number(rows[0]?.server_version_num) >= 160_000;
}

/** Ends connections to a database of users who may not connect to it any more. */
export async function endStrangers(client: Client, database: string): Promise<void> {
  const text = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = $1 AND usesysid IS NOT NULL AND NOT has_database_privilege(usesysid, datid, 'CONNECT')`;
  await client.query(text, [database]);
}
