import { ID_PREFIXES } from '../ids.ts';
import { isSensitiveName } from './sensitive-names.ts';

/** What a secret is replaced with (spec 2, "Log redaction"). */
export const REDACTED = '[REDACTED]';

const SHORTEST_SECRET = 4;

/**
 * Replacements by shape. Each pattern is linear: bounded repeats, or classes that cannot match what follows them, and
 * no start inside a run that an earlier start has already walked.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // scheme://user:pass@host and scheme://token@host; the password runs to the last @ before the path.
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@"'<>]{0,256}:)[^\s/?#"'<>]{1,4096}@/gi, `$1${REDACTED}@`],
  [/(?<![a-z0-9+.-])(https?:\/\/)[^\s/?#:@"'<>]{8,512}@/gi, `$1${REDACTED}@`],
  // Header lines: everything to the end of the line or of the quoted argument.
  [
    /(?<![\w-])((?:proxy-)?authorization|set-cookie|cookie|x-internal-key|x-api-key)(["']?[ \t]{0,8}:[ \t]{0,8})(?![ \t"'[])[^\r\n"']+/gi,
    `$1$2${REDACTED}`,
  ],
  [/(?<![\w-])(bearer|basic)([ \t]{1,8})[\w.~+/=-]{8,}/gi, `$1$2${REDACTED}`],
  [/(?<!\w)(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abprs]-|sk-|dckr_pat_|hf_)[\w-]{16,}/g, REDACTED],
  // Our own: secrets of clients and sessions, codes, links, and refresh tokens, whose id may stay to be found by.
  [/(?<!\w)fl(?:cs|ac|dc|ot|ss)_[\w-]{16,}/g, REDACTED],
  [/(?<!\w)(grt_[0-9a-z]{20})\.\d{1,9}\.[\w-]{43}/g, `$1.${REDACTED}`],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g, REDACTED],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{2,}(?:\.[\w-]*)?/g, REDACTED],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, REDACTED],
];

/**
 * Text in which nothing but a given value can be secret, such as a word or a path: all other patterns need a blank or a
 * sign that it has none of, or begin as the two do that it must not hold. Most of what is logged is of this kind.
 */
const PLAIN = /^(?=[A-Za-z0-9/.]*$)(?!.*(?:A[KS]IA|eyJ))/;

/** One of our own identifiers, which are no secrets: every line about a request holds some. */
const OWN_ID = new RegExp(`^(?:${Object.values(ID_PREFIXES).join('|')})_[0-9a-z]{20}$`);

/** A name, then `=` or `:` (with or without quotes), then a value: quoted, or up to the next blank or delimiter. */
const ASSIGNMENT =
  /(?<![\w.-])(["']?)([A-Za-z_][\w.-]{1,100})\1([ \t]{0,8}[=:][ \t]{0,8})("(?:[^"\\\r\n]|\\.)*"?|'[^'\r\n]*'?|[^\s"',;&)}\]]+)/g;

/** The same inside text that is JSON within JSON: `\"password\":\"…\"`. */
const ESCAPED_ASSIGNMENT = /(\\")([A-Za-z_][\w.-]{1,100})(\\"[ \t]{0,8}:[ \t]{0,8}\\")([^"\\\r\n]+)/g;

/**
 * Makes a function that takes secrets out of a line of text (spec 2, "Log redaction"): the given values in the forms
 * they are written in (plain, base64, URL-encoded, JSON-escaped), and whatever looks like a credential. Works in time
 * linear in the line, never throws, and redacting twice changes nothing. Values under 4 characters are not looked for.
 */
export function createRedactor({ secrets }: { readonly secrets: readonly string[] }): (line: string) => string {
  const known = knownForms(secrets);
  return (line) => {
    let text = known === null ? line : line.replace(known, REDACTED);
    if (PLAIN.test(text) || OWN_ID.test(text)) return text;
    for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
    text = text.replace(ESCAPED_ASSIGNMENT, (whole, open: string, name: string, middle: string) =>
      isSensitiveName(name) ? `${open}${name}${middle}${REDACTED}` : whole,
    );
    return text.replace(ASSIGNMENT, (whole, quote: string, name: string, operator: string, value: string) =>
      isSensitiveName(name) ? `${quote}${name}${quote}${operator}${maskValue(value)}` : whole,
    );
  };
}

/** Keeps the quotes and what is no secret anyway: an earlier redaction, or an empty value. */
function maskValue(value: string): string {
  const quote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : '';
  const inner = value.slice(quote.length, quote !== '' && value.endsWith(quote) ? -1 : undefined);
  if (inner === '' || value.startsWith('[REDACTED')) return value;
  return `${quote}${REDACTED}${quote}`;
}

function knownForms(secrets: readonly string[]): RegExp | null {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const form of [secret, ...secret.split(/\r?\n/)]) {
      if (form.trim().length >= SHORTEST_SECRET) for (const written of writtenForms(form)) forms.add(written);
    }
  }
  if (forms.size === 0) return null;
  // Longest first, so that a secret that contains another one is replaced whole.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

function writtenForms(secret: string): string[] {
  const wellFormed = secret.toWellFormed();
  const bytes = new TextEncoder().encode(wellFormed);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');
  const encoded = encodeURIComponent(wellFormed);
  const forms = [
    secret,
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
  ];
  return forms.filter((form) => form.length >= SHORTEST_SECRET);
}
