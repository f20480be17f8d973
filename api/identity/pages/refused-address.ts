import { FairleadError } from '../../../domain/errors.ts';
import { SERVICE_CALLBACK_PATH } from '../../../domain/oauth-clients/redirect-uri.ts';

/** As much of an address as shows which one it is. */
const MOST_CHARACTERS = 200;

/** Blanks, control characters, marks of direction, letters that look like others; and what ends the quotes or begins a code point. */
const NOT_SHOWN_AS_IT_IS = /[^\x21-\x7e]|["\\]/;

/** Which address a client asked for: of a login, or of a log-out. */
export type AddressKind = 'callback' | 'after sign-out';

/**
 * The refusal of an address that is not registered for a client, for a page of our own (RFC 6749, 4.1.2.1; OpenID Connect
 * RP-Initiated Logout, 3). It names the address, so that a developer sees how it differs from the registered one. Whoever wrote
 * the link chose it: it stays text, short, and of characters that can be told apart.
 */
export function refusedAddress(uri: string | null, kind: AddressKind): FairleadError {
  const what =
    uri === null
      ? 'The application named no address to send you to (redirect_uri)'
      : `The application asked to send you to "${visibleAddress(uri)}", which is not registered for it`;
  return new FairleadError('INVALID_REDIRECT_URI', `${what}. ${ADVICE[kind]}`);
}

const ADVICE: Readonly<Record<AddressKind, string>> = {
  callback: `Its developers can register the address with \`fairlead oauth add-uri\`; that of a service is https://<service>.<domain>${SERVICE_CALLBACK_PATH}`,
  'after sign-out': 'Its developers can register the address among the postLogoutRedirectUris of the client',
};

/** An address in printable ASCII alone, each other character as its code point, such as `\u{202e}`; cut where it is long. */
export function visibleAddress(uri: string): string {
  const characters = [...uri];
  const shown = characters.slice(0, MOST_CHARACTERS).map(visible).join('');
  return characters.length > MOST_CHARACTERS ? `${shown}…` : shown;
}

function visible(character: string): string {
  if (!NOT_SHOWN_AS_IT_IS.test(character)) return character;
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
