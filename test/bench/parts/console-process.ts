import { createHttpPlatform } from '../../../web/platform/http-platform.ts';
import { startConsole } from '../../support/start-console.ts';

/** The console before a builder, as a process of its own: `console-process.ts <builder> <access token>` says its address. */
const [builder = '', accessToken = ''] = process.argv.slice(2);

const { address } = await startConsole({
  depsAt: () => ({
    platformAs: createHttpPlatform({ urls: { builder } }),
    login: {
      begin: async () => ({
        url: 'http://idp.test/',
        attempt: { verifier: 'verifier', state: 'state', nonce: 'nonce' },
      }),
      finish: async () => ({ accessToken, refreshToken: 'refresh', expiresInSeconds: 3_600 }),
      refresh: () => Promise.reject(new Error('nothing is refreshed')),
      revoke: async () => undefined,
    },
  }),
});
process.send?.(address);
