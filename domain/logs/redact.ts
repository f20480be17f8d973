/**
 * The module `logs`: lines of build logs, of what services and the platform's programs print, their limits, and what is
 * taken out of them before they are kept.
 *
 * Keying: a line of a build log is numbered within its build. Lines that a repeated step writes again carry a key and are
 * kept once. A line of a service is known by its workload, stream and time (`output-line.ts`).
 * Retries: none here; an append is repeated by who writes.
 * Compensation: none. A build log is append-only and ends at its limits with a notice that says so; the log of a service
 * or of a program of the platform is append-only and rotated.
 */

import { ID_PREFIXES } from '../ids.ts';
import { CUT_MARK } from './cut-line.ts';
import { createFinder } from './find-secrets.ts';
import { isSensitiveName } from './sensitive-names.ts';

/** What a secret is replaced with (spec 2, "Log redaction"). */
export const REDACTED = '[REDACTED]';

const SHORTEST_SECRET = 4;

/** Of the last word of a cut line, which may be the beginning of a credential by its shape: none needs to see more. */
const MAX_LAST_WORD = 8_192;

/** Beginnings of values that one pattern looks for; it stays a small one. */
const MAX_PREFIXES = 250;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** scheme://user:pass@host and scheme://token@host; the password runs to the last @ before the path. */
const ADDRESSES: readonly (readonly [RegExp, string])[] = [
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@"'<>]{0,256}:)[^\s/?#"'<>]{1,4096}@/gi, `$1${REDACTED}@`],
  [/(?<![a-z0-9+.-])(https?:\/\/)[^\s/?#:@"'<>]{8,512}@/gi, `$1${REDACTED}@`],
];

/**
 * Replacements by shape. Each pattern is linear: bounded repeats, or classes that cannot match what follows them, and
 * no start inside a run that an earlier start has already walked.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
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
 *
 * A line that ends with {@link CUT_MARK} may end within a secret: the beginning of a given value at its end is taken out,
 * and its last word (8,192 characters of it at most), which may be the beginning of a credential. It then ends with `…`.
 */
export function createRedactor({ secrets }: { readonly secrets: readonly string[] }): (line: string) => string {
  const redactKnown = createKnownRedactor(secrets);
  return (line) => {
    if (!line.endsWith(CUT_MARK)) return redactShapes(redactKnown(line, false));
    const kept = redactKnown(line.slice(0, -CUT_MARK.length), true);
    return redactShapes(`${withoutLastWord(kept)}…`);
  };
}

function redactShapes(line: string): string {
  let text = line;
  if (PLAIN.test(text) || OWN_ID.test(text)) return text;
  if (text.includes('://')) for (const [pattern, replacement] of ADDRESSES) text = text.replace(pattern, replacement);
  for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
  if (text.includes('\\"'))
    text = text.replace(ESCAPED_ASSIGNMENT, (whole, open: string, name: string, middle: string) =>
      isHiddenName(name) ? `${open}${name}${middle}${REDACTED}` : whole,
    );
  return redactAssignments(text);
}

/** A callback for each assignment of a line costs more than all else, and few are of a sensitive name. */
function redactAssignments(text: string): string {
  let redacted = '';
  let kept = 0;
  ASSIGNMENT.lastIndex = 0;
  for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
    if (!isHiddenName(match[2] ?? '')) continue;
    const [whole, quote = '', name = '', operator = '', value = ''] = match;
    redacted += `${text.slice(kept, match.index)}${quote}${name}${quote}${operator}${maskValue(value)}`;
    kept = match.index + whole.length;
  }
  return kept === 0 ? text : redacted + text.slice(kept);
}

/** Judging a name costs more than looking it up, and the same few names come with every line; made-up ones fill no memory. */
const MAX_NAMES = 1_000;
const judged = new Map<string, boolean>();

function isHiddenName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isHidden = isSensitiveName(name);
  if (judged.size < MAX_NAMES) judged.set(name, isHidden);
  return isHidden;
}

function withoutLastWord(text: string): string {
  const least = Math.max(0, text.length - MAX_LAST_WORD);
  let end = text.length;
  while (end > least && !/\s/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
}

/** Takes out the given values alone, in the forms they are written in; at the end of a line that was cut, their beginnings, too. */
export function createKnownRedactor(secrets: readonly string[]): (line: string, isCut: boolean) => string {
  const known = knownForms(secrets);
  const forms = [...known].map((form) => ENCODER.encode(form));
  if (forms.length === 0) return (line) => line;
  const find = createFinder(forms);
  const mayHold = createPrefilter(known);
  return (line, isCut) => {
    if (!mayHold(line)) return line;
    const bytes = ENCODER.encode(line);
    const { ranges, openFrom } = find(bytes);
    const end = isCut ? openFrom : bytes.length;
    if (ranges.length === 0 && end === bytes.length) return line;
    let text = '';
    let kept = 0;
    for (const [start, end] of ranges) {
      text += DECODER.decode(bytes.subarray(kept, start)) + REDACTED;
      kept = end;
    }
    return text + DECODER.decode(bytes.subarray(kept, Math.max(kept, end)));
  };
}

/** Keeps the quotes and what is no secret anyway: an earlier redaction, or an empty value. */
function maskValue(value: string): string {
  const quote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : '';
  const inner = value.slice(quote.length, quote !== '' && value.endsWith(quote) ? -1 : undefined);
  if (inner === '' || value.startsWith('[REDACTED')) return value;
  return `${quote}${REDACTED}${quote}`;
}

/** Few values, as most processes have, are ruled out for most lines by how they begin, which costs next to nothing. */
function createPrefilter(forms: ReadonlySet<string>): (line: string) => boolean {
  const prefixes = new Set<string>();
  for (const form of forms) if (prefixes.size <= MAX_PREFIXES) prefixes.add(form.slice(0, SHORTEST_SECRET));
  if (prefixes.size > MAX_PREFIXES) return () => true;
  const escaped = [...prefixes].map((prefix) => prefix.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const begins = new RegExp(escaped.join('|'));
  return (line) => begins.test(line);
}

function knownForms(secrets: readonly string[]): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const form of [secret, ...secret.split(/\r?\n/)]) {
      if (form.trim().length >= SHORTEST_SECRET) for (const written of writtenForms(form)) forms.add(written);
    }
  }
  // Part of what replaces a secret: to look for it would change a redacted line again.
  for (const form of forms) if (REDACTED.includes(form)) forms.delete(form);
  return forms;
}

function writtenForms(secret: string): readonly string[] {
  const wellFormed = secret.toWellFormed();
  const base64 = base64Forms(ENCODER.encode(wellFormed)).flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
  if (/^[\w.~-]*$/.test(secret)) return [secret, ...base64];
  const encoded = encodeURIComponent(wellFormed);
  return [
    secret,
    ...base64,
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
  ];
}

/** Characters of base64 that a value within a longer text must give, or it is not looked for there: fewer are found anywhere. */
const SHORTEST_WITHIN = 8;

/**
 * In base64, alone and within a longer text: there it begins at the first, second or third byte of a group, and only the
 * characters that nothing beside it changes are the same.
 */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const within = [0, 1, 2].map((before) => {
    const text = base64Of(Uint8Array.from([...new Uint8Array(before), ...bytes]));
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [base64Of(bytes).replace(/=+$/, ''), ...within.filter((form) => form.length >= SHORTEST_WITHIN)];
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 4_096) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 4_096));
  }
  return btoa(binary);
}
