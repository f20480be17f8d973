import * as oidc from 'openid-client';
import { printable } from '../terminal/style.ts';
import type { LoginIo } from './browser-login.ts';
import type { StoredLogin } from './credentials-file.ts';
import { loginFailure, loginOf } from './obtained-tokens.ts';
import { LOGIN_SCOPE } from './provider.ts';

/** Logs in by a browser on any other device, where a short code is typed (RFC 8628). @throws CliFailure */
export async function loginByDevice(config: oidc.Configuration, io: LoginIo): Promise<StoredLogin> {
  try {
    const device = await oidc.initiateDeviceAuthorization(config, { scope: LOGIN_SCOPE });
    const minutes = Math.floor(device.expires_in / 60);
    io.tell(
      `On any device, open\n\n  ${printable(device.verification_uri)}\n\nand enter the code\n\n` +
        `  ${printable(device.user_code)}\n\n` +
        `Check that the page shows this code. It expires in ${minutes} minutes. Waiting… (Ctrl-C cancels)`,
    );
    const reply = await oidc.pollDeviceAuthorizationGrant(config, device, undefined, { signal: io.signal });
    return loginOf(config, reply, io.now());
  } catch (error) {
    io.signal.throwIfAborted();
    throw loginFailure(error);
  }
}
