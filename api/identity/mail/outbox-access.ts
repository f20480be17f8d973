import type { RouteContext } from '../../http/define-route.ts';
import type { IdentitySettings } from '../deps.ts';

/**
 * Who may read captured mail. Its links sign in as anybody, so it is as powerful as every account together: a super
 * admin in their own browser's session may, and no token or key. On an installation that says `openOutbox`, such as the
 * embedded stack on a developer's machine, whoever sits at that machine may as well, since nobody could sign in first.
 */
export function mayReadOutbox(
  settings: Pick<IdentitySettings, 'issuer' | 'openOutbox'>,
  context: Pick<RouteContext, 'caller' | 'address' | 'headers'>,
): boolean {
  const { caller } = context;
  if (caller?.kind === 'platform-admin' && caller.via === 'session') return true;
  return settings.openOutbox === true && isLoopback(context.address) && asksThisMachine(settings, context.headers);
}

/**
 * A request that a proxy passes on comes from the loopback interface, too, and so does one of a web page whose name was
 * made to resolve to it (DNS rebinding): neither was addressed to this machine by its own name.
 */
function asksThisMachine(settings: Pick<IdentitySettings, 'issuer'>, headers: RouteContext['headers']): boolean {
  if (['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'].some((name) => headers[name] !== undefined))
    return false;
  const { host, port } = new URL(settings.issuer);
  const suffix = port === '' ? '' : `:${port}`;
  const names = ['localhost', '127.0.0.1', '[::1]'].map((name) => name + suffix);
  return names.includes(host) && names.includes(headers.host ?? '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(address);
}
