import assert from 'node:assert/strict';
import { CLI_CLIENT } from '../../domain/services.ts';
import type { Stack } from '../../infra/dev/stack.ts';
import { createBrowser } from '../api/identity/pages/browse.ts';
import { callProvider } from '../interop/call-provider.ts';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Invites somebody into an org of their own and signs them in as the command line does. @returns the access token */
export async function signInMember({ addresses, key }: Pick<Stack, 'addresses' | 'key'>, org: string): Promise<string> {
  const issuer = addresses.idp ?? '';
  const headers = { 'x-internal-key': key };
  const asPlatform = (path: string, json: unknown) => callProvider(issuer, 'POST', path, { json, headers });
  assert.equal((await asPlatform('/api/v2/orgs', { slug: org, name: org })).status, 201);
  const invite = { email: `mallory@${org}.example`, role: 'member', sendEmail: false };
  const { body: invited } = await asPlatform(`/api/v2/orgs/${org}/invites`, invite);
  const { pathname, search } = new URL(invited.data.inviteUrl);
  const browser = createBrowser({ issuer, call: callProvider.bind(null, issuer) });
  const person = { firstName: 'Mallory', lastName: 'Member', password: 'correct horse battery' };
  await browser.follow(await browser.submit(await browser.open(pathname + search), '/invites/accept', person));
  const { body: device } = await callProvider(issuer, 'POST', '/api/oauth/device_authorization', {
    form: { client_id: CLI_CLIENT, scope: 'openid profile email offline_access' },
  });
  const code = { user_code: device.user_code };
  const confirm = await browser.submit(await browser.open('/oauth/device'), '/oauth/device', code);
  await browser.submit(confirm, '/oauth/device/decision', { decision: 'allow' });
  const { status, body: tokens } = await callProvider(issuer, 'POST', '/api/oauth/token', {
    form: { grant_type: DEVICE_GRANT, client_id: CLI_CLIENT, device_code: device.device_code },
  });
  assert.equal(status, 200, JSON.stringify(tokens));
  return tokens.access_token;
}
