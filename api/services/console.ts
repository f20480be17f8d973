import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { consoleSection } from '../../adapters/env/console.ts';
import { createCodeLogin } from '../../adapters/idp/code-login.ts';
import { defaultServiceUrl, SIGN_IN_CALLBACK, serviceRow } from '../../domain/services.ts';
import { createConsoleApp } from '../../web/console-app.ts';
import { WEB_MODULES } from '../../web/pages.ts';
import { createHttpPlatform } from '../../web/platform/http-platform.ts';
import { defineService } from '../service-definition.ts';

const now = () => new Date();

/** The console: pages for people. It is given no key of the platform, and keeps nothing. */
export const console = defineService({
  name: 'console',
  section: consoleSection,
  needs: [],
  // A page is one request, and each page that is open asks again when its stream ends.
  requestsPerMinute: 1_200,
  async compose({ env, settings: { urls }, publicUrl, app: { authenticate, protectedResource, ...app } }) {
    const builder = urls.builder ?? defaultServiceUrl({ defaultPort: env.PORT });
    const addresses = { ...urls, builder };
    const clientId = serviceRow('console').pagesClient;
    const redirectUri = publicUrl + SIGN_IN_CALLBACK;
    const login = urls.idp === undefined ? null : createCodeLogin({ issuer: urls.idp, clientId, redirectUri });
    const cipher = createSecretCipher(env.CONSOLE_ENCRYPTION_KEY, 'CONSOLE_ENCRYPTION_KEY');
    const platformAs = createHttpPlatform({ urls: addresses });
    const deps = { modules: WEB_MODULES, login, cipher, platformAs, addresses, publicUrl, now };
    return { app: createConsoleApp(deps, app) };
  },
});
