import type { RouteContext } from '../../../api/http/define-route.ts';
import type { TestIdp } from '../../support/start-idp.ts';

/** The request of somebody unknown, for functions that pages call. */
export function visit({ deps }: Pick<TestIdp, 'deps'>): RouteContext {
  const never = new AbortController().signal;
  return {
    caller: null,
    authenticateAgain: async () => null,
    requestId: 'req_test',
    log: deps.log,
    headers: {},
    cookies: {},
    address: '127.0.0.1',
    url: '/',
    origin: null,
    userAgent: 'test',
    allowOrigin: () => {},
    gone: never,
    stopping: never,
    stream: (async function* () {})(),
  };
}
