import { FairleadError } from '../../../../domain/errors.ts';
import type { DeviceAuthorization } from '../../../../domain/identity/login.ts';
import { issueTokens } from '../../tokens/issue-tokens.ts';
import { type GrantHandler, invalidGrant, requireParameter } from '../token-request.ts';

/**
 * A poll of a device that waits for its person (RFC 8628, 3.4 and 3.5). The code is taken once; a second poll after that
 * finds nothing, which does not end the login: a device whose reply was lost polls again without meaning harm.
 */
export const deviceCode: GrantHandler = async (deps, { client, issuedAt, parameters, context }) => {
  const hash = deps.tokens.hash(requireParameter(parameters.device_code, 'device_code'));
  const known = await deps.devices.findByDeviceCodeHash(hash);
  // Before the poll is counted: another client must not be able to slow this one down.
  if (known === null || known.clientId !== client.clientId) throw deviceInvalid();
  const now = deps.now();
  const device = await deps.devices.poll(hash, now);
  if (device === null) throw deviceInvalid();
  const approval = requireApproval(device, now);
  const session = await deps.sessions.find(approval.sessionId);
  if (session !== null && session.revokedAt !== null) throw deviceInvalid();
  const grantId = deps.newId('grant');
  if (!(await deps.devices.redeem(hash, grantId, deps.now()))) throw deviceInvalid();
  return issueTokens(deps, {
    user: { id: approval.userId, passwordVersion: null },
    client,
    issuedAt,
    origin: 'oauth',
    sessionId: approval.sessionId,
    scopes: device.scopes.filter((scope) => client.allowedScopes.includes(scope)),
    audience: device.audience,
    methods: approval.methods,
    authenticatedAt: approval.authenticatedAt,
    address: context.address,
    userAgent: context.userAgent,
    grantId,
    requestId: context.requestId,
  });
};

/** @param device as it was before this poll. @throws what the device is to do instead (RFC 8628, 3.5) */
function requireApproval(device: DeviceAuthorization, now: Date): NonNullable<DeviceAuthorization['approval']> {
  if (device.status === 'redeemed') throw deviceInvalid();
  if (device.expiresAt <= now) throw new FairleadError('OAUTH_EXPIRED_TOKEN', 'The code has expired; begin again');
  if (device.status === 'denied') throw new FairleadError('OAUTH_ACCESS_DENIED', 'The person declined');
  if (device.status === 'approved' && device.approval !== null) return device.approval;
  if (cameTooEarly(device, now)) {
    throw new FairleadError('OAUTH_SLOW_DOWN', 'Wait 5 seconds longer between polls from now on');
  }
  throw new FairleadError('OAUTH_AUTHORIZATION_PENDING', 'The person has not decided yet');
}

function cameTooEarly(device: DeviceAuthorization, now: Date): boolean {
  const { lastPolledAt, intervalSeconds } = device;
  return lastPolledAt !== null && now.getTime() - lastPolledAt.getTime() < intervalSeconds * 1000;
}

function deviceInvalid() {
  return invalidGrant('The device code was already used, or never existed');
}
