import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEY } from '../../support/start-api.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { useLogins } from './use-logins.ts';

describe('a login that the command line keeps', () => {
  const cli = useLogins({ database: 'server' });
  const { start, run, file, stored, logIn } = cli;

  it('shows no token anywhere: not on a stream, not in --json, not in an error', async () => {
    const printed = [
      await logIn(),
      await run('whoami'),
      await run('whoami', '--json'),
      await run('services', '--json'),
    ];
    const login = stored();
    printed.push(await run('logout', '--json'));
    for (const { code, stdout, stderr } of printed) {
      assert.equal(code, 0, stderr);
      assert.ok(stdout.length + stderr.length > 0, 'something was printed');
    }
    // The provider and the builder refuse what they get, and the error is printed in both forms.
    await file().save(cli.api.address, login);
    // Services know of a revocation within a second.
    await waitUntil('the builder refuses the token', async () => (await run('services')).code !== 0);
    for (const args of [['services'], ['services', '--json']]) {
      const failed = await run(...args);
      assert.equal(failed.code, 4, failed.stderr);
      printed.push(failed);
    }
    const secrets = [login.accessToken, login.refreshToken ?? '', login.accessToken.split('.')[2] ?? ''];
    for (const secret of secrets) {
      assert.ok(secret.length > 20);
      for (const { stdout, stderr } of printed) assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
  });

  it('is renewed once when several commands find its token used up, and all of them succeed', async () => {
    await logIn();
    const login = stored();
    await file().save(cli.api.address, { ...login, expiresAt: new Date(Date.now() - 1_000).toISOString() });
    const grantId = String(login.refreshToken).split('.')[0] ?? '';
    const results = await Promise.all(Array.from({ length: 4 }, () => run('services')));
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 0, 0],
      results.map(({ stderr }) => stderr).join(),
    );
    assert.notEqual(stored().refreshToken, login.refreshToken);
    assert.equal((await cli.idp.deps.grants.find(grantId))?.generation, 1, 'one refresh');
  });

  for (const command of ['services', 'whoami']) {
    it(`gets another token when its token is revoked early: ${command}`, async () => {
      await logIn();
      const { accessToken, identityId } = stored();
      // Of the second in which rights were taken away no token is good.
      const issuedUntil = new Date(Math.floor(Date.now() / 1000) * 1000);
      const expiresAt = new Date(Date.now() + 3_600_000);
      await waitUntil('that second to be over', () => Date.now() >= issuedUntil.getTime() + 1_000);
      await cli.idp.deps.revocations.add({
        kind: 'user',
        value: identityId,
        issuedUntil,
        revokedAt: new Date(),
        expiresAt,
      });
      const refused = () =>
        cli.verifier.verify(accessToken).then(
          () => false,
          () => true,
        );
      await waitUntil('the token to be refused', refused);
      const { code, stderr } = await run(command);
      assert.equal(code, 0, stderr);
      assert.notEqual(stored().accessToken, accessToken);
    });
  }

  it('that was ended elsewhere is one clear line', async () => {
    await logIn();
    const login = stored();
    await cli.idp.deps.grants.revoke(String(login.refreshToken).split('.')[0] ?? '', new Date());
    await file().save(cli.api.address, { ...login, expiresAt: new Date(Date.now() - 1_000).toISOString() });
    for (const command of ['services', 'whoami']) {
      const { code, stderr } = await run(command);
      assert.equal(code, 4);
      assert.match(
        stderr,
        /^error LOGIN_ENDED Your login at \S+ has expired or was ended\.\nRun `node [\w./]+fairlead\.mjs login`\.\n$/,
      );
    }
  });

  it('gives way to FAIRLEAD_KEY, and whoami says so', async () => {
    await logIn();
    const env = { FAIRLEAD_KEY: KEY };
    const { stdout } = await start(['whoami'], env).done;
    assert.match(stdout, /The platform itself, by FAIRLEAD_KEY/);
  });

  it('logout without a login is no error, and logout while the provider is down removes the stored login', async () => {
    assert.equal((await run('logout')).code, 0);
    await logIn();
    await file().save(cli.api.address, { ...stored(), issuer: 'http://127.0.0.1:9' });
    const { code, stderr } = await run('logout');
    assert.deepEqual([code, /did not answer/.test(stderr)], [0, true]);
    assert.equal(file().find(cli.api.address), null);
  });
});
