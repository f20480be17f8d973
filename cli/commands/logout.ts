import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { endLogin } from '../login/end-login.ts';

/** `fairlead logout`: ends the login at the identity provider and forgets it here. */
export async function logout({ output, connection, credentials }: CliContext): Promise<number> {
  const { api } = connection;
  const login = credentials.find(api);
  if (login === null) {
    output.document({ api, loggedOut: false });
    output.print(`You are not logged in at ${api}.`);
    return exitCode('ok');
  }
  // First there, then here: what cannot be ended there is forgotten all the same.
  const ended = await endLogin(login);
  await credentials.remove(api);
  output.document({ api, loggedOut: true, endedAtProvider: ended });
  output.print(`Logged out of ${api}`);
  if (!ended) {
    output.note(
      `${login.issuer} did not answer: the login was deleted here and is still active there. End it on its account page.`,
    );
  }
  return exitCode('ok');
}
