import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';
import { packSdk, SDK_NAME } from '../../infra/dev/sdk-package.ts';
import { runProgram } from '../../infra/dev/tools/run-program.ts';
import { startIdp, type TestIdp } from '../support/start-idp.ts';

/** A service in another repository, in plain JavaScript: it fetches a token of its own and reads it back. */
const SERVICE = `
import { createServiceTokens, createTokenVerifier, hasScope } from '${SDK_NAME}';

const { IDP_URL: idpUrl, IDP_CLIENT_ID: clientId, IDP_CLIENT_SECRET: clientSecret } = process.env;
const tokens = createServiceTokens({ idpUrl, clientId, clientSecret });
const verifier = createTokenVerifier({ idpUrl, audience: clientId, revocations: { clientId, clientSecret } });
const authorization = \`Bearer \${await tokens.token()}\`;
const { user } = await verifier.authenticate({ headers: { authorization } });
const refused = await verifier.authenticate({ headers: { authorization: authorization + 'x' } }).catch((error) => error.code);
console.log(JSON.stringify([user.clientId, user.orgSlug, hasScope(user, 'orders:read'), refused]));
verifier.close();
`;

/** The same in TypeScript, with what a strict compiler would find. */
const TYPED = `
import { createAuditClient, createTokenVerifier, type FairleadUser, userOf } from '${SDK_NAME}';

const verifier = createTokenVerifier({ idpUrl: 'http://localhost:3001', audience: 'shop-prod', revocations: 'off' });
export const who = async (request: Request): Promise<FairleadUser> => (await verifier.authenticate(request)).user;
export const audit = createAuditClient({ auditUrl: 'http://localhost:3005', idpUrl: 'x', clientId: 'y', clientSecret: 'z' });
// @ts-expect-error: an event has a type
void audit.emit({ entityId: '1' });
export { userOf };
`;

let folder: string;
let installed: string;
let idp: TestIdp;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-sdk-user-'));
  // A relative folder, as a person names it.
  const file = await packSdk(relative(process.cwd(), folder));
  installed = join(folder, 'node_modules', SDK_NAME);
  await mkdir(installed, { recursive: true });
  await runProgram('tar', ['-xzf', file, '-C', installed, '--strip-components=1']);
  idp = await startIdp();
});
after(async () => {
  await idp.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the packed SDK', () => {
  it('holds plain JavaScript, its types and nothing else of the project, and depends on what it imports', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const parts = new Set((await readdir(installed)).filter((name) => !name.includes('.')));
    assert.deepEqual(parts, new Set(['LICENSE', 'domain', 'sdk']));
    assert.ok(Object.keys(manifest.dependencies).includes('jose'));
    // Linked one by one, so that a package which the manifest leaves out is not found.
    for (const name of Object.keys(manifest.dependencies)) await linkPackage(name);
  });

  it('runs in a service of another repository', async () => {
    await idp.seedOrg('acme');
    const { secret } = await idp.seedClient('shop-prod', {
      orgSlug: 'acme',
      allowedScopes: ['orders:read'],
      allowedGrantTypes: ['client_credentials'],
    });
    await writeFile(join(folder, 'service.mjs'), SERVICE);
    const env = { IDP_URL: idp.issuer, IDP_CLIENT_ID: 'shop-prod', IDP_CLIENT_SECRET: secret };
    const output = await runProgram(process.execPath, ['service.mjs'], { cwd: folder, env, timeoutMs: 20_000 });
    assert.deepEqual(JSON.parse(output), ['shop-prod', 'acme', true, 'UNAUTHORIZED']);
  });

  it('has types that a strict compiler takes', async () => {
    await linkPackage('@types/node');
    await linkPackage('undici-types');
    await writeFile(join(folder, 'typed.ts'), TYPED);
    const args = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node', 'typed.ts'];
    const tsc = join(projectRoot, 'node_modules', '.bin', 'tsc');
    await runProgram(tsc, args, { cwd: folder, timeoutMs: 60_000, keepOutput: true });
  });
});

async function linkPackage(name: string): Promise<void> {
  const link = join(folder, 'node_modules', name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(projectRoot, 'node_modules', name), link);
}
