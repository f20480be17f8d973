import type { IncomingMessage, ServerResponse } from 'node:http';
import { importJWK, jwtVerify } from 'jose';
import { createTokenVerifier } from '../../sdk/index.ts';
import { AUDIENCE, startProvider } from '../sdk/auth/test-provider.ts';
import { median } from './parts/median.ts';

/**
 * What the middleware of a service adds to a bare signature check: CPU time of one request through it, with the
 * denylist followed and a thousand entries in it, against one `jwtVerify` of jose with the same rules, in the same run.
 * The figure is of tokens seen for the first time; the one of tokens seen before is printed beside it.
 */
export const needsStack = false;

/** More than the cache holds, so that going round them again meets none of them in it. */
const TOKENS = 4_096;
const BATCH = 128;
const ROUNDS = 5;

const provider = await startProvider();
for (let index = 0; index < 1_000; index++) provider.revoke('token', `tok_revoked_${index}`);
interface Presented {
  readonly token: string;
  readonly headers: IncomingMessage['headers'];
}

const presented: Presented[] = [];
for (let index = 0; index < TOKENS; index++) {
  const token = await provider.sign();
  presented.push({ token, headers: { authorization: `Bearer ${token}` } });
}
const jwk = provider.keys.get('key_1')?.publicJwk;
if (jwk === undefined) throw new Error('the provider has no key');
const key = await importJWK(jwk, 'RS256');
const rules = { algorithms: ['RS256'], typ: 'at+jwt', issuer: provider.url, audience: AUDIENCE, clockTolerance: 5 };

const verifier = createTokenVerifier({
  idpUrl: provider.url,
  audience: AUDIENCE,
  revocations: { internalKey: 'bench' },
});
const middleware = verifier.middleware();
const response = { writeHead: fail, end: fail } as unknown as ServerResponse;
const bare = ({ token }: Presented) => jwtVerify(token, key, rules);
const pass = ({ headers }: Presented) =>
  new Promise<void>((resolve, reject) => {
    middleware({ headers } as IncomingMessage, response, (error) => (error === undefined ? resolve() : reject(error)));
  });

// Small batches in turn: whatever else the machine does meets all three alike.
const figures = { raw: [] as number[], first: [] as number[], again: [] as number[] };
for (let round = -1; round < ROUNDS; round += 1) {
  for (let start = 0; start < TOKENS; start += BATCH) {
    const batch = presented.slice(start, start + BATCH);
    const [raw, first, again] = [await cpu(bare, batch), await cpu(pass, batch), await cpu(pass, batch)];
    if (round < 0) continue; // warm-up
    figures.raw.push(raw);
    figures.first.push(first);
    figures.again.push(again);
  }
}
verifier.close();
await provider.stop();

const [raw, first, again] = [median(figures.raw), median(figures.first), median(figures.again)];
console.log('database: none');
console.log(`jose alone: ${raw.toFixed(1)} µs of CPU a token`);
console.log(`middleware, token seen for the first time: ${first.toFixed(1)} µs`);
console.log(`middleware, token seen before: ${again.toFixed(1)} µs`);
console.log(`token-verify-cached: ${(again / raw).toFixed(2)}`);
console.log(`token-verify: ${(first / raw).toFixed(2)}`);

/** CPU time of the process in µs, its crypto threads included, per token. */
async function cpu(verify: (one: Presented) => Promise<unknown>, batch: readonly Presented[]): Promise<number> {
  const before = process.cpuUsage();
  for (const one of batch) await verify(one);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batch.length;
}

function fail(): never {
  throw new Error('a good token was refused');
}
