import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGoogleClient, type GoogleClient } from '../../adapters/google/google-client.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

export interface TestGoogleAccount {
  readonly google: GoogleClient;
  /** How many tokens the account was given. */
  readonly tokens: () => number;
  remove(): Promise<void>;
}

/** A service account whose calls of Google's APIs reach a server of the test, and which gets this token. */
export async function createGoogleAccount(server: string, token: string): Promise<TestGoogleAccount> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-google-'));
  const credentialsFile = join(folder, 'key.json');
  const email = 'fairlead@project.iam.gserviceaccount.com';
  await writeFile(
    credentialsFile,
    JSON.stringify({ type: 'service_account', client_email: email, private_key: privateKey }),
  );
  let tokens = 0;
  const fetchFromServer: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.pathname === '/token') {
      tokens += 1;
      return Response.json({ access_token: token, expires_in: 3_600, token_type: 'Bearer' });
    }
    if (!url.hostname.endsWith('.googleapis.com')) throw new Error(`${url.hostname} is not an API of Google`);
    return await fetch(server + url.pathname + url.search, init);
  };
  const google = createGoogleClient({
    credentialsFile,
    budget: { acquire: async () => undefined, pause: async () => undefined },
    fetch: fetchFromServer,
  });
  return { google, tokens: () => tokens, remove: () => rm(folder, { recursive: true, force: true }) };
}
