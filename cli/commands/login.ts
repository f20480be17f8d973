import type { Configuration } from 'openid-client';
import { tokenClaims } from '../acting-org.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { interruptible } from '../interrupt.ts';
import { type LoginIo, loginByBrowser } from '../login/browser-login.ts';
import type { StoredLogin } from '../login/credentials-file.ts';
import { loginByDevice } from '../login/device-login.ts';
import { endLogin } from '../login/end-login.ts';
import { findProvider } from '../login/provider.ts';
import { hasBrowser } from '../open-browser.ts';

const LIMIT_MINUTES = 15;

/**
 * `fairlead login`: logs a person in at the API's identity provider, by the browser of this machine, or with a code to
 * type on any device where there is none. Later commands act as that person.
 */
export async function login(context: CliContext, options: { device?: boolean }): Promise<number> {
  const { output, connection, credentials, now } = context;
  const { api } = connection;
  const before = credentials.find(api);
  const config = await findProvider(api);
  for (const address of [api, config.serverMetadata().issuer]) {
    if (travelsInClear(address))
      output.note(`${address} is not encrypted: others on the network can steal your login.`);
  }
  const cancelled = { message: 'Login cancelled: nothing was changed.', remedy: 'Log in: `fairlead login`' };
  const after = await interruptible(cancelled, (interrupted) => {
    // People must see where to go even when the result is for a program, so this goes to stderr in every case.
    const tell = (text: string): void => void context.terminal.stderr.write(`${text}\n`);
    const signal = AbortSignal.any([interrupted, timeLimit()]);
    const byDevice = options.device === true || !hasBrowser(context.desktop);
    return obtain(config, byDevice, { tell, now, signal });
  });
  await credentials.save(api, { ...after, installation: connection.installation });
  if (before !== null) await endLogin(before);
  const { email, identityId, issuer } = after;
  const { orgSlug = null } = tokenClaims(after);
  output.document({ api, issuer, identityId, email, orgSlug });
  if (output.quiet) output.print(email ?? identityId);
  else {
    const org = orgSlug === null ? 'in no org' : `org ${orgSlug}`;
    output.print(`Logged in at ${api} as ${output.paint('bold', email ?? identityId)} (${org})`);
  }
  if (connection.credential?.kind === 'key' && connection.credential.source === 'environment') {
    output.note('FAIRLEAD_KEY is set and overrides this login: unset it to act as yourself.');
  }
  return exitCode('ok');
}

/** True for plain http to another machine. */
function travelsInClear(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

async function obtain(config: Configuration, byDevice: boolean, io: LoginIo): Promise<StoredLogin> {
  const login = byDevice ? null : await loginByBrowser(config, io);
  return login ?? loginByDevice(config, io);
}

function timeLimit(): AbortSignal {
  const controller = new AbortController();
  const failure = new CliFailure('LOGIN_TIMEOUT', `Nobody logged in within ${LIMIT_MINUTES} minutes.`, {
    exit: 'auth',
    remedy: 'Try again: `fairlead login`',
  });
  setTimeout(() => controller.abort(failure), LIMIT_MINUTES * 60_000).unref();
  return controller.signal;
}
