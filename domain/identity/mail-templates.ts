import { MAIL_KINDS, type MailKind, NOTICE_KINDS } from './mail.ts';

export interface MailTemplate {
  readonly subject: string;
  /** Paragraphs are told apart by an empty line; the HTML is made of it. */
  readonly text: string;
}

/** What a template may name, as `{{name}}`. */
export const PLACEHOLDERS = ['name', 'link', 'org', 'product', 'expires'] as const;

/** What notices name besides: what it is about, and the browser and network address it came from. */
const NOTICE_PLACEHOLDERS = ['what', 'device'] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number] | (typeof NOTICE_PLACEHOLDERS)[number];
export type MailValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>> &
  Readonly<Partial<Record<(typeof NOTICE_PLACEHOLDERS)[number], string>>>;

export const MAX_SUBJECT_LENGTH = 200;
export const MAX_TEXT_LENGTH = 10_000;
/** Values come from people: a longer one would be a message of its own. */
const MAX_VALUE_LENGTH = 200;

const PLATFORM_TEMPLATES: Readonly<Record<MailKind, MailTemplate>> = {
  invite: {
    subject: 'You are invited to {{org}}',
    text: 'Hello,\n\nyou are invited to join {{org}} on {{product}}. Accept here:\n\n{{link}}\n\nThe invitation works once, until {{expires}}. If you do not know {{org}}, ignore this mail: nothing happens.',
  },
  magic_link: {
    subject: 'Sign in to {{product}}',
    text: 'Hello {{name}},\n\nwith this link you sign in to {{product}}:\n\n{{link}}\n\nIt works once, until {{expires}}. If you did not ask for it, ignore this mail: without the link nobody gets in.',
  },
  password_reset: {
    subject: 'Choose a new password for {{product}}',
    text: 'Hello {{name}},\n\nwith this link you choose a new password for {{product}}:\n\n{{link}}\n\nIt works once, until {{expires}}. If you did not ask for it, ignore this mail: your password stays as it is.',
  },
  email_verification: {
    subject: 'Confirm your address for {{product}}',
    text: 'Hello {{name}},\n\nplease confirm that this is your e-mail address:\n\n{{link}}\n\nThe link works once, until {{expires}}. If you have no account at {{product}}, ignore this mail.',
  },
  second_factor_added: {
    subject: 'A second factor was added to your account at {{product}}',
    text: 'Hello {{name}},\n\na second factor was added to your account at {{product}}: {{what}}, from {{device}}.\n\nIf this was you, there is nothing to do. If it was not you, choose a new password before {{expires}}:\n\n{{link}}\n\nUntil then that removes a first second factor as well. Afterwards only an admin can.',
  },
  new_device: {
    subject: 'A new sign-in to your account at {{product}}',
    text: 'Hello {{name}},\n\nsomebody signed in to your account at {{product}} where nobody had before: {{device}}, {{what}}.\n\nIf this was you, there is nothing to do. If it was not you, sign them out and change your password:\n\n{{link}}',
  },
  second_factor_reset: {
    subject: 'Your second factor at {{product}} was reset',
    text: 'Hello {{name}},\n\nan admin removed the second factor of your account at {{product}}. You are signed out everywhere, and your password works no more. Choose a new one here:\n\n{{link}}\n\nThe link works once, until {{expires}}. Later you ask for another on the login page. If you did not ask for this, tell your admin.',
  },
};

export function isMailKind(text: string): text is MailKind {
  return MAIL_KINDS.some((kind) => kind === text);
}

/**
 * Why a template cannot be used; null when it can. It must carry the link in its text, since that is what the mail is
 * for, and not in its subject, which is kept in more places than the mail itself.
 */
export function templateProblem({ subject, text }: MailTemplate): string | null {
  if (subject.trim() === '' || subject.length > MAX_SUBJECT_LENGTH)
    return `subject: 1 to ${MAX_SUBJECT_LENGTH} characters`;
  if (/\p{Cc}/u.test(subject)) return 'subject: one line without control characters';
  if (text.length > MAX_TEXT_LENGTH) return `text: at most ${MAX_TEXT_LENGTH} characters`;
  if (/[^\P{Cc}\n\t]/u.test(text.replaceAll('\r\n', '\n'))) return 'text: no control characters but line ends';
  const known: readonly string[] = PLACEHOLDERS;
  const unknown = [...namesIn(subject), ...namesIn(text)].find((name) => !known.includes(name));
  if (unknown !== undefined)
    return `{{${unknown}}} is not known; there is ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}`;
  if (namesIn(subject).includes('link')) return 'subject: {{link}} belongs into the text';
  return namesIn(text).includes('link') ? null : 'text: {{link}} is missing';
}

/** The most specific template of a kind: the client's, else the org's, else the platform's (spec 1, D 3), which alone tells notices. */
export function chooseTemplate(
  kind: MailKind,
  overrides: readonly (Readonly<Record<string, MailTemplate>> | undefined)[],
): MailTemplate {
  if (NOTICE_KINDS.some((notice) => notice === kind)) return PLATFORM_TEMPLATES[kind];
  const found = overrides.find((templates) => templates !== undefined && Object.hasOwn(templates, kind));
  return found?.[kind] ?? PLATFORM_TEMPLATES[kind];
}

/** A piece of a text: as written, or a value. Values are never read as templates again. */
export type TextPart = { readonly literal: string } | { readonly placeholder: Placeholder };

/** Splits at the placeholders; what looks like one and is not known stays as written. */
export function partsOf(text: string): readonly TextPart[] {
  return text.split(/(\{\{[^{}]{0,40}\}\})/).map((piece) => {
    const name = piece.startsWith('{{') ? piece.slice(2, -2).trim() : '';
    return isPlaceholder(name) ? { placeholder: name } : { literal: piece };
  });
}

/** Fills a template; each value is one line, so that nobody's name can add lines to a mail or its header. */
export function fillTemplate(text: string, values: MailValues): string {
  return partsOf(text)
    .map((part) => ('literal' in part ? part.literal : mailValue(part.placeholder, values)))
    .join('');
}

/** One value as it may stand in a mail. */
export function mailValue(placeholder: Placeholder, values: MailValues): string {
  return placeholder === 'link' ? values.link : oneLine(values[placeholder] ?? '');
}

/** Without line ends and other control or direction characters, and of bounded length. */
export function oneLine(text: string): string {
  return Array.from(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim())
    .slice(0, MAX_VALUE_LENGTH)
    .join('');
}

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/\{\{([^{}]{0,40})\}\}/g), (match) => (match[1] ?? '').trim());
}

function isPlaceholder(name: string): name is Placeholder {
  return [...PLACEHOLDERS, ...NOTICE_PLACEHOLDERS].some((placeholder) => placeholder === name);
}
