import { FairleadError } from '../../domain/errors.ts';
import type { GitAccounts } from '../../domain/git-identities/ports.ts';
import { createHostCall, type HostCallOptions, readAnswer } from './host-call.ts';
import { PROVIDER_APIS } from './provider-apis.ts';

/** Which account a token opens, by the same APIs as {@link createGitHost}. */
export function createGitAccounts(options: HostCallOptions): GitAccounts {
  const call = createHostCall(options);
  return {
    async accountOf({ provider, hostAddress, token }, signal) {
      const api = PROVIDER_APIS[provider];
      const access = { api, base: api.base(new URL(hostAddress)), token };
      const answer = await call(access, { method: 'GET', path: '/user', signal });
      if (answer.ok) return readAnswer(access, api.account, answer.body);
      throw new FairleadError('NOT_FOUND', `There is no API of ${api.title} at ${new URL(hostAddress).host}`);
    },
  };
}
