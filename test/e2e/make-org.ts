import assert from 'node:assert/strict';
import { callProvider } from '../interop/call-provider.ts';
import { connection, parts, uniqueName } from './harness.ts';

/** Makes an org beside that of the stack. @returns its slug */
export async function makeOrg(name: string): Promise<string> {
  const slug = uniqueName(name);
  const headers = { 'x-internal-key': (await connection()).key };
  const json = { slug, name: slug };
  const made = await callProvider((await parts()).idp?.address ?? '', 'POST', '/api/v2/orgs', { json, headers });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return slug;
}
