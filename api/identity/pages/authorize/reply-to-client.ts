import { FairleadError } from '../../../../domain/errors.ts';
import type { Reply } from '../../../http/define-route.ts';
import { oauthErrorDescription, oauthErrorName } from '../../../http/oauth-errors.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { ReplyTarget } from './authorization-request.ts';

type Deps = Pick<IdentityDeps, 'settings'>;

/** Sends the code (RFC 6749, 4.1.2) with `iss`, so that a client of several providers knows whose it is (RFC 9207). */
export function replyWithCode(deps: Deps, target: ReplyTarget, code: string): Reply {
  return reply(deps, target, { code });
}

/** Sends an error (RFC 6749, 4.1.2.1). */
export function replyWithError(deps: Deps, target: ReplyTarget, error: FairleadError): Reply {
  return reply(deps, target, {
    error: oauthErrorName(error.code),
    error_description: oauthErrorDescription(error.message),
  });
}

function reply(deps: Deps, { redirectUri, state }: ReplyTarget, answer: Record<string, string>): Reply {
  const query = new URLSearchParams({
    ...answer,
    ...(state === null ? {} : { state }),
    iss: deps.settings.issuer,
  });
  // Written behind the URI as it is: the client's own query stays as it registered it.
  return redirectTo(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`);
}

/** Runs what may fail with an OAuth error and sends that to the client; whatever else is shown by us. */
export async function answering(deps: Deps, target: ReplyTarget, run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof FairleadError) || !error.code.startsWith('OAUTH_')) throw error;
    return replyWithError(deps, target, error);
  }
}
