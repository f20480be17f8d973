import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { createCredentialsFile, type StoredLogin } from '../../../cli/login/credentials-file.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { type Browser, createBrowser } from '../../api/identity/pages/browse.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type CliResult, type RunningCli, startCli } from '../run-cli.ts';

export const EMAIL = 'ann@acme.example';
export const PASSWORD = 'correct horse battery';

/** The command line as a process, against the real provider and the real builder; the test is the person at the browser. */
export function useLogins(options: { readonly database?: 'server' } = {}) {
  let idp: TestIdp;
  let verifier: TokenVerifier;
  let api: TestApi;
  let home: string;
  let browser: Browser;
  before(async () => {
    idp = await startIdp(options);
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: IDP_KEY } });
    api = await startApi({ verifier, issuer: idp.issuer });
    await idp.seedOrg('acme');
    await idp.seedUser(EMAIL, { password: PASSWORD, org: 'acme', orgRoles: ['member'] });
  });
  after(async () => {
    verifier.close();
    await api.stop();
    await idp.stop();
  });
  const running: RunningCli[] = [];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'fairlead-login-'));
    browser = createBrowser(idp);
    addOpener('printf %s "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"');
  });
  afterEach(async () => {
    for (const { child, done } of running.splice(0)) {
      child.kill('SIGKILL');
      await done;
    }
    rmSync(home, { recursive: true, force: true });
  });

  const opened = () => join(home, 'opened');
  /** What `xdg-open` does on this desktop. */
  function addOpener(script: string): void {
    mkdirSync(join(home, 'bin'), { recursive: true });
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(home, 'bin', name), 0o755);
    }
  }
  function start(args: string[], env: Record<string, string> = {}): RunningCli {
    const cli = startCli({ url: api.address }, args, {
      env: {
        FAIRLEAD_KEY: '',
        XDG_CONFIG_HOME: join(home, 'config'),
        PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
        DISPLAY: ':0',
        OPENED: opened(),
        ...env,
      },
    });
    running.push(cli);
    return cli;
  }
  const run = (...args: string[]): Promise<CliResult> => start(args).done;
  const file = () => createCredentialsFile(join(home, 'config', 'fairlead', 'credentials.json'));
  const stored = (): StoredLogin => {
    const login = file().find(api.address);
    assert.ok(login !== null, 'there is a login');
    return login;
  };

  /** Logs in and agrees, as a person would. @returns the address the browser is sent back to */
  async function agree(url: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
    const { pathname, search } = new URL(url);
    const login = await browser.open(pathname + search);
    let page = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
    if (page.location === null) page = await browser.submit(page, '/oauth/authorize/decision', { decision });
    assert.ok(page.location !== null, page.html);
    return page.location;
  }
  async function urlOpened(): Promise<string> {
    await waitUntil('the browser to be opened', () => existsSync(opened()));
    return readFileSync(opened(), 'utf8');
  }
  async function logIn(): Promise<CliResult> {
    const cli = start(['login']);
    await fetch(await agree(await urlOpened()));
    return cli.done;
  }

  return {
    get idp(): TestIdp {
      return idp;
    },
    get verifier(): TokenVerifier {
      return verifier;
    },
    get api(): TestApi {
      return api;
    },
    get browser(): Browser {
      return browser;
    },
    ...{ addOpener, start, run, file, stored, agree, urlOpened, logIn },
  };
}
