import { FairleadError } from '../../../../domain/errors.ts';
import type { DeviceAuthorization } from '../../../../domain/identity/login.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';

/** Codes one person may try within the window; eight letters out of twenty leave nothing to guess with so few. */
const MAX_TRIES = 20;
const WINDOW_SECONDS = 900;

/** @throws VALIDATION_FAILED for a code that is not waiting; LOGIN_LOCKED for one try too many */
export async function findDevice(
  deps: IdentityDeps,
  { user }: LoggedIn,
  code: string,
): Promise<{ device: DeviceAuthorization; client: ClientRecord }> {
  const key = `device-code:${user.id}`;
  if ((await deps.attempts.count(key, WINDOW_SECONDS, deps.now())) > MAX_TRIES) {
    throw new FairleadError('LOGIN_LOCKED', 'Too many codes; wait a quarter of an hour');
  }
  const userCode = code.toUpperCase().replace(/[^A-Z]/g, '');
  const device = await deps.devices.findByUserCode(userCode, deps.now());
  const client = device?.status === 'pending' ? await deps.clients.find(device.clientId) : null;
  if (device === null || client === null) throw unknownDevice();
  await deps.attempts.forgive(key, deps.now());
  return { device, client };
}

export function unknownDevice(): FairleadError {
  return new FairleadError('VALIDATION_FAILED', 'No device waits with this code: it is mistyped, used, or too old');
}
