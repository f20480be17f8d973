import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'undici';
import { forkAsOurs, type ProviderProcess, startFairlead, startOidcProvider } from './parts/idp-process.ts';
import { median } from './parts/median.ts';
import { processCpu } from './parts/process-cpu.ts';

/**
 * What a service's token costs the identity provider: CPU time of its process for one token over HTTP, as the token
 * endpoint serves it in production (log, limits, validation, client authentication), against one RS256 signature of jose
 * in the same run. Beside it the same for `oidc-provider`, how many tokens a second each of them gives, and what ours
 * saves of theirs: of all, and of what is not the signature, which both must make.
 */
export const needsStack = false;

const CONNECTIONS = 8;
const BATCH = 300;
const ROUNDS = 30;
const WARM_UP = 4_000;

const client = { clientId: 'shop-prod', secret: `flcs_${randomBytes(32).toString('base64url')}` };
const form = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: client.clientId,
  client_secret: client.secret,
}).toString();

const signer = forkAsOurs('./raw-signatures.ts');
await once(signer, 'message');
const providers = { ours: await startFairlead([client]), theirs: await startOidcProvider(client) };
try {
  await measure();
} finally {
  signer.disconnect();
  await Promise.all(Object.values(providers).map((provider) => provider.stop()));
}
process.exit();

async function measure(): Promise<void> {
  const cpu = { raw: [] as number[], ours: [] as number[], theirs: [] as number[] };
  const rate = { ours: [] as number[], theirs: [] as number[] };
  for (const name of ['ours', 'theirs'] as const) await mint(providers[name], WARM_UP);
  await sign(WARM_UP);
  // Small batches in turn: whatever else the machine does meets all three alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['ours', 'theirs'] as const) {
      const { micros, perSecond } = await mint(providers[name], BATCH);
      cpu[name].push(micros);
      rate[name].push(perSecond);
    }
    cpu.raw.push(await sign(BATCH));
  }
  const [raw, ours, theirs] = [median(cpu.raw), median(cpu.ours), median(cpu.theirs)];
  console.log(`database: ${providers.ours.database}`);
  console.log(`one signature of jose: ${raw.toFixed(0)} µs of CPU`);
  console.log(`fairlead: ${ours.toFixed(0)} µs a token, ${median(rate.ours).toFixed(0)} tokens/s`);
  console.log(`oidc-provider: ${theirs.toFixed(0)} µs a token, ${median(rate.theirs).toFixed(0)} tokens/s`);
  console.log(`token-mint-oidc-provider: ${(theirs / raw).toFixed(2)}`);
  console.log(`token-mint-saved: ${(1 - ours / theirs).toFixed(2)}`);
  console.log(`token-mint-saved-besides-signature: ${(1 - (ours - raw) / (theirs - raw)).toFixed(2)}`);
  console.log(`token-mint: ${(ours / raw).toFixed(2)}`);
}

/** CPU time in µs of one signature, over `count` of them. */
async function sign(count: number): Promise<number> {
  const answer = once(signer, 'message');
  signer.send(count);
  return Number((await answer)[0]);
}

/** CPU time in µs of the provider for one token, and tokens a second, over `count` of them on a few connections. */
async function mint(provider: ProviderProcess, count: number): Promise<{ micros: number; perSecond: number }> {
  const pool = new Pool(provider.url.origin, { connections: CONNECTIONS });
  let left = count;
  const ask = async (): Promise<void> => {
    while (left-- > 0) await mintOne(pool, provider.url.pathname);
  };
  const [before, startedAt] = [await processCpu(provider.pid), performance.now()];
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const seconds = (performance.now() - startedAt) / 1_000;
  const micros = ((await processCpu(provider.pid)) - before) / count;
  await pool.close();
  return { micros, perSecond: count / seconds };
}

async function mintOne(pool: Pool, path: string): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { statusCode, body } = await pool.request({ path, method: 'POST', headers, body: form });
  const text = await body.text();
  if (statusCode !== 200 || !text.includes('"access_token":"ey')) throw new Error(`${statusCode} ${text}`);
}
