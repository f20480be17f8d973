import { createKnownRedactor, createRedactor } from '../logs/redact.ts';
import { isSensitiveName } from '../logs/sensitive-names.ts';

/** Of an address, in which nothing but a credential stands before the host; `git` is everybody's name on a git host. */
const USER_OF_WEB = /https?:\/\/(?!git@)[^\s/?#<>@]{1,4096}@/i;

/** With a password, of any scheme; without one, `ssh://git@` says whose keys are asked for, and is in many lockfiles. */
const PASSWORD = /[a-z]:\/\/[^\s/?#:@<>]{0,256}:[^\s/?#<>]{1,4096}@/i;

const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;

const PARAMETER = /[?&]([\w.~-]{1,100})=[^\s&#"'<>]/g;

/** Parameters of signed addresses, as the stores of large clouds make them, and of keys; compared without separators. */
const SIGNED = /^(?:sig|sign|sas|hmac)$|signature$|key$/;

/** Ends a word: package managers write no name of a package and its version in one. A quote that is escaped is part of a word. */
const END_OF_WORD = /\s|(?<!\\)"/g;

/** Addresses within addresses are encoded twice. */
const MOST_ENCODED = 3;

const redactShapes = createRedactor({ secrets: [] });

/**
 * Whether a lockfile shows a secret to whoever may read the build: package managers write the addresses of packages into
 * it, with what they need to get them. True where the redaction of logs would change it, in its text or in what is left
 * of that without its escapes, and for an address with a credential or a signature in it. Linear in the text.
 * @param secrets what the install had and nobody may see; looked for as the redaction of logs does (spec 2, "Log redaction")
 */
export function showsSecret(text: string, secrets: readonly string[]): boolean {
  const redactKnown = createKnownRedactor(secrets);
  return formsOf(text).some((form) => redactKnown(form, false) !== form || looksSecret(form));
}

function looksSecret(text: string): boolean {
  // Word by word: in a whole line, `"cookie": "1.0.1"` is a name that redaction takes for that of a secret.
  const words = text.replace(END_OF_WORD, '\n');
  if (PRIVATE_KEY.test(text) || redactShapes(words) !== words) return true;
  if (USER_OF_WEB.test(words) || PASSWORD.test(words)) return true;
  return [...words.matchAll(PARAMETER)].some(([, name = '']) => isSensitiveName(name) || SIGNED.test(plain(name)));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The text, and what it says without the escapes of JSON and without percent-encoding. */
function formsOf(text: string): readonly string[] {
  const forms = new Set([text]);
  let form = unescaped(text);
  for (let times = 0; times <= MOST_ENCODED; times += 1) {
    forms.add(form);
    form = decoded(form);
  }
  return [...forms];
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => characterOf(hex)).replace(/\\(["'/\\])/g, '$1');
}

function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replace(/%(..)/g, (_, hex: string) => characterOf(hex));
    }
  });
}

function characterOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}
